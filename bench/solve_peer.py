"""Solvers next to the same equations in plain Python: one table, microseconds of CPU per question.

  solve_peer.py ENGINE.json    ENGINE.json is what solve_bench writes
The functions are the equations of the solvers' cards for the questions that solve_bench asks, and give its answers;
they do not check what is asked.
"""
import json
import sys
import timeit
from math import ceil, exp, floor, log, sqrt

H100 = {"rate": 989e12, "bandwidth": 3.35e12, "memory": 80 * 2**30, "tdp": 700.0}
ROUND = {"rate": 1e15, "bandwidth": 4e12, "memory": 100e9, "tdp": 1000.0}
CLUSTER = {"inside": 400e9, "inside_latency": 0.5e-6, "between": 50e9, "between_latency": 5e-6}
LLAMA = {"P": 8.03e9, "L": 32, "d": 4096, "H": 32, "Hk": 8, "h": 128}
ROUND_7B = {**LLAMA, "P": 7e9}
LLAMA_405B = {"P": 405e9, "L": 126, "d": 16384, "H": 128, "Hk": 8, "h": 128}
MIXTRAL = {"P": 46.7e9, "S0": (12.9e9 - 46.7e9 / 4) / (1 - 1 / 4), "L": 32, "d": 4096, "experts": 8, "chosen": 2}


def kv_bytes(m, tokens):
    return 2 * m["L"] * m["Hk"] * m["h"] * 2 * tokens


def prompt_flop(m, tokens):
    return 2 * m["P"] * tokens + 2 * m["L"] * m["H"] * m["h"] * tokens * (tokens + 1)


def step(m, hw, flop, traffic, e=0.5):
    compute, memory = flop / (hw["rate"] * e), traffic / hw["bandwidth"]
    return max(compute, memory)


def single_node(m=LLAMA, hw=H100, batch=8, context=2048):
    tokens = context + 1
    flop = batch * (2 * m["P"] + 4 * m["L"] * m["H"] * m["h"] * tokens)
    weights, kv = 2 * m["P"], batch * kv_bytes(m, tokens)
    t = step(m, hw, flop, weights + kv)
    u = flop / (hw["rate"] * t)
    return {"latency": t, "throughput": batch / t, "mfu": u, "intensity": flop / (weights + kv),
            "need": weights + kv, "feasible": weights + kv <= hw["memory"],
            "energy": hw["tdp"] * (0.3 + 0.7 * u) * t}


def serving(m=LLAMA, hw=H100, tokens=2048):
    weights, kv = 2 * m["P"], kv_bytes(m, tokens)
    prefill_flop = prompt_flop(m, tokens)
    decode_flop = 2 * m["P"] + 4 * m["L"] * m["H"] * m["h"] * tokens
    ttft, itl = step(m, hw, prefill_flop, weights + kv), step(m, hw, decode_flop, weights + kv)
    return {"ttft": ttft, "itl": itl, "kv": kv, "feasible": weights + kv <= hw["memory"]}


def continuous_batching(m=LLAMA, hw=H100, tokens=2048, page=16, most=256, used=0.9):
    weights, kappa, sequence = 2 * m["P"], kv_bytes(m, 1), kv_bytes(m, tokens)
    pool = used * hw["memory"] - weights
    held = page * ceil(tokens / page) * kappa
    n = min(floor(floor(pool / kappa / page) * page * kappa / held), most)
    static = min(floor(pool / sequence), most)

    def decode(requests):
        flop = requests * (2 * m["P"] + 4 * m["L"] * m["H"] * m["h"] * tokens)
        return step(m, hw, flop, weights + requests * sequence)

    first = step(m, hw, prompt_flop(m, tokens), weights + sequence)
    itl, static_itl = decode(n), decode(static)
    return {"requests": n, "waste": 1 - sequence / held, "itl": itl, "tokens_per_s": n / itl, "ttft": first,
            "speedup": n / itl / (static / static_itl)}


