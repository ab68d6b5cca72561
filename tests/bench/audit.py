#!/usr/bin/env python3
"""What auditing and flow control add to a request, and what they take of a server's throughput.

    audit.py BINARY [--rounds 20]

Three servers take short turns, as in authorization.py: one without audit and flow control, and two with flow control that
record all stages of every request at the level Metadata, in the mode batch and in the mode blocking, which is the default.
Who asks is a user with a role, to whom flow control applies.

- Throughput is that of loadgen's phase `mixed`: of its requests 60 % are a get, 15 % a list of a namespace of 100 pods, 15 % a
  status patch, 5 % each a create and a delete, while 100 watches are open. Needs Go; without it, it is left out. The ratio is
  that of the time until the next request is answered; the goal is 15 %.
- For the cheapest requests, h2load's: the server's CPU for a GET of a small pod, for a create, and for twenty GETs to one
  create at the same time. What is added is the same for each request, so these ratios are the largest that there are.

A ratio is that of the two turns of a round. Measure on a machine that does nothing else.
"""

import argparse
import json
import os
import pathlib
import shutil
import tempfile
import threading
import time

import loadgen_runs
from authorization import CREATES, GETS, GROUP, RBAC, USER, USER_TOKEN, prepare, quartiles
from bench import NAMESPACES, TOKEN, pods_path, unnamed_pod

MODES = ("off", "batch", "blocking")
GOAL = 1.15


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--rounds", type=int, default=20)
    args = parser.parse_args()
    os.environ["KEELSON_BINARY"] = str(pathlib.Path(args.binary).resolve())
    import harness  # after KEELSON_BINARY is set

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "tokens.csv").write_text(f'{TOKEN},admin,admin,"system:masters"\n{USER_TOKEN},{USER},{USER}\n')
        policy = folder / "policy.json"
        policy.write_text(json.dumps({"apiVersion": "audit.k8s.io/v1", "kind": "Policy",
                                      "rules": [{"level": "Metadata"}]}))
        servers = {}
        try:
            for mode in MODES:
                flags = ["--enable-priority-and-fairness=false"] if mode == "off" else [
                    f"--audit-policy-file={policy}", f"--audit-log-mode={mode}", f"--audit-log-path={folder}/{mode}.log"]
                servers[mode] = harness.Server(f"--token-auth-file={folder}/tokens.csv", *flags,
                                               ready_client="admin").start()
            if shutil.which("go"):
                program = loadgen_runs.build(pathlib.Path(args.binary).resolve().parent)
                measure_throughput({mode: Throughput(mode, server, program, folder) for mode, server in servers.items()},
                                   args.rounds)
            else:
                print("throughput: left out, as there is no go to compile the load generator with")
            measure(servers, args.rounds)
        finally:
            for server in servers.values():
                server.close()


class Throughput:
    """One server under loadgen's mix of requests, turn by turn."""

    def __init__(self, mode, server, program, folder):
        self._mode, self._server, self._program, self._out = mode, server, program, folder / f"{mode}.json"
        allow = {"rules": [{"verbs": ["*"], "apiGroups": [""], "resources": ["pods", "pods/status"]}]}
        bind = {"roleRef": {"apiGroup": GROUP, "kind": "ClusterRole", "name": "load"},
                "subjects": [{"apiGroup": GROUP, "kind": "User", "name": USER}]}
        for kind, body in (("clusterroles", allow), ("clusterrolebindings", bind)):
            answer = server.post(f"{RBAC}/{kind}", {"metadata": {"name": "load"}, **body})
            assert answer.status == 201, answer
        self._load("seed", TOKEN)

    def _load(self, phase, token):
        return loadgen_runs.run(self._program, phase, self._out, url=self._server.url, token=token, label=self._mode,
                                pids=[self._server.process.pid], flags=["--duration", "3s", "--settle", "100ms"])

    def turn(self):
        """Microseconds until the next request is answered, and of the server's CPU for one."""
        row, = (row for row in self._load("mixed", USER_TOKEN) if row.get("variant", "").startswith("all"))
        assert not row["errors"], row
        return 1e6 / row["opsPerSec"], row["serverCpuMicrosPerOp"]


def measure_throughput(servers, rounds):
    whats = ("loadgen's mix, µs until the next is answered", "loadgen's mix, µs of CPU")
    figures = {what: {mode: [] for mode in MODES} for what in whats}
    for i in range(1 + rounds):
        for mode in MODES if i % 2 else MODES[::-1]:
            for what, figure in zip(whats, servers[mode].turn()):
                if i > 0:  # the first round warms up
                    figures[what][mode].append(figure)
    report(figures, f", goal ≤ {GOAL}")


def mixed(bench, paths, creates):
    """The server's CPU for one request of the mix, and the requests that take a second."""
    loads = [threading.Thread(target=bench.microseconds, args=args) for args in (
        (GETS, paths, None, USER_TOKEN), (GETS // 20, creates, unnamed_pod(), USER_TOKEN))]
    cpu, began = bench.cpu_seconds(), time.monotonic()
    for load in loads:
        load.start()
    for load in loads:
        load.join()
    count = GETS + GETS // 20
    return (bench.cpu_seconds() - cpu) / count * 1e6, (time.monotonic() - began) / count * 1e6


def measure(servers, rounds):
    prepared = {mode: prepare(server, bindings=100) for mode, server in servers.items()}
    creates = [pods_path(i) for i in range(NAMESPACES)]
    whats = ("get pod, µs of CPU", "create pod, µs of CPU", "mixed, µs of CPU", "mixed, µs until the next is answered")
    figures = {what: {mode: [] for mode in MODES} for what in whats}
    for i in range(rounds):
        for mode in MODES if i % 2 else MODES[::-1]:
            bench, paths = prepared[mode]
            found = (bench.microseconds(GETS, paths, token=USER_TOKEN),
                     bench.microseconds(CREATES, creates, unnamed_pod(), USER_TOKEN), *mixed(bench, paths, creates))
            for what, figure in zip(whats, found):
                figures[what][mode].append(figure)
    report(figures)


def report(figures, goal=""):
    for what, by_mode in figures.items():
        print(f"{what}: {quartiles(by_mode['off'], '.1f')} without audit and flow control")
        for mode in MODES[1:]:
            ratios = [on / off for off, on in zip(by_mode["off"], by_mode[mode])]
            print(f"  {mode:<9} {quartiles(by_mode[mode], '.1f')}, ratio {quartiles(ratios, '.3f')}{goal}")


if __name__ == "__main__":
    main()
