#!/usr/bin/env python3
"""The words of `hq` that irkiss says, over HyperQueue's Python package: server, scheduler and workers are HyperQueue's own, the command line is
not (the package has none). For scripts/engines-campaign.py, where there is no `hq`.

hq-by-package.py serve DIR WORKERS CORES            a server with workers, until it is killed
HQ_DIR=DIR hq --output-mode=json submit …           as `hq` does, with --array=0-N and a program; other options are passed over
HQ_DIR=DIR hq --output-mode=json job info ID        a task that has not ended is `running`: the package does not tell more
HQ_DIR=DIR hq --output-mode=json job cancel ID      the package cannot: an error"""

import json
import os
import signal
import sys

from hyperqueue import Client, Job
from hyperqueue.cluster import LocalCluster, WorkerConfig


def serve(folder, workers, cores):
    os.makedirs(folder, exist_ok=True)
    cluster = LocalCluster(folder)
    for _ in range(int(workers)):
        cluster.start_worker(WorkerConfig(cores=int(cores)))
    with open(os.path.join(folder, "server"), "w") as file:
        file.write(str(cluster.cluster.server_dir))
    signal.pause()


class Enough(Exception):
    pass


def client():
    with open(os.path.join(os.environ["HQ_DIR"], "server")) as file:
        return Client(file.read())


def submit(words):
    array = next(w for w in words if w.startswith("--array="))
    first, last = map(int, array.removeprefix("--array=").split("-"))
    assert first == 0
    program = words[words.index("--") + 1 :]
    job = Job(max_fails=None)
    for _ in range(last + 1):
        job.program(program, stdout=None, stderr=None)
    print(json.dumps({"id": client().submit(job).id}))


def info(number):
    seen = {}

    def callback(jobs):
        seen.update(jobs)
        raise Enough

    connection = client().connection
    failed = {}
    try:
        connection.wait_for_jobs([number], callback)
    except BaseException:
        pass
    stats = seen.get(number) or {}
    over = bool(stats.get("completed", True))
    if over:
        failed = connection.get_failed_tasks([number]).get(number, {})
    tasks = []
    for n in range(stats.get("total", 0)):
        task = {"id": n, "state": "finished" if over else "running"}
        if n in failed:
            task.update(state="failed", error=failed[n].error)
        tasks.append(task)
    print(json.dumps([{"info": {"id": number}, "tasks": tasks}]))


def main():
    words = [w for w in sys.argv[1:] if not w.startswith("--output-mode")]
    if words[0] == "serve":
        serve(*words[1:])
    elif words[0] == "submit":
        submit(words[1:])
    elif words[:2] == ["job", "info"]:
        info(int(words[2]))
    else:
        sys.exit("hq: error: the package has no command for: " + " ".join(words))


if __name__ == "__main__":
    main()
