"""Every list of every built-in type, filled with as many elements as a body holds: none keeps the server busy for long.

A list is filled twice, with elements that all differ and with one element again and again, and sent as a dry run.
$KEELSON_LONG_LISTS=all tries all lists and reports the slow ones; otherwise a sample with a bound that only work
quadratic in the length of the list can exceed.
"""

import http.client
import json
import os
import pathlib
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "integration"))

import harness  # noqa: E402  (the folder is only known now)

ALL = os.environ.get("KEELSON_LONG_LISTS") == "all"
EVERY = 25            # of the lists, in the sample
BODY_BYTES = 1_500_000
SLOW_SECONDS = 1.0    # reported by a run of all
SECONDS = 30.0        # never taken, not even by a sanitizer's build on a busy machine
# Lists for which work was quadratic once.
KNOWN = {("PodSpec", "topologySpreadConstraints"), ("ObjectMeta", "managedFields"), ("ObjectMeta", "ownerReferences"),
         ("ServiceSpec", "ports"), ("CertificateSigningRequestSpec", "usages"), ("EndpointSlice", "ports"),
         ("TopologySpreadConstraint", "matchLabelKeys"), ("PodAffinityTerm", "matchLabelKeys")}


class Schemas:
    """The types of one document of /openapi/v3."""

    def __init__(self, document):
        self._schemas = document.get("components", {}).get("schemas", {})

    def resolve(self, schema):
        while True:
            if "$ref" in schema:
                schema = {**self._schemas[schema["$ref"].rsplit("/", 1)[1]], "_name": schema["$ref"].rsplit(".", 1)[1]}
            elif len(schema.get("allOf", [])) == 1:
                schema = schema["allOf"][0]
            else:
                return schema

    def lists(self, root):
        """(type, field, path to the list, element) for each list field, once for each type, the shallowest path."""
        queue, seen = [(root, [])], set()
        while queue:
            schema, path = queue.pop(0)
            schema = self.resolve(schema)
            name = schema.get("_name", "")
            if name in seen:
                continue
            seen.add(name)
            for field, value in schema.get("properties", {}).items():
                value_type = self.resolve(value)
                step = [*path, field]
                if value_type.get("type") == "array":
                    yield name, field, step, {**value_type, "_keys": value.get("x-kubernetes-list-map-keys", [])}
                    queue.append((value_type["items"], [*step, 0]))
                elif value_type.get("type") == "object" and "properties" in value_type:
                    queue.append((value, step))
                elif isinstance(value_type.get("additionalProperties"), dict):
                    queue.append((value_type["additionalProperties"], [*step, "k"]))

    def minimal(self, schema, number, keys=()):
        """The least that the type requires, with `number` where values may differ."""
        schema = self.resolve(schema)
        kind = schema.get("type")
        if kind == "object" or "properties" in schema:
            wanted = {*schema.get("required", []), *keys, *({"name", "key"} & set(schema.get("properties", {})))}
            return {name: self.minimal(schema["properties"][name], number)
                    for name in schema.get("properties", {}) if name in wanted}
        if kind == "array":
            return [self.minimal(schema["items"], number)]
        if kind in ("integer", "number"):
            return number % 60000 + 1
        if kind == "boolean":
            return True
        if "enum" in schema:
            return schema["enum"][number % len(schema["enum"])]
        return f"a{number}"


def filled(schemas, root, path, array, same):
    """An object of `root` whose list at `path` is as long as a body holds."""
    elements, size, number = [], 0, 0
    while size < BODY_BYTES:
        text = json.dumps(schemas.minimal(array["items"], 0 if same else number, array["_keys"]))
        elements.append(text)
        size += len(text) + 1
        number += 1
    text = "[" + ",".join(elements) + "]"
    # From the inside out; what surrounds the list has the least that its types require.
    containers = [root]
    for step in path[:-1]:
        at = schemas.resolve(containers[-1])
        containers.append(at["items"] if step == 0 else at["additionalProperties"] if step == "k"
                          else at["properties"][step])
    for step, container in zip(reversed(path), reversed(containers)):
        if step == 0:
            text = "[" + text + "]"
            continue
        around = schemas.minimal(container, 0)
        around = around if isinstance(around, dict) and step != "k" else {}
        around.pop(step, None)
        if container is root:
            around.setdefault("metadata", {"name": "a"})
        members = [f"{json.dumps(name)}:{json.dumps(value)}" for name, value in around.items() if name != step]
        if path[0] == "metadata" and container is not root and "generateName" in schemas.resolve(container).get(
                "properties", {}):
            members.append('"name":"a"')
        text = "{" + ",".join([*members, json.dumps(step) + ":" + text]) + "}"
    return text, len(elements)


class LongListsTest(harness.ServerTestCase):
    server_args = ("--storage-backend=memory",)

    def targets(self):
        """(path to post to, schemas, root) for each kind that can be created in a collection."""
        for path, entry in self.server.get("/openapi/v3").json()["paths"].items():
            if not path.startswith("api"):
                continue
            document = self.server.get(entry["serverRelativeURL"]).json()
            for url, operations in document.get("paths", {}).items():
                content = operations.get("post", {}).get("requestBody", {}).get("content", {})
                if content and "{name}" not in url and not url.rstrip("/").endswith(("bindings", "reviews")):
                    yield url.replace("{namespace}", "default"), Schemas(document), next(iter(content.values()))["schema"]

    def lists(self):
        seen = set()
        for url, schemas, root in self.targets():
            for name, field, path, array in schemas.lists(root):
                if (name, field) not in seen:
                    seen.add((name, field))
                    yield name, field, url, schemas, root, path, array

    def test_a_list_as_long_as_a_body_is_no_long_work(self):
        slow, tried = [], 0
        for number, (name, field, url, schemas, root, path, array) in enumerate(self.lists()):
            if not ALL and number % EVERY and (name, field) not in KNOWN:
                continue
            for same in (False, True):
                body, length = filled(schemas, root, path, array, same)
                started = time.monotonic()
                try:
                    answer = self.server.request("POST", url + "?dryRun=All", body.encode(), timeout=600,
                                                 headers={"Content-Type": "application/json"})
                except http.client.LineTooLong:  # of warnings
                    answer = harness.Response(0, {}, b"")
                took = time.monotonic() - started
                tried += 1
                what = f"{name}.{field} ×{length}{' the same' if same else ''}: {took:.2f} s, {answer.status}, " \
                       f"{len(answer.body)} bytes"
                if ALL and took > SLOW_SECONDS:
                    slow.append(what)
                    print(what, flush=True)
                with self.subTest(what):
                    self.assertLess(took, SECONDS)
                    self.assertLess(len(answer.body), 8 * len(body))
        self.assertGreater(tried, 20)
        if ALL:
            print(f"{tried} tries, {len(slow)} of them slow")


if __name__ == "__main__":
    unittest.main()
