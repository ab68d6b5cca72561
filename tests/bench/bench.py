"""Measures a server with 10,000 pods: what each request costs it in CPU, and its memory.

    bench.py BINARY [--pods 10000]

CPU is the server's own (user and system time of the process). Gets and creates come from h2load, 16 at
a time on 4 HTTP/2 connections: a slow client would leave the server idle between two requests, and it
would be waking up that is measured. The rest comes from here.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "integration"))

NAMESPACES, NODES, CLIENTS = 20, 200, 8
TOKEN = "bench"


def pod(i):
    app = f"web-{i % 37:02d}"
    env = [{"name": "POD_NAME", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}},
           {"name": "DATABASE_URL", "value": "postgres://db.shop.svc:5432/orders?sslmode=require"}]
    return {
        "metadata": {"name": f"web-6c8f5d7b9-{i:06d}", "labels": {"app": app, "bucket": f"b{i // NAMESPACES % 100:02d}"}},
        "spec": {
            "nodeName": f"node-{(i + i // NAMESPACES) % NODES:05d}",
            "containers": [
                {"name": "app", "image": f"example.com/shop/{app}:v1.14.2", "args": [f"--shard={i}"],
                 "ports": [{"name": "http", "containerPort": 8080}], "env": env,
                 "resources": {"requests": {"cpu": "250m", "memory": "256Mi"}},
                 "volumeMounts": [{"name": "config", "mountPath": "/etc/app", "readOnly": True}]},
                {"name": "proxy", "image": "example.com/mesh/proxy:2.9.0", "env": [{"name": "MESH_ID", "value": "shop"}],
                 "volumeMounts": [{"name": "cache", "mountPath": "/var/cache"}]}],
            "volumes": [{"name": "config", "configMap": {"name": f"{app}-config"}}, {"name": "cache", "emptyDir": {}}],
            "tolerations": [
                {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
                {"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}]}}


def unnamed_pod():
    """The server names each one that is made of it."""
    body = pod(0)
    del body["metadata"]["name"]
    body["metadata"]["generateName"] = "made-"
    return body


def pods_path(i):
    return f"/api/v1/namespaces/bench-{i % NAMESPACES:03d}/pods"


class Bench:
    def __init__(self, server, pods):
        self.server, self.pods, self.rows = server, pods, []
        self.pid = server.process.pid

    def cpu_seconds(self):
        """By all threads there are; in nanoseconds, where /proc/PID/stat counts in hundredths of a second."""
        threads = pathlib.Path(f"/proc/{self.pid}/task").glob("*/schedstat")
        return sum(int(thread.read_text().split()[0]) for thread in threads) / 1e9

    def resident_mb(self):
        for line in pathlib.Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        raise AssertionError("no VmRSS")

    def run(self, count, clients, make_request):
        """`count` requests shared by `clients` connections; returns (server CPU seconds, bytes, seconds)."""
        numbers, totals, lock = iter(range(count)), [0], threading.Lock()
        failures = []

        def client():
            connection = self.server.connect(timeout=120)
            while True:
                with lock:
                    i = next(numbers, None)
                if i is None:
                    return connection.close()
                method, path, body, headers = make_request(i)
                connection.request(method, path, body=body, headers=headers)
                response = connection.getresponse()
                size = len(response.read())
                with lock:
                    totals[0] += size
                    if response.status >= 300:
                        failures.append((response.status, path))

        before, began = self.cpu_seconds(), time.monotonic()
        threads = [threading.Thread(target=client) for _ in range(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures, failures[:3]
        return self.cpu_seconds() - before, totals[0], time.monotonic() - began

    def under_load(self, what, count, goal, paths, body=None):
        self.report(what, f"{self.microseconds(count, paths, body):.0f} µs CPU", goal)

    def microseconds(self, count, paths, body=None, token=TOKEN):
        """The server's CPU for one of `count` requests that go round `paths`; POST when there is a body."""
        with tempfile.TemporaryDirectory() as directory:
            uris, data = pathlib.Path(directory, "uris"), pathlib.Path(directory, "body")
            uris.write_text("".join(f"{self.server.url}{path}\n" for path in paths))
            command = ["h2load", "-n", str(count), "-c", "4", "-m", "4", "-i", str(uris),
                       "-H", f"authorization: Bearer {token}"]
            if body:
                data.write_text(json.dumps(body))
                command += ["-d", str(data), "-H", "content-type: application/json"]
            before = self.cpu_seconds()
            output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            cpu = self.cpu_seconds() - before
        assert re.search(rf"status codes: {count} 2xx", output), output
        return cpu / count * 1e6

    def report(self, what, value, goal):
        print(f"{what:<44} {value:>18} {goal:>22}", flush=True)

    def per_request(self, what, count, goal, make_request, clients=CLIENTS):
        cpu, _, seconds = self.run(count, clients, make_request)
        self.report(what, f"{cpu / count * 1e6:.0f} µs CPU", goal)
        return count / seconds

    def per_byte(self, what, count, goal, path, headers):
        cpu, size, _ = self.run(count, 1, lambda i: ("GET", path, None, headers))
        self.report(what, f"{size / 1e6 / max(cpu, 1e-6):.0f} MB/CPU s", goal)

    def measure(self):
        json_body = {"Content-Type": "application/json"}
        for i in range(NAMESPACES):
            self.server.post("/api/v1/namespaces", {"metadata": {"name": f"bench-{i:03d}"}})
        self.run(self.pods, CLIENTS, lambda i: ("POST", pods_path(i), json.dumps(pod(i)), json_body))
        self.under_load("get pod, JSON", 40000, "≤ 50 µs",
                        [f"{pods_path(i)}/web-6c8f5d7b9-{i:06d}" for i in (n * 7 % self.pods for n in range(self.pods))])
        everything = "/api/v1/pods"
        self.per_byte("list all pods, JSON", 20, "≥ 360 MB/CPU s", everything, {})
        self.per_byte("list all pods, protobuf", 20, "", everything, {"Accept": "application/vnd.kubernetes.protobuf"})
        self.per_request("list pods of one node (1 in 200)", 500, "",
                         lambda i: ("GET", f"{everything}?fieldSelector=spec.nodeName%3Dnode-{i % NODES:05d}", None, {}))
        self.per_request("list pods by label (1 in 100)", 200, "",
                         lambda i: ("GET", f"{everything}?labelSelector=bucket%3Db{i % 100:02d}", None, {}))
        self.per_request("merge patch pod", 5000, "",
                         lambda i: ("PATCH", f"{pods_path(i)}/web-6c8f5d7b9-{i:06d}",
                                    json.dumps({"metadata": {"annotations": {"n": str(i)}}}),
                                    {"Content-Type": "application/merge-patch+json"}))
        self.report("resident after all this", f"{self.resident_mb():.0f} MB", "≤ 110 MB")

    def measure_creates(self):
        self.under_load("create pod", 4000, "≤ 250 µs", [pods_path(i) for i in range(NAMESPACES)], unnamed_pod())


