#!/usr/bin/env python3
"""The tables of the WHOOP paper (ASE 2015, tables I and II) for drivers, as Markdown on standard output.

    scripts/whoop-tables.py --timeout 20 --index kernel-work/bc/6.1/index.json --kernel linux-source-6.1 kernel-work/bc/6.1-nopass/nvram.bc ...

Table I: pairs of entry points, those with a candidate, regions of memory that entry points touch (shared or not), those that are
in conflict, those without a proof, and the races that the precise tier finds; beside them what the paper has of the same driver.
Table II: the lockset tier's CPU seconds, the switch points that each reduction leaves, and the precise tier's CPU seconds with
each at --ts 1 (> where the timeout ended it: what was not decided then is unknown).
With --rounds instead its right half: the CPU seconds of the search in rounds with 2, 5 and 9 context switches, with each reduction. A
run gets --cpu seconds of processor time (a soft limit, at which irkiss reports what it has).
"""

import argparse
import collections
import json
import resource
import statistics
import subprocess
import sys
from pathlib import Path

import reasons as reasons_of

REDUCTIONS = ["all", "epp", "mr"]
# Context switches, and the rounds that they take between two threads.
SWITCHES = [(2, 2), (5, 3), (9, 5)]

# The paper's table I: the name there, pairs, regions, racy pairs, racy regions (None: not given).
PAPER = {
    "nvram": ("generic_nvram", 14, 39, 7, 2),
    "pc8736x_gpio": ("pc8736x_gpio", 27, 55, 13, 6),
    "machzwd": ("machzwd", 10, 49, 6, 3),
    "ssu100": ("ssu100", 7, 27, None, None),
    "intel-mid_wdt": ("intel_scu_wd", 10, 45, 5, 1),
    "rtc-ds1286": ("ds1286", 15, 49, 5, 3),
    "dtlk": ("dtlk", 21, 53, 10, 6),
    "fs3270": ("fs3270", 15, 54, 9, 1),
    "gdrom": ("gdrom", 94, 41, 21, 2),
    "swim": ("swim", 28, 80, 15, 7),
    "nfcsim": ("intel_nfcsm", 10, 24, 10, 2),
    "ps3vram": ("ps3vram", 4, 32, 1, 1),
    "sonypi": ("sonypi", 30, 62, 19, 4),
    "8139too": ("8139too", 46, 37, 40, 4),
    "r8169": ("r8169", 192, 50, 88, 1),
}

# Drivers of other architectures, which the index of an x86 build does not have.
SOURCES = {
    "fs3270": "drivers/s390/char/fs3270.c",
    "ps3vram": "drivers/block/ps3vram.c",
    "swim": "drivers/block/swim.c",
    "gdrom": "drivers/cdrom/gdrom.c",
}


def run(options, bitcode, *more, cpu=None):
    kept = options.keep and options.keep / bitcode.stem / ("".join(more).replace("--", " ").strip() + ".json")
    if kept and kept.exists():
        return json.loads(kept.read_text())
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [options.irkiss, "--jobs", "1", "--ts", "1", "--unwind", str(options.unwind), "--format", "json", "--stats", "--exit-zero"]
    limit = cpu and (lambda: resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 30)))
    result = subprocess.run(command + list(more) + [str(bitcode)], capture_output=True, text=True, preexec_fn=limit)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    try:
        answer = seconds, json.loads(result.stdout)
    except ValueError:
        raise SystemExit(f"{bitcode}: {result.stderr.strip()[:200]}")
    if kept:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(answer))
    return answer


def ended(report):
    """Whether the time was enough."""
    regions = [r for p in report["pairs"] for r in p["regions"]]
    late = any(reasons_of.stopped(r) for r in regions)
    return not late and not report["stopped"]


def shown(cpu, done):
    return f"{cpu:.1f}" if done else f"> {cpu:.1f}"


def ratio(runs, reduction):
    """How many times as long it takes with all switch points."""
    (whole, whole_done), (cpu, done) = runs["all"], runs[reduction]
    return f"{whole / cpu:.2f}" if whole_done and done else f"> {whole / cpu:.2f}" if done else "-"