def serving_capacity(m=LLAMA, hw=H100, tokens=2048, output=128, n=32, qps=100.0, target=60.0):
    weights, sequence = 2 * m["P"], kv_bytes(m, tokens)
    prefill = step(m, hw, prompt_flop(m, tokens), weights + sequence)
    decode = step(m, hw, n * (2 * m["P"] + 4 * m["L"] * m["H"] * m["h"] * tokens), weights + n * sequence)
    base = n * prefill + output * decode
    rate = n / base

    def wait(replicas):
        servers = replicas * n
        return max(0.0, log(erlang_c(servers, qps * base) / 0.01) / (servers / base - qps))

    replicas = floor(qps / rate) + 1
    while base + wait(replicas) > target:
        replicas += 1
    late = wait(replicas)
    return {"replicas": replicas, "qps": rate * replicas, "p99": base + late, "ttft_p99": late + prefill + decode}


def weight_streaming(m=ROUND_7B, hw=ROUND, batch=1, tokens=2048, injection=1e12, e=0.5):
    arrives = 2 * m["P"] / (m["L"] * injection)
    attention = 4 * m["H"] * m["h"] * tokens
    compute = batch * (2 * m["P"] / m["L"] + attention) / (hw["rate"] * e)
    layer = max(arrives, compute)
    need = 1.1 * kv_bytes(m, tokens) * batch
    balanced = floor(arrives * hw["rate"] * e * m["L"] / (2 * m["P"] + m["L"] * attention))
    return {"tokens_per_s": batch / (m["L"] * layer), "balanced": balanced, "need": need,
            "feasible": need <= hw["memory"]}


def training_memory(m=LLAMA, batch=8, tokens=2048):
    weights, gradients, optimizer = 2 * m["P"], 2 * m["P"], 12 * m["P"]
    stored = batch * tokens * m["d"] * (34 + 5 * m["H"] * tokens / m["d"])
    return {"weights": weights, "gradients": gradients, "optimizer": optimizer, "activations": stored * m["L"],
            "total": weights + gradients + optimizer + stored * m["L"]}


def all_reduce(size, inner, outer, hw=CLUSTER):
    """Reduce-scatter inside, all-reduce between, all-gather inside: the better of ring and tree between."""
    inside = 2 * ((inner - 1) / inner * size / hw["inside"] + (inner - 1) * hw["inside_latency"])
    part = size / inner
    ring = 2 * ((outer - 1) / outer * part / hw["between"] + (outer - 1) * hw["between_latency"])
    tree = 2 * (part / hw["between"] + ceil(log(outer) / log(2)) * hw["between_latency"])
    return inside + min(ring, tree)


