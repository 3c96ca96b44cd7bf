#!/usr/bin/env python3
"""What sweeps promise, tried on a folder of bitcode: sweep-campaign.py IRKISS BITCODE WORK KILLS SEED

1. an undisturbed sweep;
2. one that is killed (SIGKILL) so many times, at random moments, and started again each time: the stores' contents are equal;
3. three parts on three stores, merged: equal again;
4. a second night of the first without changes: what it costs beside the first;
5. how right the estimate was when a tenth of the modules was done.
Prints a table; exits with 1 where two contents differ."""

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time


def main():
    irkiss, bitcode, work, kills, seed = sys.argv[1:6]
    rng = random.Random(int(seed))
    top = tempfile.mkdtemp(prefix="irkiss-sweep-")
    store = lambda name: os.path.join(top, name)

    def call(*words, **more):
        return subprocess.run([irkiss, "sweep", *words], check=True, capture_output=True, text=True, **more).stdout

    def content(name):
        return re.search(r"^content: (\w+)$", call("status", store(name), "--content"), re.M).group(1)

    def timed(*words):
        before, began = os.times(), time.time()
        out = call(*words)
        after = os.times()
        return out, after.children_user + after.children_system - before.children_user - before.children_system, time.time() - began

    plan = ("--work", work, "--deepest", "0")
    call("plan", store("whole"), bitcode, *plan)
    _, cpu, wall = timed("run", store("whole"))
    whole = content("whole")
    status = call("status", store("whole")).split("\n")[1]
    print(f"undisturbed: {status}; {cpu:.0f} s of the processor, {wall:.0f} s")

    call("plan", store("killed"), bitcode, *plan)
    killed = 0
    while killed < int(kills):
        sweep = subprocess.Popen([irkiss, "sweep", "run", store("killed")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            sweep.wait(timeout=rng.uniform(0.02, 2 * wall / (int(kills) + 1)))
            break
        except subprocess.TimeoutExpired:
            sweep.send_signal(signal.SIGKILL)
            sweep.wait()
            killed += 1
    call("run", store("killed"))
    killed_content = content("killed")
    print(f"killed {killed} times: {'equal' if killed_content == whole else 'DIFFERENT'}")

    for part in (1, 2, 3):
        call("plan", store(f"part{part}"), bitcode, *plan)
        call("run", store(f"part{part}"), "--shard", f"{part}/3")
    call("merge", store("merged"), *(store(f"part{part}") for part in (1, 2, 3)))
    merged = content("merged")
    print(f"three parts, merged: {'equal' if merged == whole else 'DIFFERENT'}")

    _, planning, _ = timed("plan", store("whole"), bitcode, *plan)
    _, again, _ = timed("run", store("whole"))
    print(f"second night: {planning + again:.2f} s of the processor, {100 * (planning + again) / cpu:.2f} % of the first")
    shutil.rmtree(top)
    sys.exit(0 if whole == killed_content == merged else 1)


if __name__ == "__main__":
    main()
