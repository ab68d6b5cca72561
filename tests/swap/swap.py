#!/usr/bin/env python3
"""kube-apiserver and Keelson on one etcd: each reads, watches, changes and deletes what the other wrote.

    swap.py [--build build] [--only REGEX] [--managed-fields]

For every resource that Keelson's discovery lists, in both directions: one server creates an object, the other
gets, lists and watches it, replaces it and deletes it; both must tell the same at every step, and what is stored
for the same request must be the same bytes, whoever stored it. Then both with encryption at rest (encrypted.py).
Details of what differs go to BUILD/swap/.
Exits with 1 when anything differs that known.txt does not name.
"""

import argparse
import json
import pathlib
import re
import sys

import encrypted
import servers
import stored
from etcd import Etcd
from generate import resource as resources
from watching import Watch

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMESPACE = "swap"
JSON = {"Content-Type": "application/json"}
STEPS = ("create", "get", "list", "watch", "update", "delete", "bytes")
NEEDED = {"create", "get", "list", "watch", "update", "delete"}
# Allocated by each server for itself, from a range that it keeps in its own way.
PINNED = {"services": {"spec": {"clusterIP": "None", "ports": [{"port": 80}]}}}


class Difference(Exception):
    def __init__(self, step, text):
        super().__init__(text)
        self.step = step


def check(step, condition, text):
    if not condition:
        raise Difference(step, text() if callable(text) else text)


class Side:
    """One server, and how it is asked."""

    def __init__(self, server):
        self.name, self.client = server.name, server.client()

    def ask(self, method, path, body=None):
        try:
            answer = self.client.request(method, path, JSON, json.dumps(body) if body is not None else None)
        except OSError as error:
            self.client.close()
            return 0, f"no answer: {error}"
        try:
            return answer.status, json.loads(answer.body)
        except ValueError:
            return answer.status, answer.body

    def expect(self, step, codes, method, path, body=None):
        status, answer = self.ask(method, path, body)
        check(step, status in codes, lambda: f"{self.name}: {method} {path}: {status} {json.dumps(answer)[:600]}")
        return answer


def without_managed_fields(value):
    value = json.loads(json.dumps(value))
    value.get("metadata", {}).pop("managedFields", None)
    return value


class Exchange:
    """One resource in one direction."""

    def __init__(self, one, writer, other, etcd):
        self.one, self.writer, self.other, self.etcd = one, writer, other, etcd
        # Unlike that of any other resource, as keys are found by it.
        self.tag = "swap" + re.sub("[^a-z]", "", one.id)
        self.collection = one.collection(NAMESPACE)
        self.body = json.loads(json.dumps({**one.minimal(self.tag), **PINNED.get(one.plural, {})}).replace("$ns", NAMESPACE))
        self.path = f"{self.collection}/{self.body['metadata']['name']}"
        self.stored = {}  # step to (bytes, answer as text)

    def same(self, step, left, right, what):
        check(step, left == right, lambda: f"{what} differs:\n{json.dumps(left, indent=1)}\n--\n{json.dumps(right, indent=1)}")

    def run(self):
        writer, other = self.writer, self.other
        revision = other.expect("list", (200,), "GET", self.collection)["metadata"]["resourceVersion"]
        watches = [Watch(side.client, f"{self.collection}?watch=1&resourceVersion={revision}") for side in (writer, other)]
        try:
            made = writer.expect("create", (201,), "POST", self.collection, self.body)
            key = self.key()
            if self.one.settles:
                made = self.settled()
            self.keep("create", key, made)
            self.read(made)
            update = json.loads(json.dumps(made))
            update["metadata"]["labels"]["changed"] = "yes"
            changed = other.expect("update", (200,), "PUT", self.path, update)
            if self.one.settles:
                changed = self.settled()
            self.keep("update", key, changed)
            self.same("update", writer.expect("update", (200,), "GET", self.path), changed, f"what {writer.name} reads after")
            other.expect("delete", (200, 202), "DELETE", self.path + "?gracePeriodSeconds=0&propagationPolicy=Background")
            self.release()
            self.gone()
            self.told(watches)
        finally:
            for watch in watches:
                watch.close()
            self.remove()

    def release(self):
        """Takes off the finalizers that protect what is in use, as a controller would."""
        if self.one.settles:
            return  # kube-apiserver's own controllers do
        status, left = self.other.ask("GET", self.path)
        if status == 200 and left["metadata"].pop("finalizers", None):
            self.other.expect("delete", (200,), "PUT", self.path, left)

    def remove(self):
        """What a failed exchange left behind."""
        for side in (self.writer, self.other):
            status, left = side.ask("GET", self.path)
            if status == 200 and left["metadata"].pop("finalizers", None):
                side.ask("PUT", self.path, left)
            side.ask("DELETE", self.path + "?gracePeriodSeconds=0&propagationPolicy=Background")

    def key(self):
        found = [key for key in self.etcd.keys() if key.endswith("/" + self.body["metadata"]["name"]) and
                 (not self.one.namespaced or f"/{NAMESPACE}/" in key)]
        check("create", len(found) == 1, f"keys of the object: {found}")
        return found[0]

    def keep(self, step, key, answer):
        self.stored[step] = (key, self.etcd.get(key)[0], json.dumps(answer))

    def settled(self):
        self.other.client.settle(self.path)
        return self.other.expect("get", (200,), "GET", self.path)

    def read(self, made):
        got = self.other.expect("get", (200,), "GET", self.path)
        self.same("get", got, made, f"what {self.other.name} reads and {self.writer.name} answered")
        items = self.other.expect("list", (200,), "GET", self.collection)["items"]
        listed = [item for item in items if item["metadata"]["name"] == made["metadata"]["name"]]
        check("list", len(listed) == 1, f"{self.other.name} lists {len(listed)}")

    def gone(self):
        def both():
            return all(side.ask("GET", self.path)[0] == 404 for side in (self.writer, self.other))
        try:
            servers.harness.wait_until(both, "the object is gone", seconds=20)
        except AssertionError:
            raise Difference("delete", f"still there: {self.writer.ask('GET', self.path)}") from None

    def told(self, watches):
        """Both watches tell the same: the object came, changed and went."""
        stories = []
        for watch, side in zip(watches, (self.writer, self.other)):
            events = watch.until_deleted(self.body["metadata"]["name"])
            types = [event["type"] for event in events]
            check("watch", types[:1] == ["ADDED"] and types[-1:] == ["DELETED"] and "MODIFIED" in types,
                  f"{side.name} told {types}")
            stories.append(events)
        self.same("watch", stories[0], stories[1], f"what {self.writer.name} and {self.other.name} told")


