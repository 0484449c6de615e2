"""The reduced search of docs/chiplet-model.md for a dense GQA model, in plain Python.

A straightforward port of the equations, one (machine, plan) pair at a time: what a script of this kind
costs. It times a sample of machines with all plans and prints JSON:
  {"pairs": ..., "seconds": ..., "best_s": {multiples of the six knobs: least latency}}
"""
import json
import sys
import time
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import ceil, log2

L, D, HQ, HKV, DH, F, MATS, V = 80, 8192, 64, 8, 128, 28672, 3, 128256  # llama-3.1-70b
P, COLS, ROWS, SIPS = 8, 4, 4, 16
C = COLS * ROWS
TREE_MAX, CHUNK, UTIL, NU = 262144, 8192, 0.7, 1 / 16
ALPHA = (50e-9, 150e-9, 1000e-9)
BW = BKV = BA = 2
BC = 4
KNOBS = (6e9, 256e9, 8e12, 512e9, 128e9, 50e9)


@dataclass
class Plan:
    cp: int
    tp: int
    pp: int
    dp: int
    kv: str
    ring: str


def up(a, b):
    return -(-a // b)


def span(n, stride):
    """Members and strides in a cube, on a SIP, between SIPs (section 3.3)."""
    n_p = min(n, max(1, P // stride))
    cube_stride = max(1, up(stride, P))
    n_c = min(up(n, n_p), max(1, C // cube_stride))
    n_s = up(up(n, n_p), n_c)
    return (n_p, n_c, n_s), (stride, cube_stride, max(1, up(cube_stride, C)))


def cube_distance(a, b):
    def place(i):
        row, col = divmod(i % C, COLS)
        return row, COLS - 1 - col if row % 2 else col
    (r, c), (s, d) = place(a), place(b)
    return abs(r - s) + abs(c - d)


@cache
def hops(level, n, stride, sips):
    """Worst hops of a ring step and of a whole tree (section 3.5)."""
    if n == 1:
        return 0, 0
    if level == 0:
        return 1, ceil(log2(n))
    if level == 1:
        dist = cube_distance
    else:
        def dist(a, b):
            d = abs(a % sips - b % sips)
            return min(d, sips - d)
    at = [i * stride for i in range(n)]
    steps = [dist(at[i], at[i + 1]) for i in range(n - 1)]
    ring = min(max(steps + [dist(at[-1], at[0])]), 2 * max(steps))
    tree = sum(max(dist(at[i], at[i + 2 ** j]) for i in range(n - 2 ** j)) for j in range(ceil(log2(n))))
    return ring, tree


class Network:
    def __init__(self, kappa, sips, beta):
        self.kappa, self.sips, self.beta = kappa, sips, beta

    def seconds(self, a, x):
        return sum(a[l] * ALPHA[l] + x[l] / self.beta[l] for l in range(3))

    def half(self, group, size):
        members, strides = group
        a, x, part = [0.0] * 3, [0.0] * 3, size
        for l in range(3):
            n = members[l]
            if n <= 1:
                continue
            ring, tree = hops(l, n, strides[l], self.sips)
            if size <= TREE_MAX:
                a[l] += tree
                x[l] += (n - 1) / n * part if l == 0 else self.kappa[l] * ceil(log2(n)) * part / 2
            else:
                a[l] += (n - 1) * ring
                x[l] += self.kappa[l] * (n - 1) / n * part
            part /= n
        return self.seconds(a, x)

    def ring(self, group, size, steps):
        members, strides = group
        outer = max((l for l in range(3) if members[l] > 1), default=None)
        if outer is None or steps <= 0:
            return 0.0
        share = (1, self.kappa[1] / members[0], self.kappa[2] / (members[0] * members[1]))[outer]
        a, x = [0.0] * 3, [0.0] * 3
        a[outer] = steps * hops(outer, members[outer], strides[outer], self.sips)[0]
        x[outer] = steps * size * share
        return self.seconds(a, x)


def both(a, b):
    (ma, sa), (mb, sb) = a, b
    strides = []
    for l in range(3):
        wide = [s[l] for m, s in ((ma, sa), (mb, sb)) if m[l] > 1]
        strides.append(min(wide) if wide else sa[l])
    return tuple(x * y for x, y in zip(ma, mb)), tuple(strides)


def first(group, m):
    members, strides = group
    n_p = min(m, members[0])
    n_c = min(up(m, n_p), members[1])
    return (n_p, n_c, up(up(m, n_p), n_c)), strides


def evaluate(plan, knobs, phase, context, batch):
    """(latency, fits), or None where the plan cannot be placed."""
    capacity, bw_hbm, peak, *beta = knobs
    cp, tp, pp, dp = plan.cp, plan.tp, plan.pp, plan.dp
    decode = phase == "decode"
    # Placement: TP on cubes, CP on PEs.
    s, q_b = cp, tp
    w = up(s, P)
    q = q_b * w
    n_b = max(1, P // s)
    sets = up(pp * dp, n_b)
    z = C // q if q <= C else 1
    sips = up(sets, z) if q <= C else sets * up(q, C)
    if tp > 4 * HQ or pp > L or cp > context or (s > P and s % P) or sips > SIPS:
        return None
    if q > C and (q % C or (C % w and w % C)):
        return None
    g_tp = span(tp, up(cp, P) * P) if tp > 1 else ((1, 1, 1), (up(cp, P) * P, 1, 1))
    g_cp = span(cp, 1)
    kappa = (1, min(P, s) * min(dp, max(1, n_b // pp)),
             min(P, s) * min(C, q) * min(dp, max(1, n_b * z // pp)))
    net = Network(kappa, sips, beta)

    b = up(batch, dp)
    tok = b if decode else b * context / cp
    copies = max(1, tp / HKV) if plan.kv == "replicate" else 1
    k = HKV * DH * copies / tp
    qe = HQ * DH / tp
    groups = HQ if plan.kv == "replicate" else HKV
    g_s, h_s = max(1, tp / groups), HQ / min(tp, groups)
    visits = 1 if cp == 1 else (cp if plan.ring == "kv" else 1) if decode else cp
    chunk = context / cp
    pairs = b * chunk * visits if decode else b * context * (context + 1) / 2 / cp
    scores = pairs * h_s
    oml = tok * (qe + 2 * h_s) * BC

    def tp_reduce(size):
        near = g_cp[0][0]
        if decode and g_tp[0][0] < tp and near > 1:
            inner = (near, 1, 1), g_cp[1]
            return net.half(g_tp, size / near) + net.half(both(g_tp, inner), size)
        return 2 * net.half(g_tp, size)

    def stage(m, v, size, comm=0.0):
        return max((m + v / NU) / (peak * UTIL), size / bw_hbm) + comm

    n_q, n_kv, g = D * qe, D * 2 * k, tp * cp
    t_f = tok if decode else tok * cp
    y, omega = t_f * F / g, F / g
    score_comm = 0.0
    if g_s > 1:
        score_comm = visits * 2 * net.half(first(g_tp, ceil(g_s)), scores * BC / visits)
    if cp == 1:
        merge = 0.0
    elif plan.ring == "kv":
        merge = net.ring(g_cp, b * chunk * 2 * k * BKV, visits - 1)
    elif decode:
        merge = 2 * net.half(g_cp, oml)
    else:
        merge = net.ring(g_cp, tok * qe * BA + oml, visits - 1) + net.ring(g_cp, oml, min(visits - 1, cp - visits + 1))
    scope = both(g_tp, g_cp)
    same = scope if decode else g_tp
    near = first(g_tp, 1)
    gather = 0.0
    if cp > 1 and not decode:
        if g_cp[0][1] == 1 and g_cp[0][2] == 1:
            near = ((1, 1, 1), g_tp[1])
        elif g_cp[0][2] == 1:
            near = ((g_tp[0][0], 1, 1), g_tp[1])
        else:
            near = ((g_tp[0][0], g_tp[0][1], 1), g_tp[1])
        ranks = near[0][0] * near[0][1]
        gather = net.half(g_cp, t_f * D * BA / ranks) + net.half(near, t_f * D * BA)
    layer = [
        stage(0, 4 * tok * D, 2 * tok * D * BA),
        stage(2 * tok * n_q, 0, n_q * BW + tok * (D + qe) * BA),
        stage(2 * tok * n_kv, 0, n_kv * BW + tok * (D + 2 * k) * BA),
        stage(0, 3 * tok * (qe + k), 2 * tok * (qe + k) * BA + tok * 2 * k * BKV),
        stage(2 * pairs * qe, 0, visits * tok * qe * BA + b * chunk * visits * k * BKV, score_comm),
        stage(0, 5 * scores, 0),
        stage(2 * pairs * qe, 0, b * chunk * visits * k * BKV),
        stage(0, 3 * visits * tok * qe, tok * qe * BA + 2 * (visits - 1) * oml, merge),
        stage(2 * tok * n_q, 0, n_q * BW + tok * (qe + D) * BA, tp_reduce(tok * D * BA)),
        stage(0, tok * D, 3 * tok * D * BA),
        stage(0, 4 * tok * D, 2 * tok * D * BA),
        stage(0, 0, 0, gather),
        stage(2 * (MATS - 1) * D * y, 0, (MATS - 1) * D * omega * BW + (t_f * D + (MATS - 1) * y) * BA),
        stage(0, 4 * y, MATS * y * BA),
        stage(2 * D * y, 0, D * omega * BW + (y + t_f * D) * BA,
              net.half(scope, t_f * D * BA) + net.half(same, tok * D * BA)),
        stage(0, tok * D, 3 * tok * D * BA),
    ]
    latency = L * sum(layer)
    latency += stage(0, 0, tok * D / tp * BW + tok * D * BA, tp_reduce(tok * D * BA))
    latency += stage(2 * b * D * V / tp, 4 * b * D, D * V / tp * BW + b * (2 * D + V / tp) * BA,
                     net.half(g_tp, b * V * BA))
    a, x, p2p = [0.0] * 3, [0.0] * 3, 0.0
    for j in range(pp - 1):
        here, there = j // n_b, (j + 1) // n_b
        if here == there:
            l, n = 0, 1
        elif here // z == there // z:
            l, n = 1, cube_distance(here % z * q, there % z * q)
        else:
            group = 1 if q <= C else up(q, C)
            d = abs(here // z * group - there // z * group)
            l, n = 2, min(d, sips - d)
        a[l] += n
        x[l] += kappa[l] * tok * D / tp * BA
        p2p += net.half(g_tp, tok * D * BA)
    latency += net.seconds(a, x) + p2p
    return latency, memory(plan, context, batch, k, qe, h_s, tok, b, oml, t_f, decode) <= capacity


def memory(plan, context, batch, k, qe, h_s, tok, b, oml, t_f, decode):
    """Bytes of the fullest stage (section 6)."""
    cp, tp, pp = plan.cp, plan.tp, plan.pp
    per_layer = (2 * D * qe + 2 * D * k) * BW + MATS * D * F / (tp * cp) * BW + b * context / cp * 2 * k * BKV
    attn = tok * (2 * D + qe + 2 * k + qe) * BA
    if cp > 1:
        attn += oml + (b * context / cp * 2 * k * BA if plan.ring == "kv" else tok * qe * BA + oml)
    ffn = 2 * tok * D * BA + min(t_f, CHUNK) * (D + MATS * F / (tp * cp)) * BA
    act, table, most = max(attn, ffn), V * D / tp * BW, 0.0
    for stage in range(pp):
        layers = L // pp + (1 if stage < L % pp else 0)
        total = layers * per_layer + act
        if stage == 0:
            total += table
        if stage == pp - 1:
            total += table + max(act, b * (V + D) * BA) - act
        most = max(most, total)
    return most


def plans(phase):
    out = []
    for cp, tp, pp, dp, kv in product((1, 2, 4, 8, 16, 32, 64, 96), (1, 2, 4, 8, 16, 32), (1, 2, 4, 8, 16),
                                      (1, 2, 4, 8), ("split", "replicate")):
        out.append(Plan(cp, tp, pp, dp, kv, "qoml" if phase == "decode" and cp > 1 else "kv"))
    return out


def main():
    phase, context, batch = "decode", 131072, 1
    sample = [(1,) * 6, (1, 2, 2, 2, 2, 2), (2, 4, 1, 1, 4, 1), (1, 4, 4, 4, 4, 4)]
    listed, best = plans(phase), {}
    start = time.process_time()
    for multiples in sample:
        knobs = [m * k for m, k in zip(multiples, KNOBS)]
        found = (evaluate(plan, knobs, phase, context, batch) for plan in listed)
        best[" ".join(map(str, multiples))] = min(r[0] for r in found if r and r[1])
    seconds = time.process_time() - start
    json.dump({"pairs": len(sample) * len(listed), "seconds": seconds, "best_s": best}, sys.stdout)


if __name__ == "__main__":
    main()
