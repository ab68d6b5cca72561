#!/usr/bin/env python3
"""What asking for permission adds to a request: GET and create by a user with a role, against --authorization-mode=AlwaysAllow.

    authorization.py BINARY [--rounds 40] [--bindings 1000]

Two servers with the same objects, roles and bindings take short turns. The ratio is the median of the ratios of the
servers' CPU for one request in the two turns of a round: what disturbs the machine for longer than a second disturbs both.
In brackets are the quartiles. The user is no administrator: one binding in each namespace, among `--bindings` others that concern
somebody else, lets them read and make pods. Measure on a machine that does nothing else; the goal is 5 %.
"""

import argparse
import os
import pathlib
import statistics
import tempfile

from bench import NAMESPACES, TOKEN, Bench, pods_path, unnamed_pod

USER, USER_TOKEN = "dev", "dev-token"
MODES = {mode: f"--authorization-mode={mode}" for mode in ("AlwaysAllow", "Node,RBAC")}
GETS, CREATES, PODS = 8000, 800, 1000
GOAL = 1.05
RBAC = "/apis/rbac.authorization.k8s.io/v1"
GROUP = "rbac.authorization.k8s.io"


def bind(server, namespace, name, user, role):
    answer = server.post(f"{RBAC}/namespaces/{namespace}/rolebindings", {
        "metadata": {"name": name}, "roleRef": {"apiGroup": GROUP, "kind": "ClusterRole", "name": role},
        "subjects": [{"apiGroup": GROUP, "kind": "User", "name": user}]})
    assert answer.status == 201, answer


def prepare(server, bindings):
    """Namespaces, pods to read, and who may do what. The names of the pods that were made."""
    bench = Bench(server, PODS)
    for i in range(NAMESPACES):
        server.post("/api/v1/namespaces", {"metadata": {"name": f"bench-{i:03d}"}})
    server.post(f"{RBAC}/clusterroles", {"metadata": {"name": "pods"}, "rules": [
        {"verbs": ["get", "list", "create"], "apiGroups": [""], "resources": ["pods"]}]})
    for i in range(bindings):
        bind(server, f"bench-{i % NAMESPACES:03d}", f"other-{i}", f"user-{i}", "view")
    for i in range(NAMESPACES):
        bind(server, f"bench-{i:03d}", "dev", USER, "pods")
    bench.microseconds(PODS, [pods_path(i) for i in range(NAMESPACES)], unnamed_pod())
    paths = []
    for i in range(NAMESPACES):
        listed = server.get(pods_path(i)).json()["items"]
        paths += [f"{pods_path(i)}/{item['metadata']['name']}" for item in listed]
    return bench, paths


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--bindings", type=int, default=1000)
    args = parser.parse_args()
    os.environ["KEELSON_BINARY"] = str(pathlib.Path(args.binary).resolve())
    compare(MODES, args.rounds, args.bindings, GOAL)


def compare(modes, rounds, bindings, goal):
    """Measures two servers, `modes` by name with the flag of each, and prints the ratio of the second to the first."""
    import harness  # after KEELSON_BINARY is set

    with tempfile.TemporaryDirectory() as directory:
        tokens = pathlib.Path(directory, "tokens.csv")
        tokens.write_text(f'{TOKEN},admin,admin,"system:masters"\n{USER_TOKEN},{USER},{USER}\n')
        servers = {mode: harness.Server(f"--token-auth-file={tokens}", flag, ready_client="admin").start()
                   for mode, flag in modes.items()}
        try:
            measure(servers, rounds, bindings, goal)
        finally:
            for server in servers.values():
                server.close()


def measure(servers, rounds, bindings, goal):
    modes = list(servers)
    prepared = {mode: prepare(server, bindings) for mode, server in servers.items()}
    creates = [pods_path(i) for i in range(NAMESPACES)]
    figures = {"get pod": {mode: [] for mode in modes}, "create pod": {mode: [] for mode in modes}}
    for i in range(rounds):
        for mode in modes if i % 2 else modes[::-1]:
            bench, paths = prepared[mode]
            figures["get pod"][mode].append(bench.microseconds(GETS, paths, token=USER_TOKEN))
            figures["create pod"][mode].append(bench.microseconds(CREATES, creates, unnamed_pod(), USER_TOKEN))
    print(f"{'µs of CPU':<12} " + " ".join(f"{mode:>24}" for mode in modes) + f" {'ratio':>24} {'goal':>8}")
    for what, by_mode in figures.items():
        ratios = [on / off for off, on in zip(*(by_mode[mode] for mode in modes))]
        cells = [quartiles(by_mode[mode], ".1f") for mode in modes] + [quartiles(ratios, ".3f")]
        print(f"{what:<12} " + " ".join(f"{cell:>24}" for cell in cells) + f" {f'≤ {goal}':>8}")


def quartiles(values, form):
    low, median, high = statistics.quantiles(values, n=4)
    return f"{median:{form}} ({low:{form}} to {high:{form}})"


if __name__ == "__main__":
    main()
