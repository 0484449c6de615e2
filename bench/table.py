"""One table from the benchmarks' JSON and that of peer.py.

Rates and ratios are per second of CPU, of all threads together, so that other work on the machine does not
count; `time` is what passed.
"""
import json
import sys


def scaled(seconds):
    for unit, size in (("s", 1), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)):
        if seconds >= size:
            break
    return f"{seconds / size:.3g} {unit}"


def main():
    with open(sys.argv[1]) as file:
        report = json.load(file)
    with open(sys.argv[2]) as file:
        peer = json.load(file)
    python = peer["pairs"] / peer["seconds"]
    unit = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
    print(f"{'benchmark (threads)':<46}{'time':>10}{'CPU time':>10}{'pairs':>16}{'M pairs/CPU s':>15}{'x Python':>14}")
    for row in report["benchmarks"]:
        real, cpu = (row[key] * unit[row["time_unit"]] for key in ("real_time", "cpu_time"))
        line = f"{row['name'].replace('/process_time/real_time', ''):<46}{scaled(real):>10}{scaled(cpu):>10}"
        if "pairs" in row:
            rate = row["pairs"] / cpu
            line += f"{row['pairs']:>16,.0f}{rate / 1e6:>15,.1f}{rate / python:>14,.0f}"
        print(line)
    print(f"{'plain Python, sampled':<46}{scaled(peer['seconds']):>10}{'':>10}{peer['pairs']:>16,}"
          f"{python / 1e6:>15.4f}{1:>14}")
    print(f"plain Python on `coarse`, extrapolated: {1399680 / python:,.0f} s")


if __name__ == "__main__":
    main()
