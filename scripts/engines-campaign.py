#!/usr/bin/env python3
"""What engines promise, tried on a folder of bitcode: engines-campaign.py IRKISS BITCODE WORK [ENGINE…]

Slurm is a slurmctld, two slurmd (one processor each) and a munged of its own on loopback: as root, with the packages slurmctld, slurmd,
slurm-client and munge. HyperQueue is `hq` where there is one; otherwise its Python package (pip install hyperqueue; HQ_PYTHON names the
Python that has it) behind scripts/hq-by-package.py. GNU parallel is `parallel`.

1. a run on this machine;
2. each engine: the same content of the store, and the same report;
3. the processes of a node are killed in the middle: what began in vain, and the same content;
4. the sweep itself is killed in the middle, and runs again: the same content.
Prints a line for each; exits with 1 where two contents differ."""

import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))

SLURM = """ClusterName=irkiss
SlurmctldHost={host}(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket={top}/munge/socket
SlurmUser=root
SlurmctldPort={port}
SlurmctldPidFile={top}/slurmctld.pid
StateSaveLocation={top}/state
SlurmctldLogFile={top}/slurmctld.log
SlurmdPidFile={top}/slurmd-%n.pid
SlurmdSpoolDir={top}/spool-%n
SlurmdLogFile={top}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
SlurmdTimeout=10
ReturnToService=2
KillWait=5
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={port1} CPUs=1 RealMemory=8000
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={port2} CPUs=1 RealMemory=8000
PartitionName=long Nodes=n1,n2 Default=YES State=UP MaxTime=INFINITE
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def descendants(pid):
    """A process and all below it."""
    parents = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                parents.setdefault(int(file.read().rsplit(")", 1)[1].split()[1]), []).append(int(name))
        except OSError:
            pass
    found = [pid]
    for one in found:
        found += parents.get(one, [])
    return found


def of_shards(folder):
    """Processes that do a shard of that store."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        if b"__shard" in words and any(w.startswith(folder.encode() + b"/") for w in words):
            found.append(int(name))
    return found


