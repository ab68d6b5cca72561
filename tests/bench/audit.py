#!/usr/bin/env python3
"""What auditing adds to a request: GET and create by a user with a role, at the level Metadata, against no audit.

    audit.py BINARY [--rounds 20]

Servers take short turns, as in authorization.py; the ratio is that of their CPU for one request, all stages of it
recorded. Measure on a machine that does nothing else.
"""

import argparse
import json
import os
import pathlib
import tempfile

from authorization import CREATES, GETS, USER, USER_TOKEN, prepare, quartiles
from bench import NAMESPACES, TOKEN, pods_path, unnamed_pod

MODES = ("off", "batch", "blocking")


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
                flags = [] if mode == "off" else [f"--audit-policy-file={policy}", f"--audit-log-mode={mode}",
                                                  f"--audit-log-path={folder}/{mode}.log"]
                servers[mode] = harness.Server(f"--token-auth-file={folder}/tokens.csv", *flags,
                                               ready_client="admin").start()
            measure(servers, args.rounds)
        finally:
            for server in servers.values():
                server.close()


def measure(servers, rounds):
    prepared = {mode: prepare(server, bindings=100) for mode, server in servers.items()}
    creates = [pods_path(i) for i in range(NAMESPACES)]
    figures = {what: {mode: [] for mode in MODES} for what in ("get pod", "create pod")}
    for i in range(rounds):
        for mode in MODES if i % 2 else MODES[::-1]:
            bench, paths = prepared[mode]
            figures["get pod"][mode].append(bench.microseconds(GETS, paths, token=USER_TOKEN))
            figures["create pod"][mode].append(bench.microseconds(CREATES, creates, unnamed_pod(), USER_TOKEN))
    for what, by_mode in figures.items():
        print(f"{what}: {quartiles(by_mode['off'], '.1f')} µs of CPU")
        for mode in MODES[1:]:
            ratios = [on / off for off, on in zip(by_mode["off"], by_mode[mode])]
            print(f"  {mode:<9} {quartiles(by_mode[mode], '.1f')}, ratio {quartiles(ratios, '.3f')}")


if __name__ == "__main__":
    main()
