#!/usr/bin/env python3
"""Measures Keelson and kube-apiserver + etcd with the same load, each alone, and writes the ratios.

    compare.py --build BUILD_DIR [--quick] [--output docs/performance.md]

Each server in turn starts on an empty store, goes through the phases of loadgen, and is started
again on what it holds by then. --quick shows that everything works; its figures mean nothing.
"""

import argparse
import datetime
import http.client
import json
import pathlib
import re
import shutil
import ssl
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "conformance"))
import cluster  # noqa: E402
import scoreboard  # noqa: E402

PHASES = ("idle,seed,get,list-all,list-gzip,list-label,list-field,list-meta,list-table,watchlist,watch-fanout,watch-node,"
          "create,update,patch-merge,patch-strategic,apply,delete,mixed,seed-cr:max-time=20s,list-cr:list-count=100")
LEAST_CPU_SECONDS = 0.2  # CPU is counted in ticks of 10 ms
FULL = ["--namespaces", "20", "--pods", "10000", "--nodes", "200", "--watchers", "500", "--crs", "2000", "--duration", "3s",
        "--list-count", "10", "--list-concurrency", "2", "--writes", "1000", "--events", "200", "--settle", "2s",
        "--max-time", "60s"]
QUICK = ["--namespaces", "4", "--pods", "200", "--nodes", "10", "--watchers", "10", "--crs", "100", "--duration", "300ms",
         "--list-count", "2", "--writes", "50", "--events", "20", "--settle", "100ms", "--max-time", "30s"]
# Nobody makes service accounts for kube-apiserver here, so pods of both must do without.
NO_CONTROLLERS = ["--disable-admission-plugins", "ServiceAccount"]


class Row:
    """One line of the table. `read` takes the figure from a server's measurements; None: not measured."""

    def __init__(self, work, unit, goal, goal_ratio, read, more_is_better=False):
        self.work, self.unit, self.goal, self.goal_ratio = work, unit, goal, goal_ratio
        self.read, self.more_is_better = read, more_is_better

    def line(self, peer, ours):
        a, b = self.read(peer), self.read(ours)
        ratio = "" if not a or not b else f"{(b / a if self.more_is_better else a / b):.1f}×"
        return (f"| {self.work} | {self.number(a)} | {self.number(b)} | {ratio} | {self.number(self.goal)} "
                f"| {self.goal_ratio}× |")

    def number(self, value):
        if value is None:
            return "–"
        return f"{value:,.0f} {self.unit}" if value >= 20 else f"{value:.2g} {self.unit}"


def row_of(m, phase, variant):
    """The first row of a phase whose variant begins so, if all of it was answered rightly."""
    for r in m["load"]["results"]:
        if r["phase"] == phase and r.get("variant", "").startswith(variant):
            right = not r["errors"] and r["ops"] and all(c["ok"] for c in r.get("checks") or [])
            return r if right else None
    return None


def cpu(phase, variant="", per=1.0):
    def read(m):
        r = row_of(m, phase, variant)
        return r and r["serverCpuMicrosPerOp"] / per
    return read


def megabytes_per_cpu_second(phase, variant):
    def read(m):
        r = row_of(m, phase, variant)
        return r and r["serverCpuSeconds"] and r["bytes"] / 1e6 / r["serverCpuSeconds"]
    return read


def extra(phase, variant, key):
    def read(m):
        r = row_of(m, phase, variant)
        return r and (r.get("extra") or {}).get(key)
    return read


def rate(phase, variant):
    def read(m):
        r = row_of(m, phase, variant)
        return r and r["opsPerSec"]
    return read


