#!/usr/bin/env python3
"""The tables of the WHOOP paper (ASE 2015, tables I and II) for drivers, as Markdown.

    scripts/whoop-tables.py --timeout 30 kernel-work/bc/6.1-nopass/nvram.bc ...

Table I: pairs of entry points, those with a candidate, regions, those without a proof, and the races that the precise tier finds.
Table II: the lockset tier's CPU seconds, the switch points that each reduction leaves, and the precise tier's CPU seconds with
each at --ts 1 (> where the timeout ended it: what was not decided then is unknown). Its right half: the CPU seconds of the search
in rounds with 2, 5 and 9 context switches, with each reduction.
"""

import argparse
import collections
import json
import resource
import subprocess
from pathlib import Path

REDUCTIONS = ["all", "epp", "mr"]
# Context switches, and the rounds that they take between two threads.
SWITCHES = [(2, 2), (5, 3), (9, 5)]


def run(options, bitcode, *more):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [options.irkiss, "--jobs", "1", "--ts", "1", "--format", "json", "--stats", "--exit-zero", "--timeout", str(options.timeout)]
    result = subprocess.run(command + list(more) + [str(bitcode)], capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    try:
        return seconds, json.loads(result.stdout)
    except ValueError:
        raise SystemExit(f"{bitcode}: {result.stderr.strip()[:200]}")


def shown(cpu, report):
    """CPU seconds, and whether they were enough."""
    regions = [r for p in report["pairs"] for r in p["regions"]]
    ended = not any(r["verdict"] == "unknown" and "timeout" in (r["reason"] or "") for r in regions)
    return f"{cpu:.1f}" if ended else f"> {cpu:.1f}"


def lines_of(options, name):
    for entry in json.loads(options.index.read_text()) if options.index else []:
        if entry["name"] == name:
            return entry["loc"]
    return "-"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bitcode", type=Path, nargs="+")
    parser.add_argument("--irkiss", default="target/release/irkiss")
    parser.add_argument("--index", type=Path, help="lines of each driver: kernel-work/bc/6.1/index.json")
    parser.add_argument("--timeout", type=int, default=30)
    options = parser.parse_args()
    one, two, three = [], [], []
    for bitcode in options.bitcode:
        name = bitcode.stem
        seconds, report = run(options, bitcode, "--tier", "lockset")
        pairs = [p for p in report["pairs"] if not p["serialized_by"]]
        open_pairs = sum(any(r["verdict"] != "proved" for r in p["regions"]) for p in pairs)
        locations = collections.defaultdict(set)
        for pair in pairs:
            for region in pair["regions"]:
                locations[region["location"]].add(region["verdict"])
        racy = sum(verdicts != {"proved"} for verdicts in locations.values())
        points, precise, rounds = {}, {}, {}
        for reduction in REDUCTIONS:
            _, counted = run(options, bitcode, "--tier", "lockset", "--reduction", reduction)
            points[reduction] = counted["stats"].get("switch points", 0)
            cpu, checked = run(options, bitcode, "--reduction", reduction)
            precise[reduction] = shown(cpu, checked)
            for switches, contexts in SWITCHES:
                bounds = ["--contexts", str(contexts), "--switches", str(switches)]
                cpu, in_rounds = run(options, bitcode, "--tier", "lockset,contexts", *bounds, "--reduction", reduction)
                rounds[switches, reduction] = shown(cpu, in_rounds)
        found = len(checked["findings"])
        one.append(f"| {name} | {lines_of(options, name)} | {len(report['pairs'])} | {open_pairs} | {len(locations)} | {racy} | {found} |")
        two.append(f"| {name} | {seconds:.1f} | " + " | ".join(str(points[r]) for r in REDUCTIONS) + " | " + " | ".join(precise[r] for r in REDUCTIONS) + " |")
        three.append(f"| {name} | " + " | ".join(rounds[n, r] for n, _ in SWITCHES for r in REDUCTIONS) + " |")
    print("| driver | lines | pairs | with candidates | regions | not proved | races found |\n|---|---|---|---|---|---|---|")
    print("\n".join(one))
    print("\n| driver | lockset tier, s | switch points ALL | EPP | MR | precise tier ALL, s | EPP | MR |\n|---|---|---|---|---|---|---|---|")
    print("\n".join(two))
    head = " | ".join(f"{n} switches {r.upper()}, s" for n, _ in SWITCHES for r in REDUCTIONS)
    print(f"\n| driver | {head} |\n|---|" + "---|" * 9)
    print("\n".join(three))


if __name__ == "__main__":
    main()