def start_milliseconds(harness, args, directory):
    """From exec to the first 200 of /readyz, keys already there."""
    best = None
    for _ in range(5):
        server = harness.Server(*args, data_dir=directory)
        began = time.monotonic()
        server.start()
        took = (time.monotonic() - began) * 1000
        best = took if best is None else min(best, took)
        resident = Bench(server, 0).resident_mb()
        server.stop()
    return best, resident


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--pods", type=int, default=10000)
    args = parser.parse_args()
    os.environ["KEELSON_BINARY"] = str(pathlib.Path(args.binary).resolve())
    import harness  # after KEELSON_BINARY is set

    with tempfile.TemporaryDirectory() as directory:
        tokens = pathlib.Path(directory, "tokens.csv")
        tokens.write_text(f'{TOKEN},admin,admin,"system:masters"\n')
        flags = (f"--token-auth-file={tokens}",)
        harness.Server(*flags, data_dir=directory).start().stop()
        milliseconds, resident = start_milliseconds(harness, flags, directory)
        print(f"{'':<44} {'measured':>18} {'goal':>22}")
        print(f"{'exec to /readyz, empty store':<44} {milliseconds:>15.0f} ms {'≤ 100 ms':>22}")
        print(f"{'resident, idle, empty':<44} {resident:>15.0f} MB {'≤ 30 MB':>22}")
        with harness.Server(*flags, data_dir=directory) as server:
            Bench(server, args.pods).measure()
            server.stop()
        with harness.Server(*flags, data_dir=directory) as server:
            bench = Bench(server, args.pods)
            bench.report("resident after a restart", f"{bench.resident_mb():.0f} MB", "≤ 110 MB")
            bench.measure_creates()


if __name__ == "__main__":
    main()