# The goals are what a server near the limits of the machine would need; see docs/testing.md.
ROWS = [
    Row("start, exec to `/readyz` 200, empty store", "ms", 50, 50, lambda m: m["ready_ms"]),
    Row("resident, idle, empty", "MB", 20, 15, lambda m: m["empty_mb"]),
    Row("resident, 10,000 pods after a restart", "MB", 70, 10, lambda m: m["restarted_mb"]),
    Row("resident after the whole run", "MB", 140, 12, lambda m: m["final_mb"]),
    Row("idle watch", "KB each", 4, 14, lambda m: m["idle_watch_kb"]),
    Row("GET one pod, JSON", "µs", 15, 65, cpu("get", "json")),
    Row("LIST all, JSON", "MB/CPU s", 700, 20, megabytes_per_cpu_second("list-all", "json"), True),
    Row("LIST all, protobuf", "MB/CPU s", 1000, 14, megabytes_per_cpu_second("list-all", "proto"), True),
    Row("LIST all, gzip JSON", "ms", 60, 9, cpu("list-gzip", per=1000)),
    Row("LIST, label selector matching 1 %", "ms", 0.3, 40, cpu("list-label", per=1000)),
    Row("LIST, spec.nodeName", "ms", 0.25, 20, cpu("list-field", per=1000)),
    Row("LIST, PartialObjectMetadata", "ms", 25, 13, cpu("list-meta", per=1000)),
    Row("LIST, Table", "ms", 50, 11, cpu("list-table", per=1000)),
    Row("watch list, JSON", "ms", 60, 20, cpu("watchlist", "json", per=1000)),
    Row("watch list, protobuf", "ms", 25, 20, cpu("watchlist", "proto", per=1000)),
    Row("watch delivery", "µs", 4, 12, cpu("watch-fanout", "json")),
    Row("update seen by one of the nodeName watches", "ms", 0.2, 25,
        extra("watch-node", "json", "server_cpu_ms_per_update")),
    Row("create pod", "µs", 130, 20, cpu("create")),
    Row("PUT", "µs", 200, 20, cpu("update")),
    Row("merge patch", "µs", 200, 20, cpu("patch-merge")),
    Row("strategic status patch", "µs", 200, 20, cpu("patch-strategic")),
    Row("server-side apply, first", "µs", 300, 20, cpu("apply", "first")),
    Row("server-side apply, again", "µs", 300, 20, cpu("apply", "again")),
    Row("delete pod", "µs", 180, 20, cpu("delete")),
    Row("create custom resource (1 KB)", "µs", 110, 20, cpu("seed-cr")),
    Row("LIST custom resources, JSON", "MB/CPU s", 1000, 40, megabytes_per_cpu_second("list-cr", "json"), True),
    Row("mixed, 100 watches", "requests/s", 3000, 20, rate("mixed", "all"), True),
]


class Measurement:
    """One server under load, from its first start to its last stop."""

    def __init__(self, label, directory, loadgen, options):
        self.label, self.directory, self.loadgen, self.options = label, directory, loadgen, options

    def run(self, sizes=None):
        self.sizes = sizes or (QUICK if self.options.quick else FULL)
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)
        self.measure_start()
        server = self.start()
        time.sleep(2)
        self.load(server, getattr(self.options, "phases", None) or PHASES, "load")
        server.stop()
        server = self.start()
        time.sleep(2)
        # The resident memory of a Go program does not grow with its watches: they fit into garbage that was not
        # given back. Its heap after a collection does.
        self.load(server, "watch-idle", "idle", *(["--go-heap"] if self.label == "upstream" else []))
        server.stop()

    def measure_start(self):
        """Exec to ready, on an empty store. The first start makes the keys; the second is an ordinary one."""
        for _ in range(2):
            server = self.start()
            server.stop()
        (self.directory / "start.json").write_text(json.dumps({"ready_ms": server.ready_ms}))

    def values(self):
        """What the last run left: for the table, see ROWS."""
        load, idle, start = (json.loads((self.directory / f"{name}.json").read_text()) for name in ("load", "idle", "start"))
        watches = row_of({"load": idle}, "watch-idle", "open")
        extra = (watches or {}).get("extra", {})
        live = extra.get("live_bytes_per_idle_watch")
        per_watch = [live] if live else [v for k, v in extra.items() if k.startswith("bytes_per_idle_watch_")]
        return {"load": load, **start, "empty_mb": resident_mb(load["results"][0], "rssBefore"),
                "final_mb": resident_mb([r for r in load["results"] if r.get("procs")][-1], "rssAfter"),
                "restarted_mb": resident_mb(idle["results"][0], "rssBefore"),
                "idle_watch_kb": sum(per_watch) / 1024 if per_watch else None}

    def start(self):
        bin_dir = self.loadgen.parent
        if self.label == "upstream":
            server = cluster.Upstream(bin_dir, self.directory, NO_CONTROLLERS)
        else:
            server = cluster.Keelson(self.options.build / "keelson", bin_dir, self.directory, extra=NO_CONTROLLERS)
        wait_ready(server)
        return server

    def load(self, server, phases, name, *more):
        out = self.directory / f"{name}.json"
        command = [self.loadgen, "--server", server.url, "--insecure", "--token", server.token, "--label", self.label,
                   "--pid", ",".join(str(p.pid) for p in server.processes), "--phases", phases, "--json", out,
                   *self.sizes, *more]
        subprocess.run([str(c) for c in command])  # a phase that fails is missing in the table; the rest counts


def wait_ready(server):
    """Sets server.ready_ms, counted from when its process was started."""
    host, port = server.url.removeprefix("https://").split(":")
    context = ssl._create_unverified_context()
    while True:
        server.server.check()
        try:
            connection = http.client.HTTPSConnection(host, int(port), context=context, timeout=5)
            connection.request("GET", "/readyz", headers={"Authorization": f"Bearer {server.token}"})
            if connection.getresponse().status == 200:
                server.ready_ms = (time.monotonic() - server.server.began) * 1000
                return
        except OSError:
            pass
        time.sleep(0.002)


