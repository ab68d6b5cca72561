#!/usr/bin/env python3
"""Upstream's controller manager and scheduler at work on Keelson and on kube-apiserver, for a time.

    soak.py --build BUILD_DIR [--minutes 60] [--pause 120]

Both servers get the same workloads, round after round (workloads.py). It fails when a step does not
succeed on Keelson, and when the controller manager or the scheduler logs an error there of a shape
that it does not also log on kube-apiserver. Logs stay in BUILD_DIR/conformance/soak-SERVER/.
"""

import argparse
import collections
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import time

import cluster
import workloads

HERE = pathlib.Path(__file__).resolve().parent
TOOLS = ["kubectl", "nodesim", "kube-controller-manager", "kube-scheduler", "kube-apiserver", "etcd"]
WATCHED = ("kube-controller-manager", "kube-scheduler")
# What differs from one run to the next in an error's text.
VARYING = [(re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "UID"),
           (re.compile(r"\b(web|each-minute|once|agent|db)-[a-z0-9-]+"), r"\1-POD"),
           (re.compile(r"\bround-\d+"), "round-N"), (re.compile(r"127\.0\.0\.1:\d+"), "SERVER"), (re.compile(r"\d+"), "N")]
# A controller that has not yet noticed the end of a namespace is told so, in one of several ways: which one is a
# matter of the moment. That nothing is missing before the end, the steps of a round see to.
TOO_LATE = re.compile(r"because it is being terminated|namespaces \\*\"round-N\\*\" not found|"
                      r"\bround-N/.* not found|not found\\*\".*\bround-N/")


def shapes(log):
    """How often each error was logged, without what varies; with one example of each."""
    counts, examples = collections.Counter(), {}
    for line in log.read_text(errors="replace").splitlines():
        if not re.match(r"E\d{4} ", line):
            continue
        text = line.partition("] ")[2]
        shape = text
        for pattern, name in VARYING:
            shape = pattern.sub(name, shape)
        if TOO_LATE.search(shape):
            continue
        counts[shape] += 1
        examples.setdefault(shape, line)
    return counts, examples


class Soak(threading.Thread):
    """The rounds on one server."""

    def __init__(self, clu, name, until, pause):
        super().__init__(name=name)
        self.cluster, self.until, self.pause = clu, until, pause
        self.rounds, self.failures = 0, []

    def run(self):
        while time.monotonic() < self.until:
            try:
                workloads.Round(self.cluster, f"round-{self.rounds}").run()
            except workloads.StepFailed as failure:
                self.failures.append(f"round {self.rounds}: {failure}")
            self.rounds += 1
            print(f"{self.name}: round {self.rounds} ended", flush=True)
            time.sleep(max(0, min(self.pause, self.until - time.monotonic())))
        self.cluster.check()


def new_errors(ours, theirs):
    found = []
    for name in WATCHED:
        known, _ = shapes(theirs / f"{name}.log")
        counts, examples = shapes(ours / f"{name}.log")
        found += [f"{name}: {counts[s]} times: {examples[s]}" for s in counts if s not in known]
    return found


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--pause", type=int, default=120, help="seconds between two rounds")
    options = parser.parse_args()
    options.build = options.build.resolve()
    return options


def main():
    options = parse()
    subprocess.run([HERE / "build.sh", options.build, *TOOLS], check=True)
    bin_dir = options.build / "conformance" / "bin"
    directories = {name: options.build / "conformance" / f"soak-{name}" for name in ("keelson", "upstream")}
    for directory in directories.values():
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
    until = time.monotonic() + options.minutes * 60
    # Controllers that kube-controller-manager runs are left to it.
    keelson = cluster.Keelson(options.build / "keelson", bin_dir, directories["keelson"], extra=["--controllers=-*"])
    upstream = cluster.Upstream(bin_dir, directories["upstream"])
    with cluster.Cluster(bin_dir, keelson) as ours, cluster.Cluster(bin_dir, upstream) as theirs:
        soaks = [Soak(ours, "keelson", until, options.pause), Soak(theirs, "upstream", until, options.pause)]
        for soak in soaks:
            soak.start()
        for soak in soaks:
            soak.join()
    problems = soaks[0].failures + new_errors(directories["keelson"], directories["upstream"])
    for problem in problems:
        print(f"PROBLEM {problem}")
    for failure in soaks[1].failures:
        print(f"(upstream too) {failure}")
    print(f"{options.minutes:g} minutes, {soaks[0].rounds} rounds on Keelson, {soaks[1].rounds} on kube-apiserver, "
          f"{len(problems)} problems; logs in {directories['keelson'].parent}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
