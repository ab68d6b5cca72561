#!/usr/bin/env python3
"""What auditing and flow control add to a request: GETs, creates and a mix of both by a user with a role.

    audit.py BINARY [--rounds 20]

Three servers take short turns, as in authorization.py: one without audit and flow control, and two with flow control that
record all stages of every request at the level Metadata, in the mode batch and in the mode blocking, which is the default.
A ratio is that of their CPU for one request in the two turns of a round; of the mix, twenty GETs to one create at the same
time, also that of the requests a second. Measure on a machine that does nothing else; the goal is 15 %.
"""

import argparse
import json
import os
import pathlib
import tempfile
import threading
import time

from authorization import CREATES, GETS, USER, USER_TOKEN, prepare, quartiles
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
                flags = ["--enable-priority-and-fairness=false"] if mode == "off" else [f"--audit-policy-file={policy}", f"--audit-log-mode={mode}",
                                                  f"--audit-log-path={folder}/{mode}.log"]
                servers[mode] = harness.Server(f"--token-auth-file={folder}/tokens.csv", *flags,
                                               ready_client="admin").start()
            measure(servers, args.rounds)
        finally:
            for server in servers.values():
                server.close()


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
    for what, by_mode in figures.items():
        print(f"{what}: {quartiles(by_mode['off'], '.1f')} without audit and flow control")
        for mode in MODES[1:]:
            ratios = [on / off for off, on in zip(by_mode["off"], by_mode[mode])]
            print(f"  {mode:<9} {quartiles(by_mode[mode], '.1f')}, ratio {quartiles(ratios, '.3f')}, goal ≤ {GOAL}")


if __name__ == "__main__":
    main()
