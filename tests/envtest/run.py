#!/usr/bin/env python3
"""Runs controller-runtime's and operators' own test suites, with Keelson as the kube-apiserver that envtest starts.

    run.py --build DIR [--server keelson|upstream] [--etcd keelson|FILE] [--only REGEX] [--focus REGEX] [--missing]

The suites are compiled from the Go modules that suites.txt names and run as they are: $KUBEBUILDER_ASSETS names a
folder made by `keelson envtest`, or, for upstream, one with the real kube-apiserver and etcd. --only chooses suites by
their names (jobset, pkg-client), and compiles no others; --focus chooses specs; --missing leaves out the suites that
have a result already. What each suite said is in DIR/envtest/results/SERVER, as a log and as a list of its specs.

A spec that fails is an error, unless known_failures.txt names it with the reason; so is one named there that passes
and is not called flaky. Suites listen on fixed ports (managers serve their metrics on 8080): two runs at the same time
make each other's specs fail.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

import orphans
import suites

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SUITE_SECONDS = 1200
STATES = ("passed", "failed", "skipped")
DONE = re.compile(r"^ *--- (PASS|FAIL|SKIP): (\S+)", re.M)
GINKGO_ENTRY = re.compile(r"^func (Test\w+)\([^\n]*\{\n(?:(?!\}).*\n)*?.*RunSpecs\(", re.M)

# What tests nothing of a server that is here: these download a kube-apiserver without aggregated discovery.
LEFT_OUT = {"controller-runtime/pkg-client-apiutil": "Test.*/aggregatedDiscovery=false"}


class Outcome:
    def __init__(self):
        self.passed, self.failed, self.skipped = [], [], []

    def add(self, state, name):
        {"passed": self.passed, "skipped": self.skipped}.get(state, self.failed).append(name)

    @property
    def counts(self):
        return [len(self.passed), len(self.failed), len(self.skipped)]


def assets_of_keelson(build, etcd):
    folder = build / "envtest" / "assets"
    command = [str(build / "keelson"), "envtest", str(folder)]
    kubectl = build / "conformance" / "bin" / "kubectl"
    subprocess.run(command + (["--etcd", etcd] if etcd else []) +
                   (["--kubectl", str(kubectl)] if kubectl.exists() else []),
                   check=True, stdout=subprocess.DEVNULL)
    return folder


def assets_of_upstream(build):
    subprocess.run([str(ROOT / "tests/conformance/build.sh"), str(build), "kube-apiserver", "etcd", "kubectl"],
                   check=True)
    return build / "conformance" / "bin"


def said(counts):
    return f"{counts[0]:5} passed {counts[1]:3} failed {counts[2]:3} skipped"


def add_report(outcome, report):
    """The specs of a Ginkgo suite."""
    for case in xml.etree.ElementTree.parse(report).getroot().iter("testcase"):
        name = re.sub(r"^\[It\] ", "", case.get("name"))
        state = case.get("status")
        # Nodes that set up and clean up count only when they break.
        if state in ("skipped", "pending"):
            outcome.add("skipped", name)
        elif state != "passed":
            outcome.add("failed", name)
        elif case.get("name").startswith("[It]"):
            outcome.add("passed", name)


def add_log(outcome, text, entries):
    """The tests of Go's own kind, each counted where it has no tests below it; `entries` only run specs."""
    found = [(state, name) for state, name in DONE.findall(text) if name not in entries]
    for state, name in found:
        if not any(other.startswith(name + "/") for _, other in found):
            outcome.add({"PASS": "passed", "SKIP": "skipped"}.get(state, "failed"), name)


def command_of(suite, report, sources, focus):
    command = [str(suite.program()), f"-test.timeout={SUITE_SECONDS}s", "-test.v"]
    if suite.name in LEFT_OUT:
        command.append(f"-test.skip={LEFT_OUT[suite.name]}")
    if "ginkgo/v2" in sources:
        command += [f"-ginkgo.junit-report={report}", "-ginkgo.no-color"]
        if focus:
            command.append(f"-ginkgo.focus={focus}")
    return command


