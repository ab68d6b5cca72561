#!/usr/bin/env python3
"""Measures what the storage stack promises for many objects and many watches.

    scale.py BINARY [--loadgen PROGRAM] [--peer FOLDER] [--pods 150000] [--steps start,lists,fanout,nodes,idle,...]

start   --starts starts on a store of --pods pods: time to ready, memory against the bytes stored
lists   --lists clients at once list these pods, or --list-limit of them: what the memory grows by
fanout  --watchers watches of one namespace, --events events: CPU of the server per delivery; with --peer also
        that of the kube-apiserver and etcd in that folder, with --peer-watchers and --peer-events
nodes   an update that concerns one watch, with few watches of nodes and with --node-watchers
idle    --watchers watches that nothing happens to: memory of each

deletecollection  one request that deletes --dependents configmaps
cascade           the deletion of an owner of --dependents configmaps, in the background, in the foreground, orphaning
namespace         the deletion of a namespace of 1,000 configmaps

Without --loadgen the one in this folder is built (needs Go). CPU and memory are the server's own; times need a quiet
machine. A server of 150,000 pods takes 0.7 GB, loadgen with 100,000 watches as much again.
"""

import argparse
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import dependents

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "integration"))
sys.path.insert(0, str(HERE.parent / "conformance"))
import cluster  # noqa: E402
from compare import NO_CONTROLLERS, wait_ready  # noqa: E402

TOKEN = "scale"
MB = 1 << 20
WITHOUT_LOADGEN = {"deletecollection", "cascade", "namespace"}
# Watches without number come over few connections.
MANY_STREAMS = "--http2-max-streams-per-connection=2000"


def build_loadgen(folder):
    program = pathlib.Path(folder) / "loadgen"
    subprocess.run(["go", "build", "-o", str(program), "."], cwd=HERE / "loadgen", check=True)
    return program


def report(what, value, goal=""):
    print(f"{what:<58} {value:>16} {goal:>16}", flush=True)


