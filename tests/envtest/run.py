#!/usr/bin/env python3
"""Runs controller-runtime's and operators' own test suites, with Keelson as the kube-apiserver that envtest starts.

    run.py --build DIR [--server keelson|upstream] [--etcd keelson|FILE] [--only REGEX] [--focus REGEX]

The suites are compiled from the Go modules that suites.txt names and run as they are: $KUBEBUILDER_ASSETS names a
folder made by `keelson envtest`, or, for upstream, one with the real kube-apiserver and etcd. --only chooses suites by
their names (jobset, pkg-client), and compiles no others; --focus chooses specs. What each suite said is in
DIR/envtest/results/SERVER. A spec that fails is an error, unless known_failures.txt names it with the reason; so is
one named there that passes.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import time
import xml.etree.ElementTree

import suites

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SUITE_SECONDS = 1200
DONE = re.compile(r"^ *--- (PASS|FAIL|SKIP): (\S+)", re.M)
GINKGO_ENTRY = re.compile(r"^func (Test\w+)\([^\n]*\{\n(?:(?!\}).*\n)*?.*RunSpecs\(", re.M)

# What tests nothing of a server that is here: these download a kube-apiserver without aggregated discovery.
LEFT_OUT = {"controller-runtime/pkg-client-apiutil": "Test.*/aggregatedDiscovery=false"}


class Outcome:
    def __init__(self):
        self.passed, self.failed, self.skipped = [], [], []

    def add(self, state, name):
        {"passed": self.passed, "skipped": self.skipped}.get(state, self.failed).append(name)


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


def run_suite(suite, assets, results, focus):
    stem = suite.name.replace("/", "-")
    report, log = results / f"{stem}.xml", results / f"{stem}.log"
    report.unlink(missing_ok=True)
    sources = "\n".join(file.read_text() for file in sorted(suite.folder.glob("*_test.go")))
    ginkgo = "ginkgo/v2" in sources
    command = [str(suite.program()), f"-test.timeout={SUITE_SECONDS}s", "-test.v"]
    if suite.name in LEFT_OUT:
        command.append(f"-test.skip={LEFT_OUT[suite.name]}")
    if ginkgo:
        command += [f"-ginkgo.junit-report={report}", "-ginkgo.no-color"]
        if focus:
            command.append(f"-ginkgo.focus={focus}")
    # cert-manager's suites look for the programs in $PATH.
    env = {**os.environ, "KUBEBUILDER_ASSETS": str(assets), "PATH": f"{assets}:{os.environ['PATH']}",
           "GOMAXPROCS": os.environ.get("GOMAXPROCS", "2")}
    env.pop("KUBECONFIG", None)
    with open(log, "wb") as out:
        code = subprocess.run(command, cwd=suite.folder, env=env, stdout=out, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, check=False).returncode
    text = log.read_text(errors="replace")
    outcome = Outcome()
    if report.exists():
        add_report(outcome, report)
    add_log(outcome, text, set(GINKGO_ENTRY.findall(sources)))
    if code != 0 and not outcome.failed:
        outcome.failed.append("(the suite itself)")
    return outcome


def known_failures():
    """{suite: {spec}}: lines `suite: spec`, comments give the reasons."""
    known = {}
    for line in (HERE / "known_failures.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            suite, spec = line.split(": ", 1)
            known.setdefault(suite, set()).add(spec.strip())
    return known


def chosen(build, only):
    """The suites whose names `only` matches."""
    for project in suites.projects(build):
        if not project.patterns:
            continue
        project.prepare()
        for suite in project.suites():
            if re.search(only, suite.name):
                yield suite


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--server", choices=("keelson", "upstream"), default="keelson")
    parser.add_argument("--etcd")
    parser.add_argument("--only", default="")
    parser.add_argument("--focus")
    args = parser.parse_args()
    build = args.build.resolve()
    assets = assets_of_keelson(build, args.etcd) if args.server == "keelson" else assets_of_upstream(build)
    results = build / "envtest" / "results" / args.server
    results.mkdir(parents=True, exist_ok=True)

    known = known_failures() if args.server == "keelson" else {}
    totals, surprises = [0, 0, 0], []
    for suite in chosen(build, args.only):
        suite.program()
        began = time.monotonic()
        outcome = run_suite(suite, assets, results, args.focus)
        counts = [len(outcome.passed), len(outcome.failed), len(outcome.skipped)]
        totals = [a + b for a, b in zip(totals, counts)]
        print(f"{suite.name:60} {counts[0]:5} passed {counts[1]:3} failed {counts[2]:3} skipped "
              f"{time.monotonic() - began:6.1f} s", flush=True)
        expected = known.get(suite.name, set())
        for name in outcome.failed:
            print(f"    {'known: ' if name in expected else 'FAILED: '}{name}", flush=True)
        surprises += [f"{suite.name}: {name} fails" for name in outcome.failed if name not in expected]
        surprises += [f"{suite.name}: {name} passes, and is listed as failing"
                      for name in outcome.passed if name in expected]
    print(f"{'in all':60} {totals[0]:5} passed {totals[1]:3} failed {totals[2]:3} skipped")
    for surprise in surprises:
        print(f"error: {surprise}", file=sys.stderr)
    return 1 if surprises else 0


if __name__ == "__main__":
    sys.exit(main())
