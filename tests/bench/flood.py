#!/usr/bin/env python3
"""What others notice of one user's flood of full LISTs, on kube-apiserver + etcd and on Keelson.

    flood.py [--build build] [--only keelson|upstream] [--pods 5000] [--rate 2000] [--seconds 20] [--stalled 0] [--slow 0]

Each server in turn starts on an empty store and gets pods. Then others send small requests at a fixed, low rate: a node
renews its lease, a service account reads pods and makes config maps, and an ordinary user, whose priority level is that of
the flood, reads pods. They do it alone first, then while one ordinary user offers `--rate` lists of all pods a second,
over `--conns` connections and whether or not earlier ones are answered; the lists are JSON, gzip'd JSON and protobuf in
turn. `--stalled` of the connections never read what they asked for, `--slow` ones read 160 KB a second.

A latency counts from when the request was due. Memory is that of the server's processes: before the flood, the peak in
it, and ten seconds after. Users have certificates, the service account a token. The load is on the same cores as the server: the
flood has one thread's worth of CPU and is niced, each of the others has a process with one thread.
The goals: p99 within 5 times that of the quiet server, every lease renewed within its ten seconds, memory within 200 MB
of idle. Measure on a machine that does nothing else.
"""

import argparse
import base64
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "conformance"))
sys.path.insert(0, str(ROOT / "tests" / "integration"))
import cluster  # noqa: E402
import compare  # noqa: E402
import definitions  # noqa: E402

NAMESPACES, NODE = 10, "flood-node"
LEASE_SECONDS = 10
GOAL_RATIO, GOAL_MB = 5, 200
FLOOD_NICE = 10
RBAC = "/apis/rbac.authorization.k8s.io/v1"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"
ACCOUNTS = "/api/v1/namespaces/default/serviceaccounts"

# Name -> user and groups. The account has a token, as pods have.
USERS = {
    "flood": ("flooder", ()),
    "node": (f"system:node:{NODE}", ("system:nodes",)),
    "neighbour": ("neighbour", ()),
}
# What the others do: a name -> who, what, how often a second.
OTHERS = {
    "node renews its lease": ("node", "renew", 20),
    "service account reads a pod": ("account", "get", 100),
    "service account makes a config map": ("account", "create", 20),
    "user of the flood's level reads a pod": ("neighbour", "get", 50),
}


def resident_mb(processes, peak=False):
    field, total = "VmHWM:" if peak else "VmRSS:", 0
    for process in processes:
        for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines():
            if line.startswith(field):
                total += int(line.split()[1])
    return total / 1024


def reset_peak(processes):
    for process in processes:
        pathlib.Path(f"/proc/{process.pid}/clear_refs").write_text("5")


def credentials(server, user, groups):
    """The flags by which loadgen is that user."""
    file = server.directory / f"{user.replace(':', '-')}.kubeconfig"
    server.kubeconfig_for(file, user, groups)
    if file.read_text().lstrip().startswith("{"):
        found = json.loads(file.read_text())["users"][0]["user"]
    else:
        lines = (line.strip().lstrip("- ").partition(": ") for line in file.read_text().splitlines())
        found = {key: value for key, _, value in lines}
    paths = []
    for name in ("client-certificate", "client-key"):
        if name in found:
            paths.append(found[name])
            continue
        paths.append(file.with_suffix(f".{name}.pem"))
        paths[-1].write_bytes(base64.b64decode(found[f"{name}-data"]))
    return ["--client-cert", paths[0], "--client-key", paths[1]]


