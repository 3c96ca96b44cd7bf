#!/usr/bin/env python3
"""The lockset tier over many drivers: cost beside the compiler's, what it proves, how the cost grows; as Markdown.

    scripts/lockset-report.py --build kernel-work/build/irk --index kernel-work/bc/6.1/index.json kernel-work/bc/6.1-nopass

--index lists the drivers and the objects that each is made of; --build is where kbuild left the command that made each object
(.NAME.o.cmd or .NAME.ll.cmd). CPU seconds of both are those of the processes, one at a time.
"""

import argparse
import collections
import json
import math
import os
import re
import resource
import statistics
import subprocess
import sys
from pathlib import Path

import reasons as reasons_of


def cpu_of(command, **how):
    """CPU seconds of a command and its children, and its result."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = subprocess.run(command, capture_output=True, text=True, **how)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, result


def compile_time(build, objects):
    """What clang takes for the objects, None without their commands."""
    total = 0.0
    for name in objects:
        stem = Path(name).with_suffix("")
        for kind in ("o", "ll"):
            recorded = build / stem.parent / f".{stem.name}.{kind}.cmd"
            if recorded.exists():
                break
        else:
            return None
        command = recorded.read_text().splitlines()[0].split(":=", 1)[1].strip()
        command = re.sub(r" -Wp,-MMD,\S*", "", command).replace(" -emit-llvm -S ", " -c ")
        command = re.sub(r" -o \S+ ", " -o /dev/null ", command)
        seconds, result = cpu_of(command, shell=True, cwd=build)
        if result.returncode != 0:
            return None
        total += seconds
    return total


def instructions(bitcode):
    text = subprocess.run(["llvm-dis-22", "-o", "-", bitcode], capture_output=True, text=True, check=True).stdout
    return sum(1 for line in text.splitlines() if line.startswith("  ") and "#dbg_" not in line)


def slope(points):
    """The exponent b of y = a·x^b, by least squares of the logarithms."""
    logs = [(math.log(x), math.log(y)) for x, y in points if x > 0 and y > 0]
    mx, my = (statistics.mean(v) for v in zip(*logs))
    return sum((x - mx) * (y - my) for x, y in logs) / sum((x - mx) ** 2 for x, _ in logs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bitcode", type=Path)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--irkiss", default="target/release/irkiss")
    parser.add_argument("--timeout", type=int, default=60)
    parser.add_argument("--drivers", help="only these, with commas")
    options = parser.parse_args()
    only = set(options.drivers.split(",")) if options.drivers else None
    rows, reasons, drivers_of = [], collections.Counter(), collections.defaultdict(set)
    for entry in json.loads(options.index.read_text()):
        bitcode = options.bitcode / f"{entry['name']}.bc"
        if not bitcode.exists() or only and entry["name"] not in only:
            continue
        command = [options.irkiss, "--tier", "lockset", "--jobs", "1", "--format", "json", "--exit-zero"]
        seconds, result = cpu_of(command + ["--timeout", str(options.timeout), str(bitcode)])
        try:
            report = json.loads(result.stdout)
        except ValueError:
            print(f"{entry['name']}: no report: {result.stderr.strip()[:200]}", file=sys.stderr)
            continue
        verdicts = collections.Counter()
        pairs = collections.Counter()
        for pair in report["pairs"]:
            if pair["serialized_by"]:
                pairs["kept apart"] += 1
                continue
            found = {r["verdict"] for r in pair["regions"]}
            pairs["without shared memory" if not found else "proved" if found == {"proved"} else "open"] += 1
            verdicts.update(r["verdict"] for r in pair["regions"])
            for r in pair["regions"]:
                if r["verdict"] == "unknown":
                    kind = reasons_of.kind(r)
                    reasons[kind] += 1
                    drivers_of[kind].add(entry["name"])
        rows.append({
            "name": entry["name"],
            "lines": entry["loc"],
            "size": instructions(bitcode),
            "cpu": seconds,
            "clang": compile_time(options.build.resolve(), entry["files"]),
            "pairs": pairs,
            "verdicts": verdicts,
        })
        print(f"{entry['name']}: {seconds:.1f} s", file=sys.stderr)
    total = sum((r["verdicts"] for r in rows), collections.Counter())
    pairs = sum((r["pairs"] for r in rows), collections.Counter())
    ratios = [r["cpu"] / r["clang"] for r in rows if r["clang"]]
    least = min(r["cpu"] for r in rows)
    print("# The lockset tier over a corpus of drivers\n")
    print(f"`{options.bitcode.name}`, {len(rows)} drivers, `--tier lockset --timeout {options.timeout}`.\n")
    print(f"- CPU per driver: median {statistics.median(r['cpu'] for r in rows):.2f} s, largest {max(r['cpu'] for r in rows):.1f} s;")
    if ratios:
        clang = [r["clang"] for r in rows if r["clang"]]
        print(f"  clang: median {statistics.median(clang):.2f} s; ratio of the medians {statistics.median(r['cpu'] for r in rows if r['clang']) / statistics.median(clang):.2f}, "
              f"median of the ratios {statistics.median(ratios):.2f}")
    print(f"- growth with the number of instructions: exponent {slope([(r['size'], r['cpu']) for r in rows]):.2f}, "
          f"{slope([(r['size'], r['cpu'] - least + 0.01) for r in rows]):.2f} without what the smallest costs")
    shared = sum(total.values())
    print(f"- regions: {shared}, of these {total['proved']} proved ({100 * total['proved'] / max(shared, 1):.1f} %)")
    print("- pairs of entry points: " + ", ".join(f"{n} {kind}" for kind, n in pairs.most_common()) + "\n")
    print("| regions | drivers | not proved because |\n|---|---|---|")
    for kind, n in reasons.most_common(12):
        print(f"| {n} | {len(drivers_of[kind])} | {kind} |")
    print("\n| driver | lines | instructions | CPU s | clang s | pairs kept apart | nothing shared | proved | open | regions proved | open |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for r in sorted(rows, key=lambda r: r["name"]):
        p, v = r["pairs"], r["verdicts"]
        clang = f"{r['clang']:.2f}" if r["clang"] else "-"
        print(f"| {r['name']} | {r['lines']} | {r['size']} | {r['cpu']:.2f} | {clang} | {p['kept apart']} | {p['without shared memory']} | {p['proved']} "
              f"| {p['open']} | {v['proved']} | {sum(v.values()) - v['proved']} |")


if __name__ == "__main__":
    main()
