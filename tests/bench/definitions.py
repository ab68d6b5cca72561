#!/usr/bin/env python3
"""Measures what CustomResourceDefinitions cost a server: time, memory, and what others notice of them.

    definitions.py [--binary build/keelson] [--count 5000] [--from FOLDER] [--peer FOLDER] [--bytes 60000]

Creates --count definitions, waits until all are established, starts the server again on them, and deletes them.
Without --from the definitions are made up: trees of described properties whose JSON has about --bytes bytes. With it
they are those of the YAML files of a folder (needs PyYAML), as often as needed, each time under another group. With
--peer the kube-apiserver and etcd in that folder are measured, not Keelson. Memory is that of all processes of a
server; times need a quiet machine.
"""

import argparse
import copy
import http.client
import json
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

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
MB = 1 << 20


def report(what, value):
    print(f"{what:<58} {value:>16}", flush=True)


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


def resident(server):
    total = 0
    for process in server.processes:
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        total += int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) << 10
    return total


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


def start(options, directory):
    directory.mkdir(exist_ok=True)
    if options.peer:
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


def measure(options, directory):
    templates = read_definitions(options.folder) if options.folder else [made_up(options.bytes)]
    everything = list(bodies(templates, options.count))
    report("definitions", f"{options.count:,}")
    report("their JSON, on average", f"{sum(len(b) for _, b in everything) / len(everything) / 1e3:,.0f} kB")
    server = start(options, directory)
    try:
        client = ready_client(server)
        before = client.get_micros()
        empty = settled(server)
        report("memory of the empty server", f"{empty / MB:,.0f} MB")
        begin = time.monotonic()
        for _, body in everything:
            client.do("POST", DEFINITIONS, body)
        report("created in", f"{time.monotonic() - begin:,.1f} s")
        wait_served(client, options.count)
        report("all served after", f"{time.monotonic() - begin:,.1f} s")
        full = settled(server)
        report("memory", f"{full / MB:,.0f} MB")
        report("memory of each", f"{(full - empty) / options.count / 1e3:,.0f} kB")
        after = client.get_micros()
        report("an unrelated GET, before and after", f"{before:,.0f}, {after:,.0f} us")
        for path in () if options.no_documents else ("/apis", "/openapi/v3", "/openapi/v2"):
            begin = time.monotonic()
            size = len(client.do("GET", path, Accept="application/json"))
            report(f"{path}, {size / 1e6:,.1f} MB", f"{time.monotonic() - begin:,.2f} s")
        server.stop()
        begin = time.monotonic()
        server = start(options, directory)
        client = ready_client(server)
        report("started again in", f"{time.monotonic() - begin:,.2f} s")
        wait_served(client, options.count)
        report("all served again after", f"{time.monotonic() - begin:,.2f} s")
        report("memory then", f"{settled(server) / MB:,.0f} MB")
        begin = time.monotonic()
        for name, _ in everything:
            client.do("DELETE", f"{DEFINITIONS}/{name}")
        report("deleted in", f"{time.monotonic() - begin:,.1f} s")
        wait_served(client, 0)
        left = settled(server)
        report("memory then", f"{left / MB:,.0f} MB")
        report("of the empty server's", f"{left / empty:,.2f}")
    finally:
        server.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=pathlib.Path, default=ROOT / "build" / "keelson")
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--from", dest="folder", type=pathlib.Path)
    parser.add_argument("--peer", type=pathlib.Path)
    parser.add_argument("--bytes", type=int, default=60_000)
    parser.add_argument("--no-documents", action="store_true", help="do not ask for discovery and OpenAPI")
    parser.add_argument("--flag", action="append", default=[], help="of keelson serve")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        measure(options, pathlib.Path(directory) / "run")


if __name__ == "__main__":
    main()