def share(part, whole):
    return f"{100 * (whole - part) / whole:.0f} %" if whole else "-"


def lines_of(options, name):
    for entry in json.loads(options.index.read_text()) if options.index else []:
        if entry["name"] == name:
            return entry["loc"]
    source = options.kernel / SOURCES[name] if options.kernel and name in SOURCES else None
    return len(source.read_bytes().splitlines()) if source and source.exists() else "-"


def regions_of(report):
    """The verdicts on each region, over all pairs."""
    locations = collections.defaultdict(set)
    for pair in report["pairs"]:
        for region in pair["regions"]:
            locations[region["location"]].add(region["verdict"])
    return locations


def of_pairs(report):
    """Pairs in all, kept apart by rules, with a candidate; regions: touched, in conflict, without a proof."""
    pairs = report["pairs"]
    apart = sum(bool(p["serialized_by"]) for p in pairs)
    candidates = sum(any(r["verdict"] != "proved" for r in p["regions"]) for p in pairs)
    locations = regions_of(report)
    stats = report["stats"]
    touched = stats.get("shared regions", 0) + stats.get("private regions", 0)
    without = {location for location, verdicts in locations.items() if verdicts != {"proved"}}
    return len(pairs), apart, candidates, touched, len(locations), without


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bitcode", type=Path, nargs="+")
    parser.add_argument("--irkiss", default="target/release/irkiss")
    parser.add_argument("--index", type=Path, help="lines of each driver: kernel-work/bc/6.1/index.json")
    parser.add_argument("--kernel", type=Path, help="the kernel's source: lines of drivers that the index does not have")
    parser.add_argument("--timeout", type=int, default=20, help="seconds of each run of a precise tier")
    parser.add_argument("--lockset-timeout", type=int, default=600, help="seconds of each run of the lockset tier")
    parser.add_argument("--unwind", type=int, default=2, help="iterations of each loop")
    parser.add_argument("--rounds", action="store_true", help="the search in rounds instead")
    parser.add_argument("--cpu", type=int, default=60, help="seconds of processor time of each search in rounds")
    parser.add_argument("--keep", type=Path, help="where reports are kept; those that are there are not made again")
    options = parser.parse_args()
    if options.rounds:
        return in_rounds(options)
    one, two = [], []
    late, shares = [], collections.defaultdict(lambda: ([], []))
    for bitcode in options.bitcode:
        name = bitcode.stem
        print(name, file=sys.stderr)
        points, precise = {}, {}
        timeout = ["--timeout", str(options.timeout)]
        for reduction in REDUCTIONS:
            more = ["--tier", "lockset", "--reduction", reduction, "--timeout", str(options.lockset_timeout)]
            seconds, report = run(options, bitcode, *more)
            points[reduction] = report["stats"].get("switch points", 0)
            cpu, checked = run(options, bitcode, "--reduction", reduction, *timeout)
            precise[reduction] = cpu, ended(checked)
        if not ended(report):
            late.append(name)
        # The last run is the one with the reduction that is the default.
        pairs, apart, candidates, touched, conflicts, open_regions = of_pairs(report)
        without = len(open_regions)
        verdicts = regions_of(checked)
        raced = sum("race" in verdicts[location] for location in open_regions)
        unknown = sum(any(r["verdict"] == "unknown" for r in p["regions"]) for p in checked["pairs"])
        unknown = f"{unknown}" if ended(checked) else f"{unknown} (cut off)"
        paper = PAPER.get(name)
        theirs = ["-"] * 4
        if paper:
            _, their_pairs, their_regions, racy_pairs, racy = paper
            theirs = [str(their_pairs), "-", str(their_regions), "-"]
            if racy is not None:
                theirs = [str(their_pairs), share(racy_pairs, their_pairs), f"{their_regions} ({racy})", share(racy, their_regions)]
                beside = pairs - apart
                for what, part, whole, theirs_open, theirs_all in [
                    ("regions proved", without, touched, racy, their_regions),
                    ("regions proved or confirmed as a race", without - raced, touched, racy, their_regions),
                    ("pairs without candidates, of those not kept apart,", candidates, beside, racy_pairs, their_pairs),
                ]:
                    ours, other = (whole - part) / whole if whole else 1, (theirs_all - theirs_open) / theirs_all
                    shares[what][ours < other].append(name)
        row = [name, lines_of(options, name), pairs, apart, candidates, share(candidates, pairs), unknown]
        row += [touched, conflicts, without, share(without, touched), raced, share(without - raced, touched), len(checked["findings"])] + theirs
        one.append(row)
        two.append(
            [name, f"{seconds:.1f}"]
            + [points[r] for r in REDUCTIONS]
            + [shown(*precise[r]) for r in REDUCTIONS]
            + [ratio(precise, r) for r in ["epp", "mr"]]
        )
    print("# The tables of the WHOOP paper\n")
    print("Deligiannis, Donaldson, Rakamarić: Fast and Precise Symbolic Analysis of Concurrency Bugs in Device Drivers, ASE 2015,")
    print("tables I and II, for those of its drivers that Linux 6.1 still has. The drivers are those of another kernel than the paper's")
    print("(4.0), and some were rewritten in between. Made by\n")
    print(f"```\nmake whoop-tables TIMEOUT={options.timeout} UNWIND={options.unwind} K=kernel-work BC=\"kernel-work/bc/6.1-nopass/nvram.bc …\"\n```\n")
    print(f"which runs the lockset tier and the precise tier (`--ts 1 --unwind {options.unwind}`, one job) once with each reduction. The bitcode has LLVM's")
    print("passes disabled; that of fs3270 is for s390, of ps3vram for powerpc64 (big-endian, with CONFIG_PPC_PS3), of swim for m68k, of gdrom for")
    print("x86 with the headers of sh, and these four are plain `-O2`.\n")
    print("## Table I\n")
    print("A pair is kept apart if a rule says that the kernel never runs its entry points beside each other. It has a candidate if locks")
    print("leave a region open. `unknown` counts the pairs with a region that is still unknown after the precise tier, which had")
    print(f"{options.timeout} s of wall time for each driver; where they were over (`cut off`), what was not decided by then is unknown. What locks")
    print("prove is decided before. `racy` counts the regions not proved on which a race was confirmed, `decided` those proved or confirmed;")
    print("the paper's tier lists candidates, true or false. Regions are all that the entry points touch, their own memory included, as")
    print("SMACK's are; here they are fields of structs and variables, and the paper has fewer of them in a large driver, so a share of fields")
    print("is no share of its regions.\n")
    table(
        "driver | lines | pairs | kept apart | with candidates | without | unknown at the end | regions | in conflict | not proved"
        " | proved | racy | decided | races found | paper: pairs | without candidates | regions (racy) | proved",
        one,
    )
    for what, (good, bad) in shares.items():
        below = f"; below it: {', '.join(bad)}" if bad else ""
        print(f"\nThe share of {what} is at least the paper's for {len(good)} of {len(good) + len(bad)} drivers{below}.")
    print("\n## Table II\n")
    print(f"CPU seconds. `>`: the {options.timeout} s of wall time that a run of the precise tier may take were over, so its time says nothing;")
    print("the ratios compare the time with ALL switch points to that with EPP and MR.\n")
    table("driver | lockset tier, s | switch points ALL | EPP | MR | precise tier ALL, s | EPP | MR | ALL/EPP | ALL/MR", two)
    print(f"\nNot ended by the lockset tier within {options.lockset_timeout} s: {', '.join(late) or 'none'}.")


