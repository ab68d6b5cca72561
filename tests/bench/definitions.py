#!/usr/bin/env python3
"""Measures what CustomResourceDefinitions cost a server: time, memory, and what others notice of them.

    definitions.py [--binary build/keelson] [--count 5000] [--from FOLDER] [--peer FOLDER] [--bytes 60000]

Creates --count definitions, waits until all are established, starts the server again on them, and deletes them. The
empty server has served ten definitions before, so that it has made what it makes once and keeps. A GET is timed on
the server and on an empty one, in turns.
Without --from the definitions are made up: trees of described properties whose JSON has about --bytes bytes. With it
they are those of the YAML files of a folder (needs PyYAML), as often as needed, each time under another group. With
--peer the kube-apiserver and etcd in that folder are measured after Keelson, and a table of both is printed; with
--only-peer they alone. Memory and CPU time are those of all processes of a server; times need a quiet machine.
"""

import argparse
import copy
import http.client
import json
import os
import pathlib
import re
import ssl
import statistics
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "conformance"))
import cluster  # noqa: E402
from processes import cpu_seconds, resident  # noqa: E402

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
MB = 1 << 20
WARMING = 10  # definitions
EVENTS_SECONDS = 110  # after this no large event is kept, and memory has been given back


class Report:
    """What was measured of one server, printed as it comes."""

    def __init__(self, server):
        self.server, self.rows = server, {}

    def __call__(self, what, value):
        self.rows[what] = value
        print(f"{what:<58} {value:>20}", flush=True)


def print_table(reports):
    """Markdown, for the documentation."""
    print("\n| | " + " | ".join(r.server for r in reports) + " |")
    print("|---|" + "---|" * len(reports))
    for what in dict.fromkeys(what for r in reports for what in r.rows):
        print(f"| {what} | " + " | ".join(r.rows.get(what, "") for r in reports) + " |")


class Client:
    """Requests to one server over one connection."""

    def __init__(self, server):
        host, port = server.url.removeprefix("https://").split(":")
        self.headers = {"Authorization": f"Bearer {server.token}", "Content-Type": "application/json"}
        self.connection = http.client.HTTPSConnection(host, int(port), timeout=600, context=ssl._create_unverified_context())

    def do(self, method, path, body=None, **headers):
        self.connection.request(method, path, body=body, headers={**self.headers, **headers})
        response = self.connection.getresponse()
        answer = response.read()
        if response.status >= 300:
            raise AssertionError(f"{method} {path}: {response.status} {answer[:500]!r}")
        return answer

    def is_ready(self):
        try:
            self.do("GET", "/readyz")
            self.do("GET", "/api/v1/namespaces/default")
            return True
        except (OSError, http.client.HTTPException, AssertionError):
            self.connection.close()
            return False

    def get_micros(self, count=300):
        """The median time of a GET that has nothing to do with definitions."""
        times = []
        for _ in range(count):
            begin = time.perf_counter()
            self.do("GET", "/api/v1/namespaces/default")
            times.append(time.perf_counter() - begin)
        return statistics.median(times) * 1e6


def made_up(size):
    """A definition whose JSON has about `size` bytes: groups of properties as operators have them."""
    kinds = [{"type": "string", "maxLength": 253}, {"type": "integer", "format": "int32", "minimum": 0}, {"type": "boolean"},
             {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
             {"type": "object", "additionalProperties": {"type": "string"}},
             {"type": "string", "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"}, {"type": "string", "enum": ["Always", "Never"]}]
    spec, used, section = {}, 0, 0
    while used < size:
        properties = {}
        for i, kind in enumerate(kinds):
            properties[f"field{i}"] = {"description": f"Field {i} of section {section} says how the controller treats what it "
                                       "makes for this object, and takes effect with the next reconciliation.", **kind}
        spec[f"section{section}"] = {"type": "object", "description": f"Section {section} of the specification.",
                                     "required": ["field0"], "properties": properties}
        used = len(json.dumps(spec))
        section += 1
    schema = {"type": "object", "properties": {
        "spec": {"type": "object", "properties": spec},
        "status": {"type": "object", "properties": {"observedGeneration": {"type": "integer", "format": "int64"}}}}}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "widgets.example.com"},
            "spec": {"group": "example.com", "scope": "Namespaced",
                     "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
                     "versions": [{"name": "v1", "served": True, "storage": True, "subresources": {"status": {}},
                                   "schema": {"openAPIV3Schema": schema}}]}}