def resident_mb(row, when):
    return sum(p[when] for p in row["procs"]) / 1e6


def document(peer, ours, versions, notes):
    failures = [f"- {m['load']['label']}: {' '.join(f.split())[:160]}"
                for m in (peer, ours) for f in m["load"].get("failures") or []]
    lines = ["# Performance", "",
             "Written by `make bench PEER=upstream`: the load of `tests/bench/loadgen` on kube-apiserver + etcd and on Keelson, one",
             "after the other on one machine, the load on the same machine. Times are CPU time of the",
             "server's processes per operation (kube-apiserver and etcd together). Absolute figures shift from machine to machine;",
             "the ratios say more. A dash: the server does not do that yet, or not rightly, so there is no figure.",
             "An idle watch is counted in resident memory for Keelson, in live memory after a collection for kube-apiserver.", "",
             f"- Date: {datetime.date.today().isoformat()}", f"- Machine: {scoreboard.machine()}, {cpu_model()}",
             *(f"- {name}: {version}" for name, version in versions.items()),
             "- Population: 10,000 pods of 3.7 KB in 20 namespaces on 200 node names, 500 watches, loops of 3 s",
             f"- Other work on the machine took {disturbance(peer):.0f} % of its CPU while kube-apiserver was measured, "
             f"{disturbance(ours):.0f} % while Keelson was. Above 5 % the figures are provisional, those of wall time (start, requests/s) most.", "",
             "| work | kube-apiserver + etcd | Keelson | ratio | goal | goal ratio |", "|---|---|---|---|---|---|"]
    lines += [row.line(peer, ours) for row in ROWS]
    short = [f"{r['phase']} {r.get('variant', '')} ({m['load']['label']})" for m in (peer, ours) for r in m["load"]["results"]
             if r["ops"] and 0 < r["serverCpuSeconds"] < LEAST_CPU_SECONDS]
    if short:
        lines += ["", f"Measured with less than {LEAST_CPU_SECONDS} s of CPU, so badly: {', '.join(short)}."]
    if notes:
        lines += ["", "About this run:", "", *(f"- {note}" for note in notes)]
    if failures:
        lines += ["", "Phases that failed:", "", *failures]
    return "\n".join(lines) + "\n"


def disturbance(m):
    """The share of the machine that others took while the rows were measured."""
    rows = m["load"]["results"]
    others = sum(r["otherCpuSeconds"] + r["stolenCpuSeconds"] for r in rows)
    return 100 * others / (sum(r["seconds"] for r in rows) * m["load"]["host"]["cpus"])


def cpu_model():
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return "unknown processor"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", choices=["upstream", "keelson"], help="measure one; the other's last figures stay")
    parser.add_argument("--table", action="store_true", help="measure nothing; make the table of the last figures again")
    parser.add_argument("--note", action="append", default=[], help="something the reader must know about this run")
    parser.add_argument("--output", type=pathlib.Path)
    options = parser.parse_args()
    options.build = options.build.resolve()
    bin_dir = options.build / "conformance" / "bin"
    subprocess.run([ROOT / "tests" / "conformance" / "build.sh", options.build, "kube-apiserver", "etcd", "loadgen"], check=True)
    versions = {"Keelson": scoreboard.version_of(options.build / "keelson", "version"),
                "kube-apiserver": scoreboard.version_of(bin_dir / "kube-apiserver", "--version"),
                "etcd": scoreboard.version_of(bin_dir / "etcd", "--version"), "Compiler": compiler(options.build)}
    measurements = [Measurement(label, options.build / "bench" / label, bin_dir / "loadgen", options)
                    for label in ("upstream", "keelson")]
    for measurement in measurements:
        if options.only in (None, measurement.label) and not options.table:
            measurement.run()
    text = document(*(m.values() for m in measurements), versions, options.note)
    print(text)
    output = options.output or (None if options.quick else ROOT / "docs" / "performance.md")
    if output:
        output.write_text(text + kept_section(output))


def kept_section(output):
    """What stands in the document below the table: figures of tests/bench/scale.py."""
    heading = "\n## Many objects, many watches\n"
    before = output.read_text() if output.exists() else ""
    return before[before.index(heading):] if heading in before else ""


def compiler(build):
    """What CMake has found; the cache does not have a compiler that CMakeLists.txt chooses."""
    for file in build.glob("CMakeFiles/*/CMakeCXXCompiler.cmake"):
        if found := re.search(r'set\(CMAKE_CXX_COMPILER "(.+)"\)', file.read_text()):
            return scoreboard.version_of(found[1], "--version")
    return "unknown"


if __name__ == "__main__":
    main()