class Scale:
    def __init__(self, harness, loadgen, options, folder):
        self.harness, self.loadgen, self.options, self.folder = harness, loadgen, options, pathlib.Path(folder)
        (self.folder / "tokens.csv").write_text(f'{TOKEN},admin,admin,"system:masters"\n')

    def server(self, name, controllers="--controllers=namespace-controller"):
        return self.harness.Server("--token-auth-file", str(self.folder / "tokens.csv"),
                                   "--disable-admission-plugins=ServiceAccount", controllers,
                                   MANY_STREAMS, data_dir=self.folder / name)

    @contextlib.contextmanager
    def peer(self):
        folder = self.folder / "peer"
        folder.mkdir()
        server = cluster.Upstream(pathlib.Path(self.options.peer), folder, [*NO_CONTROLLERS, MANY_STREAMS])
        try:
            wait_ready(server)
            yield server
        finally:
            server.stop()

    def load(self, server, phases, *flags):
        """The rows of a run of loadgen."""
        url, token, pids = f"https://127.0.0.1:{server.port}", TOKEN, str(server.process.pid)
        return self.load_at(url, token, pids, phases, *flags)

    def load_at(self, url, token, pids, phases, *flags):
        result = self.folder / "result.json"
        command = [str(self.loadgen), "--server", url, "--insecure", "--token", token, "--pid", pids, "--phases", phases,
                   "--json", str(result), "--streams-per-conn", "1000", "--max-time", "30m", *flags]
        ran = subprocess.run(command, capture_output=True, text=True)
        if ran.returncode != 0:
            raise SystemExit(f"loadgen failed:\n{ran.stdout[-2000:]}\n{ran.stderr[-2000:]}")
        return json.loads(result.read_text())["results"]

    def memory(self, server, field="VmRSS"):
        for line in pathlib.Path(f"/proc/{server.process.pid}/status").read_text().splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024
        raise AssertionError(f"no {field}")

    def stored_bytes(self, server):
        name = "apiserver_resource_size_estimate_bytes{"
        lines = server.get("/metrics").text.splitlines()
        return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith(name))

    def seeded(self):
        """A server that has just been started on the pods, and how long that took."""
        if not (self.folder / "pods").exists():
            with self.server("pods") as server:
                self.load(server, "seed", "--pods", str(self.options.pods), "--nodes", "5000", "--concurrency", "32")
                server.stop()
        server, began = self.server("pods"), time.monotonic()
        server.start()
        return server, time.monotonic() - began

    def start(self):
        with_pods = f"{self.options.pods:,} pods"
        for _ in range(self.options.starts):
            server, seconds = self.seeded()
            report(f"start on {with_pods}, exec to ready", f"{seconds:.2f} s", "≤ 2 s")
            resident, peak = self.memory(server), self.memory(server, "VmHWM")
            stored = self.stored_bytes(server)
            server.stop()
        report(f"stored bytes of {with_pods}", f"{stored / MB:.0f} MB")
        report("resident after the start, and at most", f"{resident / MB:.0f}, {peak / MB:.0f} MB")
        report("resident per stored byte", f"{resident / stored:.2f}", "≤ 1.5")

    def lists(self):
        server, _ = self.seeded()
        before, sizes, peak, done = self.memory(server), [], [0], threading.Event()

        def one():
            connection, size = server.connect(timeout=600), 0
            connection.request("GET", f"/api/v1/pods?limit={self.options.list_limit}")
            response = connection.getresponse()
            while data := response.read(1 << 20):
                size += len(data)
            sizes.append(size)
            connection.close()

        def watch_memory():
            while not done.wait(0.02):
                peak[0] = max(peak[0], self.memory(server))
        clients = [threading.Thread(target=one) for _ in range(self.options.lists)]
        sampler = threading.Thread(target=watch_memory)
        for thread in (sampler, *clients):
            thread.start()
        for thread in clients:
            thread.join()
        done.set()
        sampler.join()
        report(f"{self.options.lists} LISTs at once of {sizes[0] / MB:.0f} MB each add",
               f"{(peak[0] - before) / MB:.0f} MB", "≤ 200 MB")
        server.close()

    def fanout(self):
        options = self.options
        with self.server("fanout") as server:
            ours = self.measured_fanout("", options.watchers, options.events, lambda *flags: self.load(server, *flags))
        if not options.peer:
            return
        with self.peer() as server:
            pids = ",".join(str(p.pid) for p in server.processes)
            theirs = self.measured_fanout("kube-apiserver: ", options.peer_watchers or options.watchers,
                                          options.peer_events or options.events,
                                          lambda *flags: self.load_at(server.url, server.token, pids, *flags))
        report("CPU per delivery, part of kube-apiserver's", f"1/{theirs / ours:.1f}", "≤ 1/3")

    def measured_fanout(self, whose, watchers, events, load):
        rows = load("seed,watch-fanout", "--pods", "1000", "--namespaces", "1", "--nodes", "10",
                    "--watchers", str(watchers), "--events", str(events))
        row = self.judged(rows, "watch-fanout", "delivery")
        report(f"{whose}{watchers:,} watches × {events:,} events, per delivery", f"{row['serverCpuMicrosPerOp']:.2f} µs")
        return row["serverCpuMicrosPerOp"]

    def judged(self, rows, phase, unit):
        """The row of that phase, in which every event must have come once and in order."""
        row = next(r for r in rows if r["phase"] == phase and r["unit"] == unit)
        assert not row["errors"] and all(check["ok"] for check in row["checks"]), row
        return row

    def nodes(self):
        for watchers in (1000, self.options.node_watchers):
            with self.server(f"nodes-{watchers}") as server:
                rows = self.load(server, "seed,watch-node", "--pods", "2000", "--nodes", str(watchers), "--watchers",
                                 str(watchers), "--events", "2000")
                row = self.judged(rows, "watch-node", "delivery")
                report(f"an update that concerns one of {watchers:,} watches",
                       f"{row['extra']['server_cpu_ms_per_update'] * 1000:.0f} µs", "the same")

    def idle(self):
        with self.server("idle") as server:
            self.load(server, "seed", "--pods", "1000", "--nodes", "10")
            rows = self.load(server, "watch-idle", "--pods", "1000", "--nodes", "10", "--watchers", str(self.options.watchers))
            for row in rows:
                if row["phase"] == "watch-idle":
                    each = next(v for k, v in row["extra"].items() if k.startswith("bytes_per_idle_watch"))
                    report(f"an idle watch, of {self.options.watchers:,}", f"{each / 1024:.2f} KiB", "≤ 4 KiB")

    # ---- deletions

    def deleting(self, name):
        """A server on a copy of the store of dependents."""
        seeded = self.folder / "dependents"
        controllers = "--controllers=namespace-controller,garbage-collector-controller"
        if not seeded.exists():
            with self.server("dependents", controllers) as server:
                dependents.create(server, self.options.dependents)
                server.stop()
        shutil.rmtree(self.folder / name, ignore_errors=True)
        shutil.copytree(seeded, self.folder / name)
        return self.server(name, controllers)

    def timed_deletion(self, what, server, path, options, gone, goal=""):
        """Deletes, waits until it is `gone`, and reports time, CPU and memory."""
        done, peak, before = threading.Event(), [0], self.memory(server)

        def watch_memory():
            while not done.wait(0.02):
                peak[0] = max(peak[0], self.memory(server))
        sampler = threading.Thread(target=watch_memory)
        sampler.start()
        cpu, began = dependents.cpu_seconds(server.process.pid), time.monotonic()
        dependents.delete(server, path, options)
        answered = time.monotonic() - began
        dependents.wait_until(lambda: gone(server), what)
        seconds, cpu = time.monotonic() - began, dependents.cpu_seconds(server.process.pid) - cpu
        done.set()
        sampler.join()
        report(what, f"{seconds:.2f} s", goal)
        report("  answered after", f"{answered:.2f} s")
        report("  CPU", f"{cpu:.2f} s")
        report("  memory grew at most by", f"{(peak[0] - before) / MB:.0f} MB")

    def deletecollection(self):
        with self.deleting("deletecollection") as server:
            dependents.settle(server)
            self.timed_deletion(f"deletecollection of {self.options.dependents:,} configmaps", server,
                                dependents.CONFIG_MAPS, {}, dependents.none_left, "no timeout")

    def cascade(self):
        for policy, gone in (("Background", dependents.nobody_left), ("Foreground", dependents.nobody_left),
                             ("Orphan", lambda s: s.get(dependents.OWNER).status == 404)):
            with self.deleting("cascade") as server:
                dependents.settle(server)
                self.timed_deletion(f"{policy} cascade of {self.options.dependents:,} dependents", server,
                                    dependents.OWNER, {"propagationPolicy": policy}, gone)

    def namespace(self):
        with self.server("namespace", "--controllers=namespace-controller,garbage-collector-controller") as server:
            dependents.create(server, 1000)
            self.timed_deletion("deletion of a namespace of 1,000 configmaps", server, dependents.NAMESPACE, {},
                                lambda s: s.get(dependents.NAMESPACE).status == 404, "< 1 s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--loadgen")
    parser.add_argument("--peer", help="folder of kube-apiserver and etcd")
    parser.add_argument("--peer-watchers", type=int, help="if it cannot take as many")
    parser.add_argument("--peer-events", type=int)
    parser.add_argument("--starts", type=int, default=3)
    parser.add_argument("--pods", type=int, default=150_000)
    parser.add_argument("--lists", type=int, default=10)
    parser.add_argument("--list-limit", type=int, default=0, help="how many pods each LIST asks for; 0: all")
    parser.add_argument("--watchers", type=int, default=10_000)
    parser.add_argument("--events", type=int, default=1_000)
    parser.add_argument("--node-watchers", type=int, default=100_000)
    parser.add_argument("--dependents", type=int, default=100_000)
    parser.add_argument("--steps", default="start,lists,fanout,nodes,idle,deletecollection,cascade,namespace")
    parser.add_argument("--folder", help="keep the stores here, and use them again")
    options = parser.parse_args()
    os.environ["KEELSON_BINARY"] = str(pathlib.Path(options.binary).resolve())
    import harness  # after KEELSON_BINARY is set

    harness.START_SECONDS = 600
    with tempfile.TemporaryDirectory(prefix="keelson-scale-") as temporary:
        if options.folder:
            pathlib.Path(options.folder).mkdir(parents=True, exist_ok=True)
        steps = options.steps.split(",")
        loadgen = options.loadgen or (None if set(steps) <= WITHOUT_LOADGEN else build_loadgen(temporary))
        scale = Scale(harness, loadgen, options, options.folder or temporary)
        print(f"{'':<58} {'measured':>16} {'goal':>16}")
        for step in steps:
            getattr(scale, step)()


if __name__ == "__main__":
    main()
