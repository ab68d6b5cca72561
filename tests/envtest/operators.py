#!/usr/bin/env python3
"""Lets real software do its work on a server, as local processes.

    operators.py --build DIR [--server keelson|upstream|both] [--only REGEX]

Its programs are compiled from the Go modules that suites.txt names. Each case has a server of its own, and each step
says what it has seen; the first that does not come ends the run. "both" takes kube-apiserver first and compares what
was seen. Logs are in DIR/operators/SERVER/CASE.
"""

import argparse
import difflib
import pathlib
import re
import sys

import cert_manager
import cluster_api
import metrics_server
import servers
from servers import cluster
from stage import Stage

# Name -> how its programs are made, what it does, whether the server calls its services at their endpoints.
CASES = {
    "cert-manager": (cert_manager.prepare, cert_manager.work, False),
    "metrics-server": (metrics_server.prepare, metrics_server.work, True),
    "cluster-api": (cluster_api.prepare, cluster_api.work, True),
}


def chosen_cases(only):
    """The names of those that can be had here; says why the others cannot."""
    names = [name for name in CASES if re.search(only, name)]
    if not names:
        raise SystemExit(f"error: --only {only}: none of {', '.join(CASES)}")
    missing = cluster.network.missing() if any(CASES[name][2] for name in names) else None
    if missing:
        left_out = [name for name in names if CASES[name][2]]
        names = [name for name in names if name not in left_out]
        print(f"left out: {', '.join(left_out)}, which need addresses that are not loopback's: {missing}", flush=True)
    return names


def do_work(name, which, build):
    """What was seen, line by line."""
    _, work, reachable = CASES[name]
    print(f"{name} on {which}", flush=True)
    stage = Stage(which, build, name, reachable)
    try:
        work(stage)
    finally:
        stage.stop()
    return stage.seen


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--server", choices=("keelson", "upstream", "both"), default="keelson")
    parser.add_argument("--only", default="", help="a regular expression: the cases whose names match")
    args = parser.parse_args()
    build, names = args.build.resolve(), chosen_cases(args.only)
    which = ("upstream", "keelson") if args.server == "both" else (args.server,)
    servers.build_tools(build, "kubectl", *(servers.UPSTREAM_TOOLS if "upstream" in which else ()))
    for name in names:
        CASES[name][0](build)
    if any(CASES[name][2] for name in names):
        cluster.join_network()  # from here on nothing can be downloaded
    different = []
    for name in names:
        seen = [do_work(name, server, build) for server in which]
        changes = list(difflib.unified_diff(seen[0], seen[-1], which[0], which[-1], lineterm="", n=0))
        if changes:
            print("\n".join(changes))
            different.append(name)
    for name in names:
        print(f"{' and '.join(which)}: {name} did its work" + (", not the same" if name in different else ""))
    return 1 if different or not names else 0


if __name__ == "__main__":
    sys.exit(main())
