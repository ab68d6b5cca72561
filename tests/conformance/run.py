#!/usr/bin/env python3
"""Runs upstream's conformance specs against Keelson, or against kube-apiserver for comparison.

    run.py --build BUILD_DIR [--server keelson|upstream] [--backend embedded|etcd3]
           [--controllers manager|workloads|own] [--nodes simulated|real] [--focus REGEX]

With --nodes real, those of tests/cluster, which take root, every spec runs. With simulated ones, specs that need a real
container runtime are left out; not_applicable.txt names them and why. Webhooks and API servers
in pods are upstream's own programs, run as processes in a network of this run's own; where that cannot be had, which
takes root, the specs that not_applicable_no_network.txt names are left out, too. The others run in parallel, those
marked [Serial] one by one after that, what failed the last time at the end. With --controllers own there is no kube-controller-manager, with workloads it does nothing but make pods: the
garbage collector and the namespace, quota and service account controllers are then Keelson's own. These two run
the specs of sig-api-machinery; not_applicable_own.txt names those that need somebody who makes pods.
Logs of the cluster and of failed specs stay in BUILD_DIR/conformance/SERVER/. A whole run, one without --focus, writes
results/SERVER.json and the scoreboard; with --merge a focused one puts its results there, with a note. Where there was no
whole run, the other specs are then «not run».
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

import cluster
import network
import scoreboard

HERE = pathlib.Path(__file__).resolve().parent
# Slow by what they wait for (cron's minutes, expiring tolerations, a scheduler that must not schedule), though not
# marked [Slow].
SLOW = "jobs concurrently|ReplaceConcurrent|taint|minTolerationSeconds|same hostPort|500 podspec updates|preempt"
# Specs that failed are run again, less crowded, if they are few; the results say so.
SECOND_CHANCES = 25
TOOLS = ["kubectl", "e2e.test", "ginkgo", "kube-controller-manager", "kube-scheduler"]
POD_PROGRAMS = ["agnhost", "sample-apiserver", "etcd"]


# What options are where they are not given.
SIMULATED_LIMITS = {"procs": 5 * (os.cpu_count() or 2), "spec_timeout": "2m", "slow_spec_timeout": "7m", "limit": "12m",
                    "serial_limit": "20m", "budget": "28m"}
REAL_LIMITS = {"procs": 3 * (os.cpu_count() or 2), "spec_timeout": "5m", "slow_spec_timeout": "15m", "limit": "45m",
               "serial_limit": "45m", "budget": "90m"}

# What runs without --focus if kube-controller-manager does not do all of its work.
OWN_SPECS = r"^\[sig-api-machinery\]"


def not_applicable(name):
    """[(kind, pattern, reason)] of the file; the kind is file or spec."""
    rules, reason = [], None
    for number, line in enumerate((HERE / name).read_text().splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        kind, separator, value = line.partition(":")
        value = value.strip()
        if not separator or kind not in ("reason", "file", "spec") or not value or (kind != "reason" and not reason):
            raise SystemExit(f"error: {name}:{number}: expected reason:, file: or spec:, found {line!r}")
        if kind == "reason":
            reason = value
        else:
            rules.append((kind, re.compile(value), reason))
    return rules


class Spec:
    def __init__(self, report, rules):
        self.text = spec_text(report)
        self.file = report["LeafNodeLocation"]["FileName"].rpartition("/test/e2e/")[2]
        self.sig = re.match(r"\[(sig-[a-z-]+)\]", self.text).group(1)
        self.serial = "[Serial]" in self.text
        self.reason = next((reason for kind, pattern, reason in rules
                            if pattern.search(self.file if kind == "file" else self.text)), None)


def spec_text(report):
    return " ".join([*(report["ContainerHierarchyTexts"] or []), report["LeafNodeText"]])


def rules_of(options):
    """What is left out: nothing of what real nodes can run."""
    if options.nodes == "real":
        return []
    rules = not_applicable("not_applicable.txt")
    if options.controllers == "own":
        rules += not_applicable("not_applicable_own.txt")
    if not options.pods_run:
        rules += not_applicable("not_applicable_no_network.txt")
    return rules


def list_specs(bin_dir, directory, options):
    listing = directory / "specs.json"
    subprocess.run([bin_dir / "e2e.test", "--ginkgo.dry-run", "--ginkgo.label-filter=Conformance", "--ginkgo.no-color",
                    f"--ginkgo.json-report={listing}", "--provider=skeleton", "--kubeconfig=none"],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    rules = rules_of(options)
    reports = json.loads(listing.read_text())[0]["SpecReports"]
    return [Spec(r, rules) for r in reports if r["LeafNodeType"] == "It" and r["State"] == "passed"]


def run_specs(clu, directory, name, specs, processes, limit, options):
    """Runs them and returns {text: report}. A spec the suite did not get to has no report."""
    if not specs or options.budget.over():
        return {}
    limit = options.budget.at_most(limit)
    report = directory / f"{name}.json"
    focus = "(?:" + "|".join(re.escape(s.text) for s in specs) + ")$"
    command = [clu.bin_dir / "ginkgo", f"--procs={processes}", "--no-color", "--keep-going", f"--timeout={limit}",
               f"--output-dir={directory}", f"--json-report={report.name}", f"--focus={focus}", clu.bin_dir / "e2e.test",
               "--", "--provider=skeleton", f"--kubeconfig={clu.server.kubeconfig}",
               f"--kubectl-path={clu.bin_dir / 'kubectl'}", f"--num-nodes={clu.nodes.count}",
               f"--spec-timeout={options.spec_timeout}", f"--slow-spec-timeout={options.slow_spec_timeout}", f"--slow-specs={SLOW}",
               "--dump-logs-on-failure=false", "--disable-log-dump"]
    print(f"{name}: {len(specs)} specs", flush=True)
    with open(directory / f"{name}.log", "wb") as log:
        suite = subprocess.Popen([str(c) for c in command], stdout=log, stderr=subprocess.STDOUT,
                                 stdin=subprocess.DEVNULL, start_new_session=True)
        try:
            suite.wait()
        finally:
            if suite.poll() is None:  # stopped: ginkgo's own processes too
                os.killpg(suite.pid, signal.SIGKILL)
    if not report.exists():
        tail = (directory / f"{name}.log").read_text(errors="replace")[-3000:]
        raise SystemExit(f"error: the suite left no report; the end of {directory / (name + '.log')}:\n{tail}")
    reports = json.loads(report.read_text())[0]["SpecReports"]
    for r in reports:
        if r["LeafNodeType"] != "It" and r["State"] not in ("passed", "skipped"):
            print(f"{r['LeafNodeType']} {r['State']}: {r.get('Failure', {}).get('Message', '')[:2000]}", flush=True)
    return {spec_text(r): r for r in reports if r["LeafNodeType"] == "It" and r["State"] not in ("skipped", "pending")}


def failed_before(name):
    """The specs that failed in the last whole run."""
    last = HERE / "results" / f"{name}.json"
    results = json.loads(last.read_text())["specs"] if last.exists() else []
    return {r["spec"] for r in results if r["result"] == "failed"}


class Budget:
    """The time that a whole run may take, and what is left of it."""

    def __init__(self, limit):
        self.text = limit
        self.ends = time.monotonic() + seconds(limit)

    def at_most(self, limit):
        return f"{max(int(min(seconds(limit), self.ends - time.monotonic())), 1)}s"

    def over(self):
        return time.monotonic() > self.ends - 30  # a suite takes a while to begin


def seconds(duration):
    number, unit = re.fullmatch(r"(\d+)([smh])", duration).groups()
    return int(number) * {"s": 1, "m": 60, "h": 3600}[unit]


def judge(specs, reports, directory):
    """One entry per spec for the results, and a log per failed one."""
    failed_dir = directory / "failed"
    results = []
    for spec in specs:
        entry = {"spec": spec.text, "sig": spec.sig, "file": spec.file}
        report = reports.get(spec.text)
        if spec.reason:
            entry |= {"result": "not applicable", "reason": spec.reason}
        elif report is None:
            entry |= {"result": "not run"}  # the time of its part was over before
        else:
            entry |= {"result": "passed" if report["State"] == "passed" else "failed",
                      "seconds": round(report["RunTime"] / 1e9, 1)}
            if "Attempts" in report:
                entry["attempts"] = report["Attempts"]
            if report["State"] != "passed":
                failure = report.get("Failure", {})
                entry["message"] = " ".join(failure.get("Message", report["State"]).split())[:300]
                slug = re.sub(r"[^A-Za-z0-9]+", "-", spec.text).strip("-")[:150]
                failed_dir.mkdir(exist_ok=True)
                (failed_dir / f"{slug}.log").write_text(failure_text(spec, report, failure))
        results.append(entry)
    return results


def failure_text(spec, report, failure):
    location = failure.get("Location", {})
    parts = [spec.text, f"{report['State']} after {report['RunTime'] / 1e9:.1f} s at "
             f"{location.get('FileName')}:{location.get('LineNumber')}", failure.get("Message", "")]
    parts += [extra["Failure"]["Message"] for extra in report.get("AdditionalFailures") or []]
    parts += [report.get("CapturedGinkgoWriterOutput", ""), report.get("CapturedStdOutErr", "")]
    return "\n\n".join(parts)


def start_server(options, bin_dir, directory, extra=()):
    if options.server == "upstream":
        return cluster.Upstream(bin_dir, directory, extra, reachable=options.pods_run)
    return cluster.Keelson(options.build / "keelson", bin_dir, directory, options.backend, extra, reachable=options.pods_run)


def needs_etcd(options):
    return options.server == "upstream" or options.backend == "etcd3"


def server_versions(options, bin_dir):
    etcd = scoreboard.version_of(bin_dir / "etcd", "--version") if needs_etcd(options) else ""
    server = scoreboard.version_of(bin_dir / "kube-apiserver", "--version") if options.server == "upstream" else \
        scoreboard.version_of(options.build / "keelson", "version")
    return ", ".join(filter(None, [server, etcd]))


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--server", choices=["keelson", "upstream"], default="keelson")
    parser.add_argument("--backend", choices=["embedded", "etcd3"], default="embedded")
    parser.add_argument("--controllers", choices=["manager", "workloads", "own"], default="manager",
                        help="what kube-controller-manager does: everything, making pods, nothing (it is not there)")
    parser.add_argument("--nodes", choices=["simulated", "real"], default="simulated")
    parser.add_argument("--focus", default="", help="run only specs whose text matches")
    parser.add_argument("--procs", type=int, help="specs at the same time")
    parser.add_argument("--spec-timeout")
    parser.add_argument("--slow-spec-timeout")
    parser.add_argument("--limit", help="time for the specs that run in parallel")
    parser.add_argument("--serial-limit", help="time for those that run one by one")
    parser.add_argument("--budget", help="time for all of them")
    parser.add_argument("--note", action="append", default=[], help="what readers of the scoreboard must know of this run")
    parser.add_argument("--all", action="store_true", help="also what is not applicable")
    parser.add_argument("--merge", action="store_true",
                        help="with --focus: put the results into those of the last whole run, or of other such runs")
    options = parser.parse_args()
    options.build = options.build.resolve()
    for name, value in (REAL_LIMITS if options.nodes == "real" else SIMULATED_LIMITS).items():
        if getattr(options, name) is None:
            setattr(options, name, value)
    if options.nodes == "real" and options.controllers != "manager":
        parser.error("real nodes need kube-controller-manager")
    if options.controllers != "manager" and options.server != "keelson":
        parser.error("kube-apiserver has no controllers of its own")
    return options


def run_on_simulated_nodes(options):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # so that the cluster is stopped too
    obstacle = network.missing()
    options.pods_run = not obstacle
    if obstacle:
        print(f"note: no network for pods that run ({obstacle}): the specs of not_applicable_no_network.txt are left out", flush=True)
    build_tools(options, ["nodesim", *(POD_PROGRAMS if options.pods_run else [])])
    if options.pods_run:  # after the build, which may download
        cluster.join_network()
    return run_chosen(options)


def run_on_real_nodes(options):
    sys.path.insert(0, str(HERE.parent / "cluster"))
    import e2e_images
    import images
    import machine
    import nodes
    import sandbox

    machine.check(options.build / "cluster")
    options.pods_run = True
    build_tools(options, [*nodes.TOOLS, *e2e_images.PROGRAMS])
    made = images.Images(options.build / "cluster" / "images", options.build / "conformance" / "bin")
    archives = [*e2e_images.make(made), made.coredns()]

    def work(world):
        nodes.join_network()
        sandbox.hide_machine()
        authority = nodes.Authority()
        return run_chosen(options, authority.flags, lambda directory: nodes.RealNodes(
            directory, world.cgroup, authority, archives))

    return sandbox.run(work, options.build / "conformance")


def build_tools(options, more):
    subprocess.run([HERE / "build.sh", options.build, *TOOLS, *more,
                    *(["kube-apiserver"] if options.server == "upstream" else []),
                    *(["etcd"] if needs_etcd(options) else [])], check=True)


def run_chosen(options, extra=(), nodes_in=lambda directory: None):
    """Runs the specs that the options choose. `extra` are flags of the server, nodes_in() makes nodes that are not simulated."""
    bin_dir = options.build / "conformance" / "bin"
    name = "-".join([options.server, *([options.backend] if options.backend != "embedded" else []),
                     *([options.controllers] if options.controllers != "manager" else []),
                     *(["real"] if options.nodes == "real" else [])])
    directory = options.build / "conformance" / name
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)

    specs = list_specs(bin_dir, directory, options)
    if options.all:
        for spec in specs:
            spec.reason = None
    focus = options.focus or (OWN_SPECS if options.controllers != "manager" else "")
    chosen = [s for s in specs if re.search(focus, s.text)]
    applicable = [s for s in chosen if not s.reason]
    if not applicable:
        raise SystemExit(f"error: no applicable spec matches {focus!r}")
    print(f"{len(specs)} conformance specs, {len(applicable)} to run on {name}", flush=True)
    versions = server_versions(options, bin_dir)
    began = time.monotonic()
    options.budget = Budget(options.budget)
    server = start_server(options, bin_dir, directory, extra)
    with cluster.Cluster(bin_dir, server, options.controllers, nodes_in(directory)) as clu:
        parallel = [s for s in applicable if not s.serial]
        reports = run_specs(clu, directory, "parallel", parallel, min(options.procs, len(parallel)), options.limit, options)
        # What fails often fails by waiting: it must not take the time of what passes.
        hopeless = failed_before(name)
        serial = [s for s in applicable if s.serial]
        for part, chosen_ones in (("serial", [s for s in serial if s.text not in hopeless]),
                                  ("serial-failed-before", [s for s in serial if s.text in hopeless])):
            reports |= run_specs(clu, directory, part, chosen_ones, 1, options.serial_limit, options)
        again = [s for s in applicable if reports.get(s.text, {}).get("State") not in ("passed", None)]
        again = [s for s in again if s.text not in hopeless]
        if 0 < len(again) <= SECOND_CHANCES:
            second = run_specs(clu, directory, "again", again, 2, options.limit, options)
            reports |= {text: {**r, "Attempts": 2} for text, r in second.items()}
        clu.check()
    minutes = (time.monotonic() - began) / 60

    results = judge(chosen, reports, directory)
    failed = [r for r in results if r["result"] == "failed"]
    missed = sum(r["result"] == "not run" for r in results)
    for r in failed:
        print(f"FAILED {r['spec']}\n       {r['message']}")
    print(f"{len(applicable) - len(failed) - missed} passed, {len(failed)} failed, {missed} not run for lack of time, "
          f"{len(chosen) - len(applicable)} not applicable, {minutes:.0f} minutes; logs in {directory}")
    limits = (f"{options.procs} at a time, {options.spec_timeout} a spec, {options.slow_spec_timeout} a slow one, "
              f"{options.limit} in parallel and {options.serial_limit} one by one, {options.budget.text} in all")
    if not options.focus and not options.all:
        scoreboard.save(name, results, datetime.date.today(), minutes, versions, limits, options.note)
        scoreboard.write()
    elif options.merge and not options.all:
        if not scoreboard.kept(name):
            scoreboard.save(name, judge(specs, {}, directory), datetime.date.today(), 0, versions, limits,
                            ["No whole run yet: the results are those of runs of some specs.", *options.note])
        scoreboard.merge(name, results, datetime.date.today(), options.focus)
        scoreboard.write()
    return 1 if failed or missed else 0


def main():
    options = parse()
    return run_on_real_nodes(options) if options.nodes == "real" else run_on_simulated_nodes(options)


if __name__ == "__main__":
    sys.exit(main())