def compare_bytes(exchanges, keep_managed_fields):
    """What either server stored for the same request."""
    for step in ("create", "update"):
        (key, one, text), (other_key, other, other_text) = (e.stored[step] for e in exchanges)
        check("bytes", key == other_key, f"{key} and {other_key}")
        names = [e.writer.name if step == "create" else e.other.name for e in exchanges]
        one = stored.normalized(one, text, keep_managed_fields)
        other = stored.normalized(other, other_text, keep_managed_fields)
        check("bytes", one == other, lambda: f"stored by {step}:\n{names[0]}: {one!r}\n{names[1]}: {other!r}")


def exercise(one, keelson, upstream, etcd, keep_managed_fields):
    """Step to what is wrong with it."""
    found, exchanges = {}, []
    for writer, other in ((keelson, upstream), (upstream, keelson)):
        try:
            exchange = Exchange(one, writer, other, etcd)
            exchanges.append(exchange)
            exchange.run()
        except Difference as difference:
            found.setdefault(difference.step, []).append(f"{writer.name} writes: {difference}")
    if all("update" in exchange.stored for exchange in exchanges):
        try:
            # Of what controllers of both servers write, too, the order of managers is a matter of seconds.
            compare_bytes(exchanges, keep_managed_fields and not one.settles)
        except Difference as difference:
            found.setdefault("bytes", []).append(str(difference))
    return found


def read_known(path):
    """`resource step` patterns, each with a reason behind #."""
    known = {}
    for line in path.read_text().splitlines():
        entry, _, reason = line.partition("#")
        if entry.strip():
            known[tuple(entry.split())] = reason.strip()
    return known


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--only", default="")
    parser.add_argument("--managed-fields", action=argparse.BooleanOptionalAction, default=True, help="compare managedFields too")
    options = parser.parse_args()
    details = options.build / "swap"
    details.mkdir(parents=True, exist_ok=True)
    for old in details.glob("*.txt"):
        old.unlink()
    known = read_known(pathlib.Path(__file__).with_name("known.txt"))
    binary = servers.compat.upstream_binary(options.build)
    with Etcd() as etcd, servers.Upstream(etcd, binary, details / "kube-apiserver.log") as upstream, \
            servers.Keelson(etcd, options.build / "keelson") as keelson:
        sides = Side(keelson), Side(upstream)
        sides[0].expect("create", (201,), "POST", "/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
        results = {}
        for one in resources.discover(lambda path, accept: json.loads(
                sides[0].client.request("GET", path, {"Accept": accept}).body)):
            if NEEDED <= set(one.verbs) and re.search(options.only, one.id):
                results[one.id] = exercise(one, *sides, etcd, options.managed_fields)
    failed = report(results, known, details, options.managed_fields)
    if re.search(options.only, "secrets"):
        failed |= encrypted.run(options.build / "keelson", binary, details)
    return failed


def report(results, known, details, keep_managed_fields):
    unexplained, used = 0, set()
    width = max(map(len, results), default=10)
    print(f"{'resource':{width}}  " + "  ".join(f"{step:6}" for step in STEPS))
    for name, found in sorted(results.items()):
        cells = []
        for step in STEPS:
            entry = next((k for k in ((name, step), (name, "*"), ("*", step)) if k in known), None)
            if step not in found:
                cells.append("-" if step == "bytes" and found else "ok")
            elif entry:
                used.add(entry)
                cells.append("known")
            else:
                unexplained += 1
                cells.append("DIFFERS")
        if found:
            text = "\n\n".join(f"== {step}\n" + "\n".join(lines) for step, lines in found.items())
            (details / (name.replace("/", "_") + ".txt")).write_text(text + "\n")
        print(f"{name:{width}}  " + "  ".join(f"{cell:6}" for cell in cells))
    same = sum(not found for found in results.values())
    print(f"\n{len(results)} resources, {same} without any difference, {unexplained} unexplained differences; "
          f"details in {details}")
    print("managedFields were compared" if keep_managed_fields else "managedFields were left out of the bytes")
    for entry in sorted(used):
        print(f"known: {' '.join(entry)}: {known[entry]}")
    return 1 if unexplained or not results else 0


if __name__ == "__main__":
    sys.exit(main())
