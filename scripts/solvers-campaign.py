#!/usr/bin/env python3
"""Asks both solvers every query about some bitcode (`--solver both`) and counts what each decides in the searches of pairs.

    solvers-campaign.py [--cpu SECONDS] IRKISS BITCODE...

BITCODE: files and folders. Where the two give opposite answers irkiss ends with a panic: told, and the campaign ends with 1.
"""
import argparse
import json
import pathlib
import resource
import subprocess
import sys

COUNTS = {
    "bits": "queries decided on bits",
    "bits open": "queries left open on bits",
    "z3": "queries solved by Z3",
    "z3 open": "queries unknown",
}


def counts(irkiss, file, cpu):
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (cpu, resource.RLIM_INFINITY))
    command = [irkiss, "--solver", "both", "--jobs", "1", "--stats", "--format", "json", str(file)]
    run = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit)
    try:
        stats = json.loads(run.stdout).get("stats") or {}
    except json.JSONDecodeError:
        return None
    return {short: stats.get(name, 0) for short, name in COUNTS.items()}


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--cpu", type=int, default=60)
    arguments.add_argument("irkiss")
    arguments.add_argument("bitcode", nargs="+", type=pathlib.Path)
    options = arguments.parse_args()
    files = []
    for path in options.bitcode:
        files += sorted(path.glob("**/*.bc")) if path.is_dir() else [path]
    total = dict.fromkeys(COUNTS, 0)
    broken = 0
    for file in files:
        found = counts(options.irkiss, file, options.cpu)
        if found is None:
            broken += 1
            print(f"{file}: no report")
            continue
        for name, n in found.items():
            total[name] += n
        if len(files) <= 40:
            print(f"{file.name}: " + ", ".join(f"{name} {n}" for name, n in found.items()))
    print(f"{len(files)} files, {broken} without a report: " + ", ".join(f"{name} {n}" for name, n in total.items()))
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
