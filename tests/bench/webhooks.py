#!/usr/bin/env python3
"""What one validating webhook costs: creates of pods with and without it, on kube-apiserver + etcd and on Keelson.

    webhooks.py [--build build] [--only keelson|upstream] [--rounds 6] [--http2]

Each server starts on an empty store and takes turns: creates without the webhook, creates with it. The webhook is
loadgen's, which allows everything and is the same process for both servers; how often it was asked is checked. The
cost of a call is the server's CPU for a create with the webhook less that of one without, in the two turns of a round;
shown are medians, and in brackets quartiles. Measure on a machine that does nothing else: the goals are 100 µs
for a call, and five times upstream's creates per second. Virtual machines change their speed by half within minutes,
and CPU time with it: the last line tells what it was, in loadgen's units, so that runs can be compared.
"""

import argparse
import base64
import contextlib
import json
import pathlib
import statistics
import ssl
import sys
import tempfile
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "conformance"))
sys.path.insert(0, str(ROOT / "tests" / "integration"))
import admission_webhooks as hooks  # noqa: E402
import cluster  # noqa: E402
import compare  # noqa: E402
import definitions  # noqa: E402
import loadgen_runs  # noqa: E402

CREATES = {"upstream": 600, "keelson": 2500}  # in one turn
LOAD = ["--namespaces", "4", "--pods", "4", "--conns", "4", "--max-time", "60s"]
GOAL_MICROS, GOAL_RATIO = 100, 5


class Webhook:
    """loadgen as a webhook. Use as a context."""

    def __init__(self, loadgen, directory, http2):
        self.file = directory / "webhook.json"
        self.process = cluster.Process("webhook", [loadgen, "--webhook", self.file, f"--webhook-http2={str(http2).lower()}"],
                                       directory)

    def __enter__(self):
        def listens():
            self.process.check()
            return self.file.exists()
        cluster.wait_until(listens, "the webhook listens")
        address = json.loads(self.file.read_text())
        self.url, self.bundle = address["url"], base64.b64encode(address["ca"].encode()).decode()
        return self

    def __exit__(self, *_):
        self.process.stop()

    def calls(self):
        with urllib.request.urlopen(self.url, context=ssl._create_unverified_context()) as answer:
            return int(answer.read())


class Measured:
    """One server under load, turn by turn."""

    def __init__(self, label, server, webhook, options):
        self.label, self.server, self.webhook, self.options = label, server, webhook, options
        self.client = definitions.ready_client(server)
        self.turns = {False: [], True: []}  # by whether the webhook is registered: loadgen's rows
        self.load("seed", "seed.json")
        self.probe = json.dumps({"metadata": {"generateName": "probe-"}, "spec": {
            "containers": [{"name": "c", "image": "i"}]}})

    def load(self, phase, name):
        return loadgen_runs.run(
            self.options.loadgen, phase, self.server.directory / name, url=self.server.url, token=self.server.token,
            label=self.label, pids=[p.pid for p in self.server.processes],
            flags=["--writes", CREATES[self.label], "--concurrency", self.options.concurrency, *LOAD])

    def is_asked(self):
        """Whether a create asks the webhook."""
        before = self.webhook.calls()
        self.client.do("POST", "/api/v1/namespaces/default/pods?dryRun=All", self.probe)
        return self.webhook.calls() > before

    @contextlib.contextmanager
    def registered(self):
        """The webhook, known to the server: kube-apiserver notices a little later."""
        path, body = hooks.configuration("validating", "bench", hooks.webhook(
            "bench.example.com", {"url": self.webhook.url, "caBundle": self.webhook.bundle},
            [hooks.rule("pods", operations=["CREATE"])]))
        self.client.do("POST", path, json.dumps(body))
        cluster.wait_until(self.is_asked, "the webhook is asked")
        yield
        self.client.do("DELETE", f"{path}/bench")
        cluster.wait_until(lambda: not self.is_asked(), "the webhook is not asked any more")

    def turn(self, with_webhook):
        with self.registered() if with_webhook else contextlib.nullcontext():
            before = self.webhook.calls()
            row, = self.load("create", "turn.json")
            asked = self.webhook.calls() - before
        if row["errors"] or asked != (row["ops"] if with_webhook else 0):
            raise SystemExit(f"error: {self.label}: {row['ops']} creates, {row['errors']} errors, asked {asked} times")
        self.turns[with_webhook].append(row)

    def run(self):
        for warming in range(1 + self.options.rounds):
            for with_webhook in (False, True) if warming % 2 else (True, False):
                self.turn(with_webhook)
            if warming == 0:  # connections, caches, the shape of the heap
                self.turns = {False: [], True: []}

    def cpu(self, with_webhook):
        return [row["serverCpuMicrosPerOp"] for row in self.turns[with_webhook]]

    def rate(self, with_webhook):
        return [row["opsPerSec"] for row in self.turns[with_webhook]]

    def host_speed(self):
        """What loadgen found the machine to be able to do before each turn, without any server."""
        return [row["hostSpeed"] for turns in self.turns.values() for row in turns]

    def call(self):
        return [asked - alone for alone, asked in zip(self.cpu(False), self.cpu(True))]