class Flooded:
    """One server, quiet and then flooded."""

    def __init__(self, label, server, options):
        self.label, self.server, self.options = label, server, options
        self.loadgen = options.build / "conformance" / "bin" / "loadgen"
        self.common = ["--server", server.url, "--insecure", "--label", label, "--namespaces", NAMESPACES,
                       "--pods", options.pods]
        self.client = definitions.ready_client(server)
        self.users = {name: credentials(server, *who) for name, who in USERS.items()}
        self.client.do("POST", ACCOUNTS, json.dumps({"metadata": {"name": "worker"}}))
        token = self.client.do("POST", f"{ACCOUNTS}/worker/token", json.dumps({"spec": {"expirationSeconds": 3600}}))
        self.users["account"] = ["--token", json.loads(token)["status"]["token"]]
        self._seed()

    def _run(self, name, phase, who, *flags, nice=0):
        """Starts loadgen; its rows are in the file of that name."""
        out = self.server.directory / f"{name}.json"
        command = ["nice", "-n", nice, self.loadgen, *self.common, *who, "--phases", phase, "--json", out, *flags]
        environment = {**os.environ, "GOMAXPROCS": "1"}
        return out, subprocess.Popen([str(part) for part in command], env=environment, stdout=subprocess.PIPE,
                                     stderr=subprocess.STDOUT, text=True)

    @staticmethod
    def _row(out, process):
        text, _ = process.communicate()
        try:
            return json.loads(out.read_text())["results"][-1]
        except (OSError, IndexError, KeyError):
            raise SystemExit(f"error: loadgen gave no row:\n{text}") from None

    def _seed(self):
        out, process = self._run("seed", "seed", ["--token", self.server.token], "--concurrency", 16, "--max-time", "600s")
        row = self._row(out, process)
        if row["errors"]:
            raise SystemExit(f"error: seeding: {row['errorSamples']}")
        everybody = [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "system:authenticated"}]
        for path, body in (
                (f"{RBAC}/clusterroles", {"metadata": {"name": "flood"}, "rules": [
                    {"verbs": ["get", "list", "create"], "apiGroups": [""], "resources": ["pods", "configmaps"]}]}),
                (f"{RBAC}/clusterrolebindings", {"metadata": {"name": "flood"}, "subjects": everybody, "roleRef": {
                    "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "flood"}}),
                (LEASES, {"metadata": {"name": NODE}, "spec": {"holderIdentity": NODE, "leaseDurationSeconds": 40}})):
            self.client.do("POST", path, json.dumps(body))

    def _others(self, when):
        """Name -> loadgen's row of the others' requests, which they send at the same time."""
        started = {}
        for name, (user, op, rate) in OTHERS.items():
            started[name] = self._run(f"{when}-{user}-{op}", "paced", self.users[user], "--op", op, "--rate", rate, "--conns", 2,
                                      "--lease", NODE, "--duration", f"{self.options.seconds}s")
        return {name: self._row(*run) for name, run in started.items()}

    def run(self):
        options, processes = self.options, self.server.processes
        self._others("warm") if options.seconds > 5 else None
        time.sleep(5)
        self.idle_mb = resident_mb(processes)
        self.quiet = self._others("quiet")
        reset_peak(processes)
        # The flood begins before the others do, and ends after them.
        flood = self._run("flood", "flood", self.users["flood"], "--rate", options.rate, "--conns", options.conns, "--stalled",
                          options.stalled, "--slow", options.slow, "--duration", f"{options.seconds + 6}s", nice=FLOOD_NICE)
        time.sleep(4)
        self.flooded = self._others("flooded")
        self.flood = self._row(*flood)
        self.peak_mb = resident_mb(processes, peak=True)
        time.sleep(10)
        self.after_mb = resident_mb(processes)


def start(label, options, directory):
    directory.mkdir()
    bin_dir = options.build / "conformance" / "bin"
    if label == "upstream":
        return cluster.Upstream(bin_dir, directory, compare.NO_CONTROLLERS)
    return cluster.Keelson(options.build / "keelson", bin_dir, directory, extra=compare.NO_CONTROLLERS)


def measure(label, options, directory):
    server = start(label, options, directory / label)
    try:
        flooded = Flooded(label, server, options)
        flooded.run()
        return flooded
    finally:
        server.stop()


def latency(row, which):
    return row["latencyMs"][which] if row.get("latencyMs") else float("nan")


def report(measured):
    labels = list(measured)
    print(f"| {'':<44} | " + " | ".join(f"{label:>28}" for label in labels) + " | goal |")
    print(f"|{'-' * 46}|" + "|".join("-" * 29 + ":" for _ in labels) + "|---|")

    def row(what, cell, goal=""):
        print(f"| {what:<44} | " + " | ".join(f"{cell(m):>28}" for m in measured.values()) + f" | {goal} |")

    for name in OTHERS:
        for which in ("p50", "p99"):
            def cell(m, name=name, which=which):
                quiet, flooded = latency(m.quiet[name], which), latency(m.flooded[name], which)
                return f"{quiet:.2f} → {flooded:.2f} ms, {flooded / quiet:.1f}×"
            row(f"{name}, {which}", cell, f"≤ {GOAL_RATIO}×" if which == "p99" else "")
        row("  slowest; failed, of them with 429", lambda m, name=name: (
            f"{latency(m.flooded[name], 'max'):.0f} ms; {m.flooded[name]['errors']}, "
            f"{m.flooded[name]['extra']['refused_429']:.0f}"),
            f"0 above {LEASE_SECONDS} s" if "lease" in name else "")
    row("lists offered a second", lambda m: f"{m.flood['extra']['offered_per_second']:,.0f}")
    row("  answered whole, refused, a second", lambda m: (
        f"{m.flood['opsPerSec']:,.1f}, {m.flood['extra']['refused_429'] / m.flood['seconds']:,.0f}"))
    row("  MB a second; flood's own CPU", lambda m: (
        f"{m.flood['mbPerSec']:,.0f}; {m.flood['clientCpuSeconds'] / m.flood['seconds']:.2f} cores"))
    row("  not sent, cut short, failed", lambda m: ", ".join(
        f"{m.flood['extra'][key]:.0f}" for key in ("held_back", "cut_short", "failed")))
    row("memory idle → peak → after, MB", lambda m: f"{m.idle_mb:,.0f} → {m.peak_mb:,.0f} → {m.after_mb:,.0f}")
    row("  more than idle, MB", lambda m: f"{m.peak_mb - m.idle_mb:,.0f}", f"≤ {GOAL_MB}")
    for label, m in measured.items():
        for sample in m.flood.get("errorSamples") or []:
            print(f"{label}: flood: {sample}")
        for name, found in m.flooded.items():
            for sample in found.get("errorSamples") or []:
                print(f"{label}: {name}: {sample[:160]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--only", choices=["upstream", "keelson"])
    parser.add_argument("--pods", type=int, default=5000)
    parser.add_argument("--rate", type=int, default=2000)
    parser.add_argument("--conns", type=int, default=40)
    parser.add_argument("--stalled", type=int, default=0)
    parser.add_argument("--slow", type=int, default=0)
    parser.add_argument("--seconds", type=int, default=20)
    options = parser.parse_args()
    options.build = options.build.resolve()
    labels = [options.only] if options.only else ["upstream", "keelson"]
    tools = ["loadgen"] + (["kube-apiserver", "etcd"] if "upstream" in labels else [])
    subprocess.run([ROOT / "tests" / "conformance" / "build.sh", options.build, *tools], check=True)
    with tempfile.TemporaryDirectory() as directory:
        report({label: measure(label, options, pathlib.Path(directory)) for label in labels})


if __name__ == "__main__":
    main()
