#!/usr/bin/env python3
"""Tables 1 to 4 of the STORM paper (CAV 2009) for drivers of Linux 6.1, as Markdown on standard output.

    scripts/storm-tables.py --cpu 60 --index kernel-work/bc/6.1/index.json kernel-work/bc/6.1-nopass

Everything is measured in one run, one job at a time. What is not decided when the --cpu seconds of a run are over is unknown in its
report; such a run is marked with >, and nothing is compared with it. --rows usblcd,yurex measures these rows only, --keep DIRECTORY
keeps reports and does not make again what is there (for trying things; not for what is published).
"""

import argparse
import collections
import json
import resource
import subprocess
import sys
from pathlib import Path

CONTEXTS = [1, 2, 3, 4, 5]
REMOVED = [0, 20, 40, 60, 80, 100]
# The paper's: "The number of contexts per thread is fixed to 2."
FIXED = 2

# Bitcode; a scenario (none: all pairs); the fields that have to be tracked, by hand, for table 4.
TOWER = "open_count interrupt_in_done interrupt_out_busy read_buffer_length"
ROWS = [
    ("usblcd", "", []),
    ("usblcd", "lcd_write,lcd_disconnect,lcd_write_bulk_callback", []),
    ("machzwd", "", ["zf_is_open", "__tmp in zf_write"]),
    ("pc8736x_gpio", "", ["__tmp in nsc_gpio_write"]),
    ("yurex", "", []),
    ("yurex", "yurex_write,yurex_disconnect,yurex_control_callback", []),
    ("chaoskey", "", []),
    ("dtlk", "", ["dtlk_interrogate.buf[0]"]),
    ("legousbtower", "", [f"lego_usb_tower.{name}" for name in TOWER.split()]),
]


class Run:
    """CPU seconds and the report of one run of irkiss."""

    def __init__(self, seconds, report):
        self.seconds, self.report = seconds, report
        self.stats = report["stats"]
        self.ended = not report["stopped"]

    def count(self, name):
        return self.stats.get(name, 0)

    def late(self, text):
        return text if self.ended else f"> {text}"

    def time(self):
        return self.late(f"{self.seconds:.1f}")

    def number(self, name):
        return self.late(f"{self.count(name):,}")

    def ratio(self, other, of=lambda run: run.seconds):
        """How much more than `other`, which has ended, this one took."""
        return self.late(f"{of(self) / of(other):.1f}") if other.ended and of(other) else "–"

    def times_fewer(self, other):
        """How many times fewer terms than the other."""
        own, more = self.count("terms"), other.count("terms")
        return f"{more / own:.1f}" if self.ended and other.ended and own else "–"

    def verdicts(self):
        count = collections.Counter(r["verdict"] for p in self.report["pairs"] for r in p["regions"])
        return "/".join(str(count[v]) for v in ["race", "bounded", "unknown"])

    def decided(self):
        found = {}
        for pair in self.report["pairs"]:
            for region in pair["regions"]:
                if region["verdict"] != "unknown":
                    found[pair["a"], pair["b"], region["location"]] = region["verdict"]
        return found


class Row:
    """A driver, or a scenario of one."""

    def __init__(self, options, bitcode, scenario, hand):
        self.options, self.bitcode, self.scenario, self.hand = options, bitcode, scenario, hand
        self.name = bitcode.stem + (": " + " ‖ ".join(f"`{e}`" for e in scenario.split(",")) if scenario else "")
        self.runs = {}

    def run(self, contexts, *more):
        """Each is made once."""
        more = ["--contexts", str(contexts), *more]
        key = " ".join(more)
        if key not in self.runs:
            print(self.name, key, file=sys.stderr)
            self.runs[key] = self.made(key, more)
        return self.runs[key]

    def made(self, key, more):
        options = self.options
        name = f"{self.scenario} {key}".replace("--", "").replace("/", "_")
        kept = options.keep and options.keep / self.bitcode.stem / f"{name}.json"
        if kept and kept.exists():
            return Run(*json.loads(kept.read_text()))
        command = [options.irkiss, "--jobs", "1", "--tier", options.tier, "--format", "json", "--stats", "--exit-zero", *more]
        command += ["--pair", self.scenario] if self.scenario else []
        limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (options.cpu, options.cpu + 30))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        result = subprocess.run([*command, str(self.bitcode)], capture_output=True, text=True, preexec_fn=limit)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        try:
            answer = seconds, json.loads(result.stdout)
        except ValueError:
            raise SystemExit(f"{self.bitcode}: {key}: {result.stderr.strip()[:200]}")
        if kept:
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text(json.dumps(answer))
        return Run(*answer)

    def fields(self, run):
        """Of the driver, or of the threads of the scenario."""
        own = run.count("slicing: fields") if self.scenario else 0
        return own or run.count("slicing: fields in all") or "–"

    def by_hand(self, fields, contexts):
        return self.run(contexts, "--track", ",".join(fields) or "none")