def start(label, options, directory):
    directory.mkdir()
    bin_dir = options.build / "conformance" / "bin"
    if label == "upstream":
        return cluster.Upstream(bin_dir, directory, compare.NO_CONTROLLERS)
    return cluster.Keelson(options.build / "keelson", bin_dir, directory, extra=compare.NO_CONTROLLERS)


def measure(label, options, webhook, directory):
    server = start(label, options, directory / label)
    try:
        measured = Measured(label, server, webhook, options)
        measured.run()
        return measured
    finally:
        server.stop()


def cell(values):
    low, median, high = statistics.quantiles(values, n=4)
    return f"{median:,.0f} ({low:,.0f} to {high:,.0f})"


def report(measured):
    """`measured`: by label, upstream first where it is there."""
    rows = [("creates/s without a webhook", lambda m: m.rate(False), ""),
            ("creates/s with one", lambda m: m.rate(True), f"{GOAL_RATIO} times upstream's"),
            ("CPU of a create without, µs", lambda m: m.cpu(False), ""),
            ("CPU of a create with one, µs", lambda m: m.cpu(True), ""),
            ("CPU of the call, µs", lambda m: m.call(), f"≤ {GOAL_MICROS}"),
            ("speed of the machine", lambda m: m.host_speed(), "")]
    print(f"| {'creates of pods':<29} | " + " | ".join(f"{label:>24}" for label in measured) + " | ratio | goal |")
    print(f"|{'-' * 31}|" + "|".join("-" * 25 + ":" for _ in measured) + "|---|---|")
    for what, values, goal in rows:
        cells = [cell(values(m)) for m in measured.values()]
        ratio = ""
        if len(measured) == 2:
            theirs, ours = (statistics.median(values(m)) for m in measured.values())
            more_is_better = what.startswith(("creates/s", "speed"))
            ratio = f"{(ours / theirs if more_is_better else theirs / ours):.1f}"
        print(f"| {what:<29} | " + " | ".join(f"{c:>24}" for c in cells) + f" | {ratio} | {goal} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--only", choices=["upstream", "keelson"])
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--http2", action="store_true", help="the webhook offers HTTP/2, which is asked for at loopback URLs")
    options = parser.parse_args()
    options.build = options.build.resolve()
    labels = [options.only] if options.only else ["upstream", "keelson"]
    options.loadgen = loadgen_runs.build(options.build, *(["kube-apiserver", "etcd"] if "upstream" in labels else []))
    with tempfile.TemporaryDirectory() as directory:
        directory = pathlib.Path(directory)
        with Webhook(options.loadgen, directory, options.http2) as webhook:
            report({label: measure(label, options, webhook, directory) for label in labels})


if __name__ == "__main__":
    main()
