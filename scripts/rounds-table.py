#!/usr/bin/env python3
"""Executions in rounds, searched in both ways (--rounds lazy, eager), as a Markdown table on standard output.

    scripts/rounds-table.py --timeout 60 kernel-work/bc/6.1/machzwd.bc ...

For each driver and K: CPU seconds, terms and instructions of the search (one job), and what is decided. A run that the timeout
ended is marked with >: its CPU seconds say nothing. The last line tells whether the two ways ever decided differently.
"""

import argparse
import json
import resource
import subprocess
from pathlib import Path


def run(options, bitcode, contexts, way):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [options.irkiss, "--jobs", "1", "--tier", "contexts", "--contexts", str(contexts), "--rounds", way]
    command += ["--timeout", str(options.timeout), "--format", "json", "--stats", "--exit-zero", str(bitcode)]
    result = subprocess.run(command, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    try:
        return seconds, json.loads(result.stdout)
    except ValueError:
        raise SystemExit(f"{bitcode}: {result.stderr.strip()[:200]}")


def verdicts(report):
    """What is decided, by pair and region; what is unknown is left out."""
    found = {}
    for pair in report["pairs"]:
        for region in pair["regions"]:
            if region["verdict"] != "unknown":
                found[pair["a"], pair["b"], region["location"]] = region["verdict"]
    return found


def cells(seconds, report):
    stats = report["stats"]
    regions = [r["verdict"] for p in report["pairs"] for r in p["regions"]]
    counts = ", ".join(f"{regions.count(v)} {v}" for v in ("race", "bounded", "unknown") if v in regions)
    late = ">" if report["stopped"] else ""
    return f"{late}{seconds:.1f} | {stats.get('terms', '-')} | {stats.get('instructions', '-')} | {counts}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bitcode", type=Path, nargs="+")
    parser.add_argument("--irkiss", default="target/release/irkiss")
    parser.add_argument("--timeout", type=int, default=60, help="seconds for each run")
    parser.add_argument("--contexts", type=int, nargs="+", default=[1, 2, 3, 5])
    options = parser.parse_args()
    print("| driver | K | lazy: CPU s | terms | instructions | regions | eager: CPU s | terms | instructions | regions |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    compared, different = 0, []
    for bitcode in options.bitcode:
        for contexts in options.contexts:
            (lazy_s, lazy), (eager_s, eager) = (run(options, bitcode, contexts, way) for way in ("lazy", "eager"))
            print(f"| {bitcode.stem} | {contexts} | {cells(lazy_s, lazy)} | {cells(eager_s, eager)} |", flush=True)
            one, other = verdicts(lazy), verdicts(eager)
            both = one.keys() & other.keys()
            compared += len(both)
            different += [f"{bitcode.stem} K={contexts} {key}" for key in sorted(both) if one[key] != other[key]]
    print(f"\nRegions decided in both ways: {compared}; differently: {len(different)}.")
    for line in different:
        print(f"- {line}")


if __name__ == "__main__":
    main()