def execute(command, suite, assets, log):
    """Runs a suite, and ends what it leaves running; its exit code, and the names of that."""
    with tempfile.TemporaryDirectory(prefix="keelson-envtest-", ignore_cleanup_errors=True) as scratch, \
            open(log, "wb") as out:
        # cert-manager's suites look for the programs in $PATH.
        env = {**os.environ, "KUBEBUILDER_ASSETS": str(assets), "PATH": f"{assets}:{os.environ['PATH']}",
               "GOMAXPROCS": os.environ.get("GOMAXPROCS", "2"), "TMPDIR": scratch}
        env.pop("KUBECONFIG", None)
        try:
            code = subprocess.run(command, cwd=suite.folder, env=env, stdout=out, stderr=subprocess.STDOUT,
                                  stdin=subprocess.DEVNULL, check=False, timeout=SUITE_SECONDS + 60).returncode
        except subprocess.TimeoutExpired:
            code = -1
        finally:
            left = orphans.end()
    return code, left


def run_suite(suite, assets, results, focus):
    """What a suite's specs did; and the names of the processes that it left."""
    stem = suite.name.replace("/", "-")
    report, log = results / f"{stem}.xml", results / f"{stem}.log"
    report.unlink(missing_ok=True)
    sources = "\n".join(file.read_text() for file in sorted(suite.folder.glob("*_test.go")))
    code, left = execute(command_of(suite, report, sources, focus), suite, assets, log)
    outcome = Outcome()
    if report.exists():
        add_report(outcome, report)
    add_log(outcome, log.read_text(errors="replace"), set(GINKGO_ENTRY.findall(sources)))
    if code != 0 and not outcome.failed:
        outcome.failed.append("(the suite itself)")
    if not focus:
        result_file(results, suite).write_text(json.dumps(vars(outcome), indent=1) + "\n")
    return outcome, left


def result_file(results, suite):
    return results / f"{suite.name.replace('/', '-')}.json"


def known_failures():
    """({suite: {spec}} of those that fail, the same of those that fail now and then)."""
    fail, flaky = collections.defaultdict(set), collections.defaultdict(set)
    for line in (HERE / "known_failures.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            suite, spec = line.split(": ", 1)
            (flaky if suite.startswith("flaky ") else fail)[suite.removeprefix("flaky ")].add(spec.strip())
    return fail, flaky


def chosen(build, only):
    """The suites whose names `only` matches."""
    for project in suites.projects(build):
        if not project.patterns:
            continue
        project.prepare()
        for suite in project.suites():
            if re.search(only, suite.name):
                yield suite


def judge(suite, outcome, known):
    """Prints the failures of a suite; sentences about those that are errors."""
    fail, flaky = (each[suite.name] for each in known)
    errors = [f"{suite.name}: {name} passes, and is listed as failing" for name in outcome.passed if name in fail]
    for name in outcome.failed:
        expected = name in fail or name in flaky
        print(f"    {'known' if expected else 'FAILED'}: {name}", flush=True)
        if not expected:
            errors.append(f"{suite.name}: {name} fails")
    return errors


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--server", choices=("keelson", "upstream"), default="keelson")
    parser.add_argument("--etcd")
    parser.add_argument("--only", default="")
    parser.add_argument("--focus")
    parser.add_argument("--missing", action="store_true")
    args = parser.parse_args()
    build = args.build.resolve()
    assets = assets_of_keelson(build, args.etcd) if args.server == "keelson" else assets_of_upstream(build)
    results = build / "envtest" / "results" / args.server
    results.mkdir(parents=True, exist_ok=True)
    orphans.adopt()

    known = known_failures() if args.server == "keelson" else [collections.defaultdict(set)] * 2
    totals, errors = collections.Counter(), []
    for suite in chosen(build, args.only):
        if args.missing and result_file(results, suite).exists():
            continue
        suite.program()
        began = time.monotonic()
        outcome, left = run_suite(suite, assets, results, args.focus)
        totals.update(dict(zip(STATES, outcome.counts)))
        print(f"{suite.name:60} {said(outcome.counts)} {time.monotonic() - began:6.1f} s"
              f"{', left running: ' + ' '.join(left) if left else ''}", flush=True)
        errors += judge(suite, outcome, known)
    print(f"{'in all':60} {said([totals[state] for state in STATES])}")
    for error in errors:
        print(f"error: {error}", file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