def in_rounds(options):
    """The right half of table II."""
    times, points, work, answers = [], [], [], []
    late, ratios = collections.defaultdict(list), collections.defaultdict(list)
    for bitcode in options.bitcode:
        name = bitcode.stem
        runs, reports = {}, {}
        for switches, contexts in SWITCHES:
            for reduction in REDUCTIONS:
                print(name, switches, reduction, file=sys.stderr)
                more = ["--tier", "lockset,contexts", "--contexts", str(contexts), "--switches", str(switches), "--reduction", reduction]
                cpu, report = run(options, bitcode, *more, cpu=options.cpu)
                runs[switches, reduction] = cpu, ended(report)
                reports[switches, reduction] = report
                if not ended(report):
                    late[switches, reduction].append(name)
        row = [name]
        for switches, _ in SWITCHES:
            of = {r: runs[switches, r] for r in REDUCTIONS}
            row += [shown(*of[r]) for r in REDUCTIONS] + [ratio(of, r) for r in ["epp", "mr"]]
            for reduction in ["epp", "mr"]:
                if of["all"][1] and of[reduction][1]:
                    ratios[switches, reduction].append(of["all"][0] / of[reduction][0])
        times.append(row)
        stats = {key: report["stats"] for key, report in reports.items()}
        points.append([name] + [stats[2, r].get("switch points", 0) for r in REDUCTIONS])
        counts = lambda what: [stats[n, r].get(what, 0) if runs[n, r][1] else "-" for n, _ in SWITCHES for r in REDUCTIONS]
        work.append([name] + counts("terms") + counts("queries"))
        row = [name]
        for switches, _ in SWITCHES:
            found = {r: verdicts_of(reports[switches, r]) for r in REDUCTIONS}
            done = [r for r in REDUCTIONS if runs[switches, r][1]]
            differ = [r for r in done if found[r] != found[done[0]]]
            row.append(tell(found["mr"]) + (f" ({', '.join(differ)} differ)" if differ else ""))
        answers.append(row)
    print("# The right half of table II of the WHOOP paper\n")
    print("Deligiannis, Donaldson, Rakamarić: Fast and Precise Symbolic Analysis of Concurrency Bugs in Device Drivers, ASE 2015: what the")
    print("proofs by locks save a search with 2, 5 and 9 context switches. Made by\n")
    print(f"```\nscripts/whoop-tables.py --rounds --cpu {options.cpu} kernel-work/bc/6.1-nopass/nvram.bc …\n```\n")
    print("Each run is one `irkiss --tier lockset,contexts --contexts K --switches N --reduction R` with K = 2, 3 and 5 rounds, which is what")
    print(f"N = 2, 5 and 9 switches take between two threads, and {options.cpu} s of processor time (`>`: they were over). The paper's csb counts in")
    print("the same way. The lockset tier's time is part of each figure; the proofs are also what a search with ALL switch points checks no")
    print("accesses for, so ALL/EPP and ALL/MR say what is saved by leaving out switch points alone.\n")
    print("## CPU seconds\n")
    head = " | ".join(f"{n}: ALL, s | EPP | MR | ALL/EPP | ALL/MR" for n, _ in SWITCHES)
    table(f"driver | {head}", times)
    print()
    for switches, _ in SWITCHES:
        for reduction in ["epp", "mr"]:
            of = ratios[switches, reduction]
            if of:
                middle = statistics.median(of)
                print(f"- {switches} switches, ALL/{reduction.upper()}: {min(of):.2f} to {max(of):.2f}, median {middle:.2f}, of the {len(of)} drivers of which both ended.")
        over = "; ".join(f"{r.upper()}: {', '.join(late[switches, r]) or 'none'}" for r in REDUCTIONS)
        print(f"- {switches} switches, not ended: {over}.")
    print("\n## Switch points\n")
    table("driver | ALL | EPP | MR", points)
    print("\n## Terms and queries\n")
    table("driver | " + " | ".join(f"{what} {n} {r.upper()}" for what in ["terms", "queries"] for n, _ in SWITCHES for r in REDUCTIONS), work)
    print("\n## Verdicts\n")
    print("Regions of pairs: race/bounded/proved/unknown, with MR; whether the other reductions that ended say something else.\n")
    table("driver | " + " | ".join(f"{n} switches" for n, _ in SWITCHES), answers)


def verdicts_of(report):
    return {(p["a"], p["b"], r["location"]): r["verdict"] for p in report["pairs"] for r in p["regions"]}


def tell(verdicts):
    count = collections.Counter(verdicts.values())
    return "/".join(str(count[v]) for v in ["race", "bounded", "proved", "unknown"])


def table(head, rows):
    print(f"| {head} |\n|{'---|' * (head.count('|') + 1)}")
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")


if __name__ == "__main__":
    main()