def distributed(m=LLAMA_405B, hw=ROUND, devices=128, batch=256, tokens=8192, e=0.5):
    mine = ceil(batch / devices)
    flop = prompt_flop(m, tokens)
    weights, gradients, optimizer = 2 * m["P"], 2 * m["P"], 12 * m["P"]
    compute = max(3 * mine * flop / (hw["rate"] * e), 3 * weights / hw["bandwidth"])
    reduce = all_reduce(gradients, 8, devices // 8)
    t = compute + reduce
    mfu = 3 * batch * flop / (devices * hw["rate"] * t)
    kept = 2 * (12 * m["d"] + 2 * m["H"] * m["h"] + 2 * m["Hk"] * m["h"])
    activations = mine * tokens * kept * m["L"]
    need = weights + gradients + optimizer + activations
    return {"step": t, "compute": compute, "dp": reduce, "mfu": mfu, "scaling": compute / t, "need": need,
            "samples_per_s": batch / t, "energy": devices * hw["tdp"] * (0.3 + 0.7 * mfu) * t,
            "feasible": need <= hw["memory"]}


def moe_routing(m=MIXTRAL, ep=8, batch=8, tokens=1):
    t, e, k = batch * tokens, m["experts"], m["chosen"]
    touched = e * (1 - (1 - k / e) ** t)
    shared, expert = m["S0"], (m["P"] - m["S0"]) / e
    read = 2 * (shared + e * expert / ep * (1 - (1 - k / e) ** (t * ep)))
    message = t * k * m["d"] * 2
    dispatch = message * (ep - 1) / ep
    travel = dispatch / CLUSTER["inside"] + (ep - 1) * CLUSTER["inside_latency"]
    expected = min(ep, 1 + sqrt(2 * log(ep) / (t * k)))
    return {"touched": touched, "read": read, "dispatch": dispatch, "layer": 4 * travel, "all": 4 * travel * m["L"],
            "imbalance": expected}


def fleet_energy(devices=64, days=30, tdp=700.0, mfu=1.0, pue=1.1, wue=0.0, intensity=0.0):
    it = tdp * (0.3 + 0.7 * mfu) * devices * days * 86400
    return {"it": it, "facility": it * pue, "kgco2e": it * pue / 3.6e6 * intensity, "water": it / 3.6e6 * wue}


def economics(devices=64, days=30, unit_cost=25000.0, price=0.0, years=3, maintenance=0.05):
    energy = fleet_energy(devices, days)
    invested = unit_cost * devices
    capex = invested / years * days / 365
    opex = energy["facility"] / 3.6e6 * price + maintenance * invested * days / 365
    return {"capex": capex, "opex": opex, "tco": capex + opex, "device_hour": (capex + opex) / (devices * days * 24),
            **energy}


def sustainability(devices=64, days=30, embodied=0.0, life=5):
    energy = fleet_energy(devices, days)
    made = devices * embodied * days / (365 * life)
    return {**energy, "embodied": made, "emissions": energy["kgco2e"] + made}


def erlang_c(servers, load):
    b = 1.0
    for k in range(1, servers + 1):
        b = load * b / (k + load * b)
    rho = load / servers
    return b / (1 - rho * (1 - b))


def tail_latency(rate=70.0, service=0.1, replicas=8):
    load = rate * service
    wait, drain = erlang_c(replicas, load), replicas / service - rate
    quantiles = [max(0.0, log(wait / (1 - q)) / drain) + service for q in (0.5, 0.95, 0.99, 0.999)]
    return {"utilization": load / replicas, "mean": wait / drain + service, "quantiles": quantiles}


def reliability(nodes=2000, duration=54 * 86400.0, write=60.0, recovery=300.0):
    rate = nodes * (8 / (50000 * 3600.0) + 1 / (200000 * 3600.0))
    mtbf = 1 / rate
    interval = sqrt(2 * write * mtbf)
    waste = write / interval + (interval / 2 + recovery) / mtbf
    return {"mtbf": mtbf, "failures": duration * rate, "survives": exp(-duration * rate),
            "interval": interval, "goodput": 1 - waste}


def checkpoint_interval(write=60.0, mtbf=3 * 3600.0):
    interval = sqrt(2 * write * mtbf)
    return {"interval": interval, "waste": write / interval + interval / (2 * mtbf)}


def efficiency(m=4096, n=4096, k=4096):
    units, stream, peak, bandwidth = 132, 120e9, 989e12, 3.35e12
    flop, traffic = 2 * m * n * k, 2 * (m * k + n * k + m * n)
    unit = min(
        ceil(ceil(m / x) * ceil(n / y) * s / units) * max(k / s, 64) * 2 * (x + y) / stream
        + (0.5e-6 + 2 * m * n * s / bandwidth if s > 1 else 0)
        for x, y in ((16, 32), (16, 64), (64, 64), (128, 128)) for s in (1, 2, 4, 8))
    parts = (flop / peak, traffic / bandwidth, unit)
    most = max(parts)
    t = most * sum((p / most) ** 6 for p in parts) ** (1 / 6)
    return {"time": t, "efficiency": flop / peak / t}


PEERS = {"single-node": single_node, "serving": serving, "training-memory": training_memory,
         "serving-capacity": serving_capacity, "continuous-batching": continuous_batching,
         "weight-streaming": weight_streaming, "tail-latency": tail_latency, "distributed, 126 layers": distributed,
         "moe-routing": moe_routing, "reliability": reliability, "checkpoint-interval": checkpoint_interval,
         "economics": economics, "sustainability": sustainability, "efficiency": efficiency}
CALLS = 20000


def main():
    with open(sys.argv[1]) as file:
        rows = json.load(file)["benchmarks"]
    unit = {"ns": 1e-3, "us": 1, "ms": 1e3, "s": 1e6}
    print(f"{'solver, check and answer':<28}{'CPU us':>10}{'plain Python':>15}{'x':>8}")
    for row in rows:
        if "cpu_time" not in row or row.get("error_occurred"):
            print(f"{row['name']:<28}{row.get('error_message', 'not run')}")
            continue
        own, line = row["cpu_time"] * unit[row["time_unit"]], ""
        if row["name"] in PEERS:
            peer = timeit.timeit(PEERS[row["name"]], number=CALLS) / CALLS * 1e6
            line = f"{peer:>15.2f}{peer / own:>8.1f}"
        print(f"{row['name']:<28}{own:>10.3f}{line}")


if __name__ == "__main__":
    main()