def kill(pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


class Slurm:
    """Its daemons."""

    def __init__(self, top):
        self.top = top
        for name in ("munge", "state", "spool-n1", "spool-n2"):
            os.makedirs(os.path.join(top, name))
        os.chmod(top, 0o755)
        os.chmod(os.path.join(top, "munge"), 0o755)
        key = os.path.join(top, "munge.key")
        with open(key, "wb") as file:
            file.write(os.urandom(1024))
        os.chmod(key, stat.S_IRUSR)
        self.conf = os.path.join(top, "slurm.conf")
        with open(self.conf, "w") as file:
            ports = {"port": free_port(), "port1": free_port(), "port2": free_port()}
            file.write(SLURM.format(host=socket.gethostname(), top=top, **ports))
        os.environ["SLURM_CONF"] = self.conf
        munge = [f"--{name}={top}/munge/{name}" for name in ("socket", "log-file", "pid-file", "seed-file")]
        self.daemons = {"munged": self.start("munged", "--foreground", "--force", f"--key-file={key}", *munge)}
        time.sleep(1)
        self.daemons["slurmctld"] = self.start("slurmctld", "-D", "-f", self.conf)
        for node in ("n1", "n2"):
            self.node(node)
        for _ in range(60):
            if subprocess.run(["sinfo", "-h", "-o", "%D %t"], capture_output=True, text=True).stdout == "2 idle\n":
                return
            time.sleep(1)
        sys.exit(f"Slurm does not come up: look into {top}")

    def start(self, *words):
        log = open(os.path.join(self.top, words[0] + ".out"), "a")
        return subprocess.Popen(["/usr/sbin/" + words[0], *words[1:]], stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    def node(self, name):
        self.daemons[name] = self.start("slurmd", "-D", "-N", name, "-f", self.conf)

    def kill_node(self, name):
        """The daemon, and all that it has started: its jobs' keepers are no children of its."""
        keepers = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/environ", "rb") as file:
                    if f"SLURMD_NODENAME={name}".encode() in file.read().split(b"\0"):
                        keepers.append(int(pid))
            except OSError:
                pass
        def parent(pid):
            try:
                with open(f"/proc/{pid}/stat") as file:
                    return int(file.read().rsplit(")", 1)[1].split()[1])
            except OSError:
                return 0

        def is_keeper(pid):
            with open(f"/proc/{pid}/comm") as file:
                return file.read().startswith("slurmstepd")

        above = {parent(k) for k in keepers} - {0}
        kill([self.daemons[name].pid, *(p for p in above if is_keeper(p))])
        self.daemons[name].wait()
        kill(sorted({p for k in keepers for p in descendants(k)}))
        return len(keepers)

    def end(self):
        for name in ("n1", "n2", "slurmctld", "munged"):
            self.daemons[name].terminate()
            try:
                self.daemons[name].wait(timeout=10)
            except subprocess.TimeoutExpired:
                self.daemons[name].kill()


class HyperQueue:
    """Its server and two workers."""

    def __init__(self, top):
        os.makedirs(top)
        if shutil.which("hq"):
            os.environ["HQ_SERVER_DIR"] = os.path.join(top, "server")
            self.what = "hq"
            words = [["hq", "server", "start"], *[["hq", "worker", "start", "--cpus=1"]] * 2]
        else:
            python = os.environ.get("HQ_PYTHON", "python3")
            package = os.path.join(HERE, "hq-by-package.py")
            command = os.path.join(top, "bin", "hq")
            os.makedirs(os.path.dirname(command))
            with open(command, "w") as file:
                file.write(f'#!/bin/sh\nexec {python} {package} "$@"\n')
            os.chmod(command, 0o755)
            os.environ["PATH"] = os.path.dirname(command) + ":" + os.environ["PATH"]
            os.environ["HQ_DIR"] = os.path.join(top, "server")
            self.what = "hq-by-package.py"
            words = [[python, package, "serve", os.environ["HQ_DIR"], "2", "1"]]
        self.processes = []
        for one in words:
            log = open(os.path.join(top, "log"), "a")
            self.processes.append(subprocess.Popen(one, stdout=log, stderr=log, stdin=subprocess.DEVNULL))
            time.sleep(3)
        if any(p.poll() is not None for p in self.processes):
            sys.exit(f"HyperQueue does not come up: look into {top}/log")

    def end(self):
        for process in reversed(self.processes):
            process.kill()
            process.wait()


class Campaign:
    def __init__(self, irkiss, bitcode, work):
        self.irkiss, self.bitcode, self.work = irkiss, bitcode, work
        self.top = tempfile.mkdtemp(prefix="irkiss-engines-")
        self.differ = False

    def store(self, name):
        return os.path.join(self.top, name)

    def call(self, *words, **more):
        done = subprocess.run([self.irkiss, "sweep", *words], capture_output=True, text=True, **more)
        if done.returncode not in (0, 3):
            sys.exit(f"{' '.join(words)}: {done.stdout}{done.stderr}")
        return done.stdout, done.stderr

    def plan(self, name):
        self.call("plan", self.store(name), self.bitcode, "--work", self.work, "--deepest", "0")

    def said(self, name):
        """The content of a store, and what is reported but for times."""
        content = re.search(r"^content: (\w+)$", self.call("status", self.store(name), "--content")[0], re.M).group(1)
        report = self.call("report", self.store(name), "--format", "json")[0]
        report = re.sub(r'"(began|run|cpu|wall|memory|cost|seconds)[\w_]*": [^\n]*\n', "", report)
        return content, report.replace(self.store(name), "STORE")

    def compare(self, what, name, more):
        (content, report), (own, own_report) = self.said("local"), self.said(name)
        same = content == own
        self.differ |= not same
        words = "equal" if same else "DIFFERENT"
        report = "reports equal" if report == own_report else "reports differ"
        print(f"{what}: {words} ({content[:12]} {own[:12]}), {report}; {more}", flush=True)

    def run(self, what, name, *words):
        self.plan(name)
        began = time.time()
        out, err = self.call("run", self.store(name), *words)
        self.compare(what, name, f"{time.time() - began:.0f} s; {out.strip()}")
        return err

    def in_the_middle(self, what, name, words, harm):
        """Harm is done when some results are there. What is left after that is done by another run."""
        self.plan(name)
        store = self.store(name)
        log = open(os.path.join(self.top, name + ".log"), "w+")
        sweep = subprocess.Popen([self.irkiss, "sweep", "run", store, *words], stdout=log, stderr=log)
        done = 0
        while done < 2 and sweep.poll() is None:
            time.sleep(0.2)
            found = [f for _, _, files in os.walk(store) for f in files if f.endswith(".done")]
            done = len(found)
        harmed = harm(sweep, store)
        sweep.wait()
        log.seek(0)
        first = log.read().strip()
        out, _ = self.call("run", store, *words)
        self.compare(what, name, f"harmed {harmed} with {done} results there; first: {first!r}; again: {out.strip()}")

    def parallel(self):
        """GNU parallel: each part has a copy of the store."""
        self.plan("parallel")
        began = time.time()
        store = self.store("parallel")
        line = f"cp -r {store} {store}-{{}} && {self.irkiss} sweep run {store}-{{}} --shard {{}}/4 --jobs 1"
        subprocess.run(["parallel", "--will-cite", "--jobs", "2", line, ":::", *"1234"], check=True, capture_output=True)
        self.call("merge", self.store("merged"), *(f"{store}-{n}" for n in range(1, 5)))
        self.compare("GNU parallel, four parts, merged", "merged", f"{time.time() - began:.0f} s")

    def slurm(self):
        began = time.time()
        slurm = Slurm(os.path.join(self.top, "slurm"))
        print(f"Slurm comes up in {time.time() - began:.0f} s", flush=True)
        words = ("--engine", "slurm", "--shard-time", "5s")
        options = [f"--engine-option={o}" for o in ("--partition=long", "--account=me", "--mem=4G")]
        try:
            self.run("Slurm", "slurm-run", *words)
            self.run("Slurm, other shards", "slurm-other", "--engine", "slurm", "--shard-time", "30s", *options)

            def node_dies(sweep, store):
                killed = slurm.kill_node("n1")
                time.sleep(12)
                slurm.node("n1")
                return f"node n1, {killed} processes"

            self.in_the_middle("Slurm, a node dies", "slurm-node", words, node_dies)
            self.in_the_middle("Slurm, shards are killed", "slurm-shards", words, shards_die)
            self.in_the_middle("Slurm, the sweep is killed", "slurm-sweep", words, sweep_dies)
            self.in_the_middle("Slurm, Ctrl-C", "slurm-end", words, sweep_ends)
        finally:
            slurm.end()

    def hq(self):
        hq = HyperQueue(os.path.join(self.top, "hq"))
        words = ("--engine", "hq", "--shard-time", "5s")
        try:
            self.run(f"HyperQueue ({hq.what})", "hq-run", *words)
            self.in_the_middle("HyperQueue, shards are killed", "hq-shards", words, shards_die)
            self.in_the_middle("HyperQueue, the sweep is killed", "hq-sweep", words, sweep_dies)
        finally:
            hq.end()


def shards_die(sweep, store):
    pids = of_shards(store)
    kill(sorted({p for s in pids for p in descendants(s)}))
    return f"{len(pids)} shards"


def sweep_dies(sweep, store):
    sweep.kill()
    return "the sweep (SIGKILL)"


def sweep_ends(sweep, store):
    sweep.send_signal(signal.SIGINT)
    return "the sweep (SIGINT)"


def main():
    irkiss, bitcode, work, *engines = sys.argv[1:]
    campaign = Campaign(os.path.abspath(irkiss), os.path.abspath(bitcode), work)
    campaign.run("this machine", "local", "--jobs", "1")
    for engine in engines or ["parallel", "hq", "slurm"]:
        {"parallel": campaign.parallel, "hq": campaign.hq, "slurm": campaign.slurm}[engine]()
    if not campaign.differ:
        shutil.rmtree(campaign.top)
    else:
        print(f"left: {campaign.top}")
    sys.exit(1 if campaign.differ else 0)


if __name__ == "__main__":
    main()