def read_definitions(folder):
    import yaml
    found = []
    for file in sorted(pathlib.Path(folder).glob("*.y*ml")):
        found += [d for d in yaml.load_all(file.read_text(), yaml.CSafeLoader)
                  if d and d.get("kind") == "CustomResourceDefinition"]
    return found


def bodies(templates, count):
    """(name, JSON) of `count` definitions, each of a name of its own."""
    for i in range(count):
        definition = copy.deepcopy(templates[i % len(templates)])
        group = f"g{i // len(templates)}.{definition['spec']['group']}"
        definition["spec"]["group"] = group
        definition["spec"].pop("conversion", None)  # the webhooks do not run here
        definition["metadata"] = {"name": f"{definition['spec']['names']['plural']}.{group}", "annotations": {
            "api-approved.kubernetes.io": "unapproved, a measurement"}}
        definition.pop("status", None)
        yield definition["metadata"]["name"], json.dumps(definition)


def start(options, directory, peer):
    directory.mkdir(exist_ok=True)
    if peer:
        return cluster.Upstream(options.peer.resolve(), directory)
    return cluster.Keelson(options.binary.resolve(), None, directory, extra=options.flag)


def ready_client(server):
    client = Client(server)
    cluster.wait_until(client.is_ready, "ready", seconds=600)
    return client


def wait_served(client, count):
    """Waits until discovery has `count` custom resources."""
    def all_served():
        groups = json.loads(client.do("GET", "/apis", Accept="application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"))
        served = {(group["metadata"]["name"], resource["resource"]) for group in groups["items"]
                  if re.match(r"g\d+\.", group["metadata"].get("name", "")) for version in group["versions"]
                  for resource in version.get("resources", [])}
        return len(served) == count
    cluster.wait_until(all_served, f"{count} resources in discovery", seconds=600)


def settled(server):
    """The memory of the server once it has not changed by more than 1 % for three seconds: freed memory goes back to the
    system little by little."""
    seen = [resident(server)]

    def steady():
        time.sleep(0.5)
        seen.append(resident(server))
        return len(seen) > 6 and max(seen[-7:]) - min(seen[-7:]) <= seen[-1] / 100

    cluster.wait_until(steady, "memory that does not change", seconds=60)
    return seen[-1]


