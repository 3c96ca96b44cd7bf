#!/usr/bin/env python3
"""Nets over many drivers: what they prove that locks leave open, what it costs beside the lockset tier; as Markdown.

    scripts/coverability-report.py --cpu 20 --found target/reports/6.1-nopass --json target/nets kernel-work/bc/6.1-nopass

Each driver is run twice, one run at a time: `--tier lockset` and `prove`. A run gets --cpu seconds of CPU time (a soft limit, at which
irkiss reports what it has). --found is where scripts/kernel-report.py --json kept reports of searches: no region in which these found a race
may be proved, and each that is makes the exit status 1. With --json, reports are kept, and those that are there are not run again;
--runs says which of the two runs are made.
"""

import argparse
import collections
import json
import os
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import reasons as reasons_of

RUNS = {"lockset": ["--tier", "lockset"], "prove": ["prove"]}


def run(options, kind, bitcode):
    """One run: CPU seconds and the report (None if there is none)."""
    kept = options.json and options.json / kind / (bitcode.stem + ".json")
    if kept and kept.exists():
        return json.loads(kept.read_text())
    if kind not in options.runs.split(","):
        return None
    command = [options.irkiss, *RUNS[kind], "--format", "json", "--exit-zero", "--jobs", "1", "--stats", str(bitcode)]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(command, stdout=out, stderr=err, start_new_session=True)
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (options.cpu, options.cpu + 10))
        # Whoever waits takes no CPU time.
        hang = threading.Timer(20 * options.cpu + 60, os.killpg, (process.pid, signal.SIGKILL))
        hang.start()
        _, status, used = os.wait4(process.pid, 0)
        hang.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        message = err.read().decode(errors="replace").strip()[:300]
        try:
            report = json.loads(out.read())
        except ValueError:
            report = None
    record = {"seconds": used.ru_utime + used.ru_stime, "exit": process.returncode, "message": message, "report": report}
    if kept:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(record))
    return record


def regions(report):
    """Every region of every pair: ((entry points), location), and what is said of it."""
    for pair in report["pairs"]:
        for region in pair["regions"]:
            yield (*sorted((pair["a"], pair["b"])), region["location"]), region


def races(options, name):
    """What searches found: for each pair and location, whether the state was reached."""
    found = {}
    for directory in options.found:
        path = directory / f"{name}.json"
        if not path.exists():
            continue
        record = json.loads(path.read_text())
        report = record.get("report", record)
        for key, region in regions(report or {"pairs": []}):
            if region["verdict"] == "race":
                found[key] = str(path)
    return found


def figures(options, bitcode):
    records = {kind: run(options, kind, bitcode) for kind in RUNS}
    proof = records["prove"]
    if not proof:
        return None
    row = {"name": bitcode.stem, "cpu": {kind: r and r["seconds"] for kind, r in records.items()}, "message": proof["message"]}
    row["regions"] = collections.Counter()
    row["why"] = collections.Counter()
    row["against"] = []
    report = proof["report"]
    row["report"] = report is not None
    if not report:
        return row
    found = races(options, bitcode.stem)
    row["races"] = len(found)
    stats = report["stats"]
    row["stopped"] = report["stopped"]
    row["transitions"] = stats.get("net: transitions")
    row["contradicted"] = stats.get("net: proofs contradicted", 0)
    for key, region in regions(report):
        by = region["by"] if region["verdict"] == "proved" else None
        row["regions"][by or "open"] += 1
        if by == "coverability" and key in found:
            row["against"].append(key)
        if not by:
            row["why"][reasons_of.kind(region)] += 1
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bitcode", type=Path)
    parser.add_argument("--irkiss", default="target/release/irkiss")
    parser.add_argument("--cpu", type=int, default=20, help="seconds of CPU time for a run")
    parser.add_argument("--found", type=Path, nargs="*", default=[])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--runs", default="prove,lockset")
    parser.add_argument("--drivers", help="only these, with commas")
    options = parser.parse_args()
    only = set(options.drivers.split(",")) if options.drivers else None
    paths = [p for p in options.bitcode.glob("*.bc") if not only or p.stem in only]
    rows = []
    # Small ones first: what is stopped early says most then.
    for path in sorted(paths, key=lambda p: (p.stat().st_size, p.name)):
        row = figures(options, path)
        if row:
            rows.append(row)
            print(f"{row['name']}: {row['cpu']} {dict(row['regions'])}", file=sys.stderr)
    told = [r for r in rows if r["report"]]
    total = sum((r["regions"] for r in told), collections.Counter())
    helped = [r for r in told if r["regions"]["coverability"]]
    netted = [r for r in told if r["transitions"]]
    left = total["coverability"] + total["open"]
    print("# Nets over a corpus of drivers\n")
    print(f"`scripts/coverability-report.py --cpu {options.cpu}` over `{options.bitcode.name}`: {len(rows)} of {len(paths)} drivers; `prove`, one process at a time.\n")
    print(f"- without a report: {len(rows) - len(told)}; stopped by the limit: {sum(bool(r['stopped']) for r in told)}")
    print(f"- drivers with a net: {len(netted)}; in which nets prove something: {len(helped)}")
    print(f"- regions that locks leave open: {left}; of these nets prove {total['coverability']} ({100 * total['coverability'] / max(left, 1):.1f} %); locks prove {total['lockset']}")
    print(f"- races that searches found in these drivers: {sum(r['races'] for r in told)}; in a region that nets prove: {sum(len(r['against']) for r in told)}")
    print(f"- proofs that an execution contradicts (withheld): {sum(r['contradicted'] for r in told)}")
    timed = [r for r in told if r["cpu"]["lockset"]]
    for kind, rest in (("all", timed), ("neither stopped", [r for r in timed if not r["stopped"]])):
        if rest:
            both = [(r["cpu"]["lockset"], r["cpu"]["prove"]) for r in rest]
            print(f"- CPU seconds, {len(rest)} drivers ({kind}): locksets {sum(a for a, _ in both):.0f}, with nets {sum(b for _, b in both):.0f} "
                  f"(ratio {sum(b for _, b in both) / sum(a for a, _ in both):.2f}; median of the ratios {statistics.median(b / a for a, b in both):.2f})")
    print("\n| regions | drivers | open because |\n|--:|--:|---|")
    why = sum((r["why"] for r in told), collections.Counter())
    for kind, n in why.most_common(14):
        print(f"| {n} | {sum(kind in r['why'] for r in told)} | {kind} |")
    print("\n| driver | CPU s: locksets | with nets | transitions | proved by locks | by nets | open | races found |\n|---|--:|--:|--:|--:|--:|--:|--:|")
    for r in sorted(rows, key=lambda r: r["name"]):
        cpu = [f"{c:.1f}" if c else "–" for c in (r["cpu"]["lockset"], r["cpu"]["prove"])]
        if not r["report"]:
            print(f"| {r['name']} | {cpu[0]} | {cpu[1]} | {r['message'][:80]} | | | | |")
            continue
        stopped = " (stopped)" if r["stopped"] else ""
        n = r["regions"]
        print(f"| {r['name']} | {cpu[0]} | {cpu[1]}{stopped} | {r['transitions'] or '–'} | {n['lockset']} | {n['coverability']} | {n['open']} | {r['races']} |")
    against = [(r["name"], *key) for r in told for key in r["against"]]
    for name, a, b, location in against:
        print(f"\nProved and a race: {name}: {a}, {b}: {location}")
    sys.exit(bool(against))


if __name__ == "__main__":
    main()
