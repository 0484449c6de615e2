"""Solvers next to the same equations in plain Python: one table, microseconds of CPU per question.

  solve_peer.py ENGINE.json    ENGINE.json is what solve_bench writes
The functions are the equations of the solvers' cards for the questions that solve_bench asks, without checks of
what is asked; a question without one is timed on the engine's side alone.
"""
import json
import sys
import timeit
from math import ceil, exp, log, sqrt

H100 = {"rate": 989e12, "bandwidth": 3.35e12, "memory": 80e9, "tdp": 700.0}
LLAMA = {"P": 8.03e9, "L": 32, "d": 4096, "H": 32, "Hk": 8, "h": 128}


def kv_bytes(m, tokens):
    return 2 * m["L"] * m["Hk"] * m["h"] * 2 * tokens


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
    prefill_flop = 2 * m["P"] * tokens + 4 * m["L"] * m["H"] * m["h"] * tokens * (tokens + 1) / 2
    decode_flop = 2 * m["P"] + 4 * m["L"] * m["H"] * m["h"] * tokens
    ttft, itl = step(m, hw, prefill_flop, weights + kv), step(m, hw, decode_flop, weights + kv)
    return {"ttft": ttft, "itl": itl, "kv": kv, "feasible": weights + kv <= hw["memory"]}


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


PEERS = {"single-node": single_node, "serving": serving, "tail-latency": tail_latency, "reliability": reliability,
         "checkpoint-interval": checkpoint_interval, "efficiency": efficiency}
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