def create_all(client, server, everything, report):
    """In five parts, so that a cost that grows with what is there shows."""
    begin, cpu = time.monotonic(), cpu_seconds(server)
    parts, size = [], -(-len(everything) // 5)
    for first in range(0, len(everything), size):
        part_begin = time.monotonic()
        for _, body in everything[first:first + size]:
            client.do("POST", DEFINITIONS, body)
        parts.append(time.monotonic() - part_begin)
    report("created in", f"{time.monotonic() - begin:,.1f} s")
    report("the first and the last fifth of them", f"{parts[0]:,.1f}, {parts[-1]:,.1f} s")
    wait_served(client, len(everything))
    report("all served after", f"{time.monotonic() - begin:,.1f} s")
    report("CPU time for each", f"{(cpu_seconds(server) - cpu) / len(everything) * 1e3:,.1f} ms")


def warm_up(client, everything):
    """Some definitions come and go, and so does what watches could resume from."""
    for _, body in everything[:WARMING]:
        client.do("POST", DEFINITIONS, body)
    wait_served(client, min(WARMING, len(everything)))
    for name, _ in everything[:WARMING]:
        client.do("DELETE", f"{DEFINITIONS}/{name}")
    wait_served(client, 0)
    client.connection.close()  # kube-apiserver would close it meanwhile: it is idle for longer than 90 s
    time.sleep(EVENTS_SECONDS)


def compare_gets(options, directory, client, report):
    """The same GET on an empty server and on this one, in turns: the speed of the machine changes."""
    empty = start(options, directory, peer=False)
    try:
        other = ready_client(empty)
        rounds = [(other.get_micros(), client.get_micros()) for _ in range(10)][1:]
        report("an unrelated GET on an empty server and on this", ", ".join(
            f"{statistics.median(times):,.0f}" for times in zip(*rounds)) + " us")
        report("of the empty server's, median of nine rounds", f"{statistics.median(b / a for a, b in rounds):,.2f}")
    finally:
        empty.stop()


def memory_after_deletion(server, empty, report):
    """Events that watches can resume from are kept for a while, so memory comes back in steps."""
    report("memory after their deletion", f"{settled(server) / MB:,.0f} MB")
    begin, least = time.monotonic(), resident(server)
    while least > 1.1 * empty and time.monotonic() - begin < 420:
        time.sleep(1)
        least = min(least, resident(server))
    report("the least within seven minutes", f"{least / MB:,.0f} MB after {time.monotonic() - begin:,.0f} s")
    report("of the empty server's", f"{least / empty:,.2f}")


def measure(options, directory, peer):
    templates = read_definitions(options.folder) if options.folder else [made_up(options.bytes)]
    everything = list(bodies(templates, options.count))
    report = Report("kube-apiserver and etcd" if peer else "Keelson")
    print(f"-- {report.server}")
    report("definitions", f"{options.count:,}")
    report("their JSON, on average", f"{sum(len(b) for _, b in everything) / len(everything) / 1e3:,.0f} kB")
    server = start(options, directory, peer)
    try:
        client = ready_client(server)
        warm_up(client, everything)
        before = client.get_micros()
        empty = settled(server)
        report("memory of the empty server", f"{empty / MB:,.0f} MB")
        create_all(client, server, everything, report)
        full = settled(server)
        report("memory", f"{full / MB:,.0f} MB")
        report("memory of each", f"{(full - empty) / options.count / 1e3:,.0f} kB")
        after = client.get_micros()
        report("an unrelated GET, before and after", f"{before:,.0f}, {after:,.0f} us")
        if not peer:
            compare_gets(options, directory.with_name("empty"), client, report)
        for path in () if options.no_documents else ("/apis", "/openapi/v3", "/openapi/v2"):
            begin = time.monotonic()
            size = len(client.do("GET", path, Accept="application/json"))
            report(f"{path}", f"{size / 1e6:,.1f} MB, {time.monotonic() - begin:,.2f} s")
        server.stop()
        begin = time.monotonic()
        server = start(options, directory, peer)
        client = ready_client(server)
        report("started again in", f"{time.monotonic() - begin:,.2f} s")
        wait_served(client, options.count)
        report("all served again after", f"{time.monotonic() - begin:,.2f} s")
        report("memory after the start", f"{settled(server) / MB:,.0f} MB")
        begin, cpu = time.monotonic(), cpu_seconds(server)
        for name, _ in everything:
            client.do("DELETE", f"{DEFINITIONS}/{name}")
        wait_served(client, 0)
        report("deleted in", f"{time.monotonic() - begin:,.1f} s")
        report("CPU time for each deletion", f"{(cpu_seconds(server) - cpu) / options.count * 1e3:,.1f} ms")
        memory_after_deletion(server, empty, report)
    finally:
        server.stop()
    return report


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=pathlib.Path, default=ROOT / "build" / "keelson")
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--from", dest="folder", type=pathlib.Path)
    parser.add_argument("--peer", type=pathlib.Path, help="a folder with kube-apiserver and etcd")
    parser.add_argument("--only-peer", action="store_true")
    parser.add_argument("--bytes", type=int, default=60_000)
    parser.add_argument("--no-documents", action="store_true", help="do not ask for discovery and OpenAPI")
    parser.add_argument("--flag", action="append", default=[], help="of keelson serve")
    options = parser.parse_args()
    if options.only_peer and not options.peer:
        parser.error("--only-peer needs --peer")
    reports = []
    for peer in (False, True):
        if (options.peer if peer else not options.only_peer):
            with tempfile.TemporaryDirectory() as directory:
                reports.append(measure(options, pathlib.Path(directory) / "run", peer))
    print_table(reports)


if __name__ == "__main__":
    main()
