#!/usr/bin/env python3
"""Measures what a whole /openapi/v2 costs after one of many real CustomResourceDefinitions has changed.

    openapi.py --build DIR [--server keelson|upstream|both] [--rounds 10] [--least 410] [--most N] [--only REGEX]

Installs the definitions that tests/envtest/definitions.txt names (`make definitions`; needs Go, which downloads them), at
least --least and at most --most of them. In every round the words of one are changed, and /openapi/v2 is read once it has changed, in turns
as JSON and as protobuf. Prints the median and the range of the time that the answer takes, until its last byte, and of
the CPU time of the server's processes; times need a quiet machine. With --server both (or upstream) kube-apiserver is
measured too.
"""

import argparse
import pathlib
import statistics
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "envtest"))
import definitions  # noqa: E402
import servers  # noqa: E402

from processes import cpu_seconds, resident  # noqa: E402

FORMS = {"JSON": "application/json", "protobuf": "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"}
CHANGE_SECONDS = 120


class Reader:
    """Asks for /openapi/v2 in one form, and knows what it was told last."""

    def __init__(self, client, accept):
        self._client, self._headers, self._etag = client, {**client.headers, "Accept": accept}, None

    def read(self):
        """(seconds, bytes) of a whole answer; None if nothing has changed since the last."""
        begin = time.monotonic()
        connection = self._client.connection
        connection.request("GET", "/openapi/v2", headers={
            **self._headers, **({"If-None-Match": self._etag} if self._etag else {})})
        response = connection.getresponse()
        size = len(response.read())
        if response.status == 304:
            return None
        if response.status != 200:
            raise SystemExit(f"error: /openapi/v2 answered {response.status}")
        self._etag = response.headers["ETag"]
        return time.monotonic() - begin, size


def change(client, name, words):
    path = f"{definitions.PATH}/{name}"
    patch = [{"op": "add", "path": "/spec/versions/0/schema/openAPIV3Schema/description", "value": words}]
    code, answer = client.do("PATCH", path, patch, "application/json-patch+json")
    if code != 200:
        raise SystemExit(f"error: {name} cannot be changed: {answer}")


def measure(which, build, found, rounds):
    with tempfile.TemporaryDirectory() as directory:
        server = servers.start(which, build, pathlib.Path(directory) / "run")
        try:
            client = servers.Client(server)
            empty = resident(server)
            said = definitions.install(client, found)
            names = [n for n, a in said.items() if definitions.conditions(a).get("Established") == "True"]
            print(f"{which}: {len(names)} definitions, {(resident(server) - empty) / 1e6 / len(names):.2f} MB each", flush=True)
            for form, accept in FORMS.items():
                report(which, form, server, client, Reader(client, accept), names, rounds)
        finally:
            server.stop()
    return len(names)


def report(which, form, server, client, reader, names, rounds):
    reader.read()
    times, cpu, size = [], [], 0
    for number in range(rounds):
        change(client, names[number * 37 % len(names)], f"Round {number} of {form}.")
        deadline = time.monotonic() + CHANGE_SECONDS
        while True:
            before = cpu_seconds(server)
            answer = reader.read()
            if answer:
                break
            if time.monotonic() > deadline:
                raise SystemExit(f"error: /openapi/v2 has not changed within {CHANGE_SECONDS} s")
            time.sleep(0.01)
        times.append(answer[0])
        cpu.append(cpu_seconds(server) - before)
        size = answer[1]
    print(f"{which}: {form}, {size / 1e6:.1f} MB: {spread(times)} s, CPU {spread(cpu)} s", flush=True)


def spread(values):
    return f"{statistics.median(values):.3f} ({min(values):.3f} to {max(values):.3f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--server", choices=("keelson", "upstream", "both"), default="keelson")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--least", type=int, default=410)
    parser.add_argument("--most", type=int)
    parser.add_argument("--only", default="", help="a regular expression of Go modules")
    options = parser.parse_args()
    found, projects = definitions.collect(options.only)
    found = dict(list(found.items())[:options.most])
    print(f"{len(found)} definitions of {projects} projects", flush=True)
    for which in ("keelson", "upstream") if options.server == "both" else (options.server,):
        if measure(which, options.build.resolve(), found, options.rounds) < options.least:
            raise SystemExit(f"error: fewer than {options.least} definitions were established")


if __name__ == "__main__":
    main()
