#!/usr/bin/env python3
"""What irkiss says of many drivers: runs it over bitcode files and writes one Markdown table.

    scripts/kernel-report.py kernel-work/bc/6.1-nopass kernel-work/bc/6.1
    scripts/kernel-report.py --cpu 20 --drivers yurex,dtlk --json target/reports DIRECTORY...

Every directory is one form of the corpus. A run gets --cpu seconds of CPU time (a soft limit, at which irkiss reports what it has)
and 30 more until it is killed (or twenty times as long on the clock): what takes two seconds more than it may counts as late. With --json the reports are kept, and those
that are there are not run again.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import re
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import reasons as reasons_of


def asm_sites(bitcode):
    """Calls of inline assembly in the input, None without llvm-dis."""
    try:
        text = subprocess.run(["llvm-dis-22", "-o", "-", bitcode], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    return len(re.findall(r"^ .*\b(?:call|callbr)\b[^@\n]*\basm\b", text, re.MULTILINE))


def run(options, directory, bitcode):
    """One run: the report (None if there is none), and what the machine says of it."""
    kept = options.json and options.json / directory.name / (bitcode.stem + ".json")
    if kept and kept.exists():
        return json.loads(kept.read_text())
    command = [options.irkiss, "--format", "json", "--exit-zero", "--jobs", "1", "--stats", str(bitcode)]
    with tempfile.TemporaryFile() as out_file, tempfile.TemporaryFile() as err_file:
        process = subprocess.Popen(command, stdout=out_file, stderr=err_file, start_new_session=True)
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (options.cpu, options.cpu + 30))
        # Whoever waits takes no CPU time.
        hang = threading.Timer(20 * options.cpu + 60, os.killpg, (process.pid, signal.SIGKILL))
        hang.start()
        _, status, used = os.wait4(process.pid, 0)
        hang.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        out_file.seek(0)
        err_file.seek(0)
        out, err = out_file.read(), err_file.read()
    # Of the process and of its child, whose share is small and has a limit of its own.
    seconds = used.ru_utime + used.ru_stime
    try:
        report = json.loads(out)
    except ValueError:
        report = None
    record = {
        "form": directory.name,
        "driver": bitcode.stem,
        "exit": process.returncode,
        "seconds": seconds,
        "late": seconds > options.cpu + 2,
        "message": err.decode(errors="replace").strip()[:300],
        "asm sites": asm_sites(str(bitcode)),
        "report": report,
    }
    if kept:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(record))
    return record


def figures(record):
    """The figures of one run that has a report."""
    report = record["report"]
    pairs = report["pairs"]
    excluded = [p for p in pairs if p["serialized_by"]]
    nothing = [p for p in pairs if not p["serialized_by"] and p["nothing_shared"]]
    checked = [p for p in pairs if not p["serialized_by"] and not p["nothing_shared"]]
    regions = collections.Counter(r["verdict"] for p in pairs for r in p["regions"])
    shares = []
    for pair in checked:
        sites = pair["reachable_sites"]
        total = sites["a"][1] + sites["b"][1]
        if total:
            shares.append((sites["a"][0] + sites["b"][0]) / total)
    reasons = collections.Counter(reasons_of.kind(r) for p in pairs for r in p["regions"] if r["verdict"] == "unknown")
    lost = any("never succeeds" in note for note in report["notes"])
    return {
        "entries": len(report["entry_points"]),
        "pairs": (len(checked), len(excluded), len(nothing)),
        "regions": regions,
        "reachable": statistics.median(shares) if shares else None,
        "state": "lost" if lost else "reached" if shares or regions["race"] or regions["bounded"] else "–",
        "asm": sum(report["unmodelled"]["asm"].values()),
        "externals": report["unmodelled"]["externals"],
        "reasons": reasons,
        "stopped": report["stopped"],
        "findings": len(report["findings"]),
        "not replayed": report["not_replayed"],
    }


def percent(part, whole):
    return f"{100 * part / whole:.0f} %" if whole else "–"


def table(records):
    """One line per driver."""
    lines = [
        "| driver | entry points | pairs checked/excluded/nothing shared | race | bounded | proved | unknown | reachable | state | asm | externals | s | ends |",
        "|---|--:|---|--:|--:|--:|--:|--:|---|--:|--:|--:|---|",
    ]
    for record in records:
        if not record["report"]:
            message = record["message"].replace("|", "\\|").replace("\n", " ")
            lines.append(f"| {record['driver']} | | | | | | | | | | | {record['seconds']:.0f} | exit {record['exit']}: {message} |")
            continue
        f = figures(record)
        regions = " | ".join(str(f["regions"][v]) for v in ("race", "bounded", "proved", "unknown"))
        reachable = "–" if f["reachable"] is None else f"{100 * f['reachable']:.0f} %"
        ends = f["stopped"] or "by itself"
        if record["late"]:
            ends += ", late"
        lines.append(
            f"| {record['driver']} | {f['entries']} | {'/'.join(map(str, f['pairs']))} | {regions} | {reachable} | {f['state']} "
            f"| {f['asm']} | {sum(f['externals'].values())} | {record['seconds']:.1f} | {ends} |"
        )
    return lines


def summary(form, records):
    """What holds of one form as a whole."""
    reported = [(r, figures(r)) for r in records if r["report"]]
    crashed = [r["driver"] for r in records if not r["report"]]
    late = [r["driver"] for r in records if r["late"]]
    stopped = [r["driver"] for r, f in reported if f["stopped"]]
    started = [f["state"] for _, f in reported if f["state"] != "–"]
    shares = [f["reachable"] for _, f in reported if f["reachable"] is not None]
    asm = sum(f["asm"] for _, f in reported)
    asm_all = sum(r["asm sites"] or 0 for r, _ in reported)
    reasons, drivers, externals = collections.Counter(), collections.Counter(), collections.Counter()
    regions = collections.Counter()
    for _, f in reported:
        reasons.update(f["reasons"])
        drivers.update(f["reasons"].keys())
        externals.update(f["externals"].keys())
        regions.update(f["regions"])
    checked, excluded, nothing = (sum(f["pairs"][n] for _, f in reported) for n in range(3))
    names = lambda found: ": " + ", ".join(found) if found else ""
    lines = [
        f"## {form}: summary",
        "",
        f"- {len(records)} drivers; {len(crashed)} without a report{names(crashed)}; "
        f"{len(late)} more than two seconds over their time{names(late)}",
        f"- {len(stopped)} stopped by the limit{names(stopped)}",
        f"- pairs: {checked} checked, {excluded} that exclude each other, {nothing} that share nothing",
        "- regions: " + ", ".join(f"{n} {v}" for v, n in sorted(regions.items())),
        f"- findings: {sum(f['findings'] for _, f in reported)}, schedules not confirmed: {sum(f['not replayed'] for _, f in reported)}",
        f"- started from the state that initialisation leaves: {started.count('reached')} of the {len(started)} drivers of which that is "
        f"known ({percent(started.count('reached'), len(started))}); of {started.count('lost')} initialisation never succeeds",
        f"- reachable sites of the checked pairs, median of the drivers: {percent(statistics.median(shares), 1) if shares else '–'}",
        f"- inline assembly without a model: {asm} of {asm_all} sites ({percent(asm, asm_all)})",
        "",
        "| reason of unknown | regions | drivers |",
        "|---|--:|--:|",
    ]
    for reason, count in reasons.most_common(40):
        lines.append(f"| {reason} | {count} | {drivers[reason]} ({percent(drivers[reason], len(reported))}) |")
    lines += ["", "Functions that got the default, with the drivers that call them: "]
    lines += [", ".join(f"{name} {count}" for name, count in externals.most_common(60)) + ".", ""]
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", nargs="+", type=Path, help="bitcode files, one directory for each form")
    parser.add_argument("--irkiss", default=os.environ.get("IRKISS", "target/release/irkiss"))
    parser.add_argument("--cpu", type=int, default=60, help="seconds of CPU time for one driver")
    parser.add_argument("--jobs", type=int, default=1, help="drivers at a time")
    parser.add_argument("--drivers", help="only these, with commas between")
    parser.add_argument("--json", type=Path, help="where the reports are kept")
    parser.add_argument("--note", help="a line for the report: the circumstances")
    parser.add_argument("--output", type=Path, default=Path("docs/kernel-report.md"))
    options = parser.parse_args()
    wanted = options.drivers and set(options.drivers.split(","))

    lines = ["# irkiss on drivers of the kernel", "", "Written by `scripts/kernel-report.py`:", "", "```"]
    jobs = f" --jobs {options.jobs}" if options.jobs > 1 else ""
    names = " ".join(f"kernel-work/bc/{d.name}" for d in options.directory)
    lines += [f"scripts/kernel-report.py --cpu {options.cpu}{jobs} {names}", "```", ""]
    if options.note:
        lines += [options.note, ""]
    lines += ["Seconds are CPU time and depend on the machine. `state`: whether the pairs started from the state that"]
    lines += ["initialisation leaves; – where nothing was executed. `asm`, `externals`: call sites without a model of their own.", ""]
    details = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for directory in options.directory:
            files = [p for p in sorted(directory.glob("*.bc")) if not wanted or p.stem in wanted]
            records = list(pool.map(lambda p, d=directory: run(options, d, p), files))
            lines += summary(directory.name, records)
            details += [f"## {directory.name}: drivers", ""] + table(records) + [""]
    cpu = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{cpu.ru_utime + cpu.ru_stime:.0f} CPU seconds", file=sys.stderr)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text("\n".join(lines + details).rstrip() + "\n")


if __name__ == "__main__":
    main()