def table(head, rows):
    print(f"\n| {head} |\n|{'---|' * (head.count('|') + 1)}")
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")


def listed(items, none):
    return ", ".join(str(item) for item in items) or none


def threads_table(rows, index):
    def cells(row):
        first = row.run(1)
        fields = row.fields(row.run(FIXED, "--track", "none"))
        threads = len(row.scenario.split(",")) if row.scenario else 2
        return [row.name, index[row.bitcode.stem]["loc"], first.count("pairs"), threads, fields, first.count("switch points")]

    print("\n## Table 1: what is searched")
    print("\nLines are those of the driver's source files. #F: fields, each a map of memory of its own (fields that some access")
    print("cannot tell apart are one). #T: threads that run beside each other; #CS: places where one can be interrupted, over all pairs.")
    table("driver | lines | pairs | #T | #F | #CS", [cells(row) for row in rows])


def contexts_table(rows):
    ways = [("off", []), ("auto", ["--track", "auto"])]
    seconds, terms, instructions = [], [], []
    close, far, fewer, unlike = [], [], [], []
    for row in rows:
        for way, more in ways:
            runs = [row.run(k, *more) for k in CONTEXTS]
            first, last = runs[0], runs[-1]
            seconds.append([row.name, way, *(r.time() for r in runs), *(r.ratio(first) for r in runs[1:]), first.verdicts(), last.verdicts()])
            growth = last.ratio(first, lambda r: r.count("terms"))
            terms.append([row.name, way, *(r.number("terms") for r in runs), growth])
            growth = last.ratio(first, lambda r: r.count("instructions"))
            instructions.append([row.name, way, *(r.number("instructions") for r in runs), growth])
            within = first.ended and last.ended and last.seconds <= 3 * first.seconds
            (close if within else far).append(f"{row.name} ({way}, {last.ratio(first)})")
        for k in CONTEXTS:
            whole, sliced = (row.run(k, *more) for _, more in ways)
            if k == CONTEXTS[-1]:
                fewer.append(f"{row.name} {sliced.times_fewer(whole)}")
            one, other = whole.decided(), sliced.decided()
            unlike += [f"{row.name} K = {k} {key[2]}" for key in one.keys() & other.keys() if one[key] != other[key]]
    print("\n## Table 2: contexts for each thread")
    print("\nSlicing: all fields followed (`off`), or those that turn out to matter (`auto`). Verdicts of regions of pairs: race/bounded/unknown.")
    print(f"\n- K = 5 took more than three times K = 1, or did not end: {listed(far, 'none')}.")
    print(f"- At most three times: {listed(close, 'none')}.")
    print(f"- Terms without slicing by terms with it, K = 5 (–: one did not end): {listed(fewer, 'none')}.")
    print(f"- Regions decided differently with slicing and without: {listed(sorted(unlike), 'none')}.")
    each = lambda text: " | ".join(text.format(k) for k in CONTEXTS)
    later = " | ".join(f"{k} / 1" for k in CONTEXTS[1:])
    table(f"driver | slicing | {each('K = {}, s')} | {later} | verdicts K = 1 | K = 5", seconds)
    table(f"driver | slicing | {each('terms K = {}')} | 5 / 1", terms)
    table(f"driver | slicing | {each('instructions K = {}')} | 5 / 1", instructions)


def switches_table(rows):
    seconds, terms = [], []
    for row in rows:
        runs = [row.run(FIXED, *(["--switch-points", str(100 - n)] if n else [])) for n in REMOVED]
        races = lambda run: {key for key, verdict in run.decided().items() if verdict == "race"}
        starred = lambda run: ("*" if races(runs[0]) - races(run) else "") + run.time()
        seconds.append([row.name, *(r.count("switch points") for r in runs), *map(starred, runs)])
        terms.append([row.name, *(r.number("terms") for r in runs), *(r.verdicts() for r in runs)])
    print("\n## Table 3: switch points left out")
    print(f"\nK = {FIXED}, all fields; of a hundred switch points so many are left out, by a choice that is the same in each run and, for more,")
    print("contains that for less (`--switch-points`). `*`: some race that is found with all of them is missed.")
    each = lambda text: " | ".join(f"{text} {n} %" for n in REMOVED)
    table(f"driver | {each('#CS')} | {each('s')}", seconds)
    table(f"driver | {each('terms')} | {each('verdicts')}", terms)


def fields_table(rows):
    cells, needless = [], []
    for row in rows:
        for contexts in [FIXED, CONTEXTS[-1]]:
            whole = row.run(contexts)
            named = row.by_hand(row.hand, contexts)
            ways = [("by hand", named)] if row.hand else []
            ways += [("none" if row.hand else "none, by hand", row.run(contexts, "--track", "none"))]
            ways += [("auto", row.run(contexts, "--track", "auto"))]
            for way, run in ways:
                counts = ["fields named", "fields found to matter", "searches", "most searches for a pair", "given up"]
                counts = [run.count(f"slicing: {name}") if run.ended else "–" for name in counts]
                fewer = run.times_fewer(whole)
                cells.append([row.name, contexts, way, row.fields(run), *counts, run.time(), whole.time(), run.number("terms"), fewer, run.verdicts(), whole.verdicts()])
        named = row.by_hand(row.hand, FIXED)
        known = lambda run: (run.count("slicing: fields found to matter"), run.count("slicing: given up"))
        for field in row.hand:
            less = row.by_hand([f for f in row.hand if f != field], FIXED)
            if less.ended and known(less) <= known(named):
                needless.append(f"{row.name} `{field}`")
    print("\n## Table 4: fields")
    print("\n#F: fields. #MF: fields given by hand, chosen as few as possible; #AF: fields found to matter in addition (0 by hand: the")
    print("choice is enough). Both are counted once for the driver. #IT: searches over all pairs, and the most for one; `given up`: pairs")
    print("that were searched with all fields in the end. Pointers, locks and the models' memory are followed always. `none` begins figure 3's loop")
    print("with no field; `auto` first tries each thread by itself, and one round with everything followed. No search at all (0): what")
    print("each entry point gets to alone shows too little, so everything was followed from the beginning.\n")
    for row in rows:
        print(f"- {row.name}, by hand: {listed((f'`{f}`' for f in row.hand), 'none')}.")
    print(f"\nGiven by hand and, for all that leaving them out shows at K = {FIXED}, not needed: {listed(needless, 'none')}.")
    table("driver | K | begins with | #F | #MF | #AF | #IT | most | given up | s | s without | terms | times fewer | verdicts | without", cells)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path, help="bitcode files")
    parser.add_argument("--irkiss", default="target/release/irkiss")
    parser.add_argument("--index", type=Path, required=True, help="lines of each driver")
    parser.add_argument("--cpu", type=int, default=60, help="seconds of processor time of each run")
    parser.add_argument("--tier", default="lockset,contexts", help="tiers of each run; locks decide first, as they do by default")
    parser.add_argument("--revision", help="what irkiss was built of, if not what is checked out")
    parser.add_argument("--rows", help="of these drivers only, with commas between")
    parser.add_argument("--keep", type=Path, help="where reports are kept and found again")
    options = parser.parse_args()
    index = {entry["name"]: entry for entry in json.loads(options.index.read_text())}
    wanted = options.rows.split(",") if options.rows else [name for name, _, _ in ROWS]
    rows = [Row(options, options.directory / f"{name}.bc", scenario, hand) for name, scenario, hand in ROWS if name in wanted]
    print("# The tables of the STORM paper\n")
    print("Lahiri, Qadeer, Rakamarić: Static and precise detection of concurrency errors in systems code using SMT solvers, CAV 2009, for")
    print("drivers of Linux 6.1 (bitcode with LLVM's passes disabled). Made by\n")
    print(f"```\nmake storm-tables K=kernel-work CPU={options.cpu}\n```\n")
    print("The drivers were chosen by hand, among those of 100 to 1,100 lines that leave something to search; the first figures for K = 1 and 2")
    print("were known then. The paper's are drivers of Windows, its property the use of completed requests, in one scenario for each routine. Here")
    print("a row is all pairs of entry points of a driver, or one scenario (dispatch ‖ cancel ‖ completion), checked for data races.")
    revision = options.revision or subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    print(f"Measured: revision {revision}.")
    print(f"Seconds are processor time of one run of `irkiss --tier {options.tier} --jobs 1`, discovery and initialisation included. `>`: the {options.cpu} s")
    print("that each run may take were over, and what was open then is unknown.")
    threads_table(rows, index)
    contexts_table(rows)
    switches_table(rows)
    fields_table(rows)


if __name__ == "__main__":
    main()
