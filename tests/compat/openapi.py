#!/usr/bin/env python3
"""OpenAPI documents of both servers: the index of /openapi/v3, and every document member by member.

    KUBE_APISERVER=path/to/kube-apiserver tests/compat/openapi.py [--build DIR] [--all] [--cbor] [--limit N]

Compares all that documents have, v2 in JSON and in protobuf: paths, operations, parameters, bodies, answers, media types,
definitions, properties, types, formats, defaults, extensions; of descriptions that there is one where upstream has
one, and that it is not upstream's, word for word or nearly. Parameters are compared where they are used; their names in `/openapi/v2` say nothing. Prints what differs, and ends
with 1 if something does. With --all both servers serve every version, with the gates that this needs; with --cbor they
speak CBOR. kube-apiserver needs an etcd in $PATH.
"""

import argparse
import difflib
import http.client
import json
import os
import pathlib
import re
import ssl
import sys

from lib import gnostic, servers

# With all that the two dialects say differently of a schema.
SCHEMA = {"type": "object", "required": ["spec"], "properties": {
    "spec": {"type": "object", "required": ["schedule", "note"], "properties": {
        "schedule": {"type": "string", "pattern": "^[^ ]+$", "default": "@daily", "description": "When."},
        "note": {"type": "string", "nullable": True, "description": "May be null."},
        "replicas": {"type": "integer", "format": "int32", "minimum": 0, "maximum": 9, "default": 1},
        "port": {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]},
        "limit": {"x-kubernetes-int-or-string": True},
        "mode": {"type": "string", "enum": ["A", "B"]},
        "name": {"type": "string", "minLength": 1, "maxLength": 63},
        "share": {"type": "number", "minimum": 0.5, "exclusiveMinimum": True, "multipleOf": 0.25},
        "hosts": {"type": "array", "minItems": 1, "maxItems": 9, "x-kubernetes-list-type": "set", "items": {"type": "string"}},
        "free": {"type": "object", "additionalProperties": True, "minProperties": 1, "maxProperties": 5},
        "open": {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": {"a": {"type": "string"}}},
        "rows": {"type": "array", "items": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
        "object": {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True},
        "inner": {"type": "object", "x-kubernetes-embedded-resource": True, "properties": {"spec": {"type": "object"}}},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}, "x-kubernetes-map-type": "atomic"},
        "parts": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
                  "items": {"type": "object", "required": ["name"], "properties": {
                      "name": {"type": "string"}, "weight": {"type": "number", "default": 0.5}}}},
        "one": {"type": "object", "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
                "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
        "checked": {"type": "integer", "x-kubernetes-validations": [{"rule": "self > 1", "message": "too small"}]}}},
    "status": {"type": "object", "properties": {"since": {"type": "string", "format": "date-time"}}}}}
DEFINITION = {"spec": {"group": "stable.example.com", "scope": "Namespaced",
                       "names": {"plural": "crontabs", "kind": "CronTab"}, "versions": [
                           {"name": "v1", "served": True, "storage": True, "subresources": {
                               "status": {}, "scale": {"specReplicasPath": ".spec.replicas",
                                                       "statusReplicasPath": ".status.replicas"}},
                            "schema": {"openAPIV3Schema": SCHEMA}}]},
              "metadata": {"name": "crontabs.stable.example.com"}}
GROUP_VERSION = "apis/stable.example.com/v1"
WORDS = "…"  # stands for a description
# Texts of fewer words, such as "Name of the node", are alike whoever writes them.
FEWEST_WORDS, ALIKE = 5, 0.9
PROTOBUF = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
# Lists in which order means nothing.
UNORDERED = ("consumes", "produces", "required", "x-kubernetes-group-version-kind")
# Everything that is off by default.
GATES = ("ClusterTrustBundle", "PodCertificateRequest", "StorageVersionMigrator", "GenericWorkload",
         "DRAWorkloadResourceClaims", "TopologyAwareWorkloadScheduling", "WorkloadAwarePreemption",
         "DRADeviceTaintRules", "DRAResourcePoolStatus", "WorkloadWithJob", "GangScheduling")
CBOR = "CBORServingAndStorage"


def resolved(parameters, document):
    """Parameters without references, by place and name."""
    found = {}
    for parameter in parameters:
        if reference := parameter.get("$ref"):
            parameter = document["parameters"][reference.rpartition("/")[2]]
        found[f"{parameter['in']} {parameter['name']}"] = parameter
    return found


def comparable(value, document, key=""):
    """`value` without prose and without the order in which things are told."""
    if isinstance(value, list):
        if key == "parameters":
            return comparable(resolved(value, document), document)
        items = [comparable(item, document) for item in value]
        return sorted(items, key=lambda item: json.dumps(item, sort_keys=True)) if key in UNORDERED else items
    if isinstance(value, dict):
        return {k: WORDS if k == "description" and isinstance(v, str) else comparable(v, document, k)
                for k, v in value.items() if k != "parameters" or isinstance(v, list)}
    return value


def differences(expected, got, path=()):
    """What differs, as (path, expected, got); absent is None."""
    if isinstance(expected, dict) and isinstance(got, dict):
        if only_described(expected, got):
            return
        for key in sorted(set(expected) | set(got)):
            yield from differences(expected.get(key), got.get(key), (*path, key))
    elif expected != got and not (expected is None and got == WORDS):
        yield path, expected, got


def words_of(text):
    return re.findall(r"[a-z0-9]+", text.lower())


def copied(expected, got, path=()):
    """Where descriptions are upstream's or nearly so, as (path, upstream's)."""
    if not (isinstance(expected, dict) and isinstance(got, dict)):
        return
    theirs, ours = expected.get("description"), got.get("description")
    if isinstance(theirs, str) and isinstance(ours, str) and len(words_of(ours)) >= FEWEST_WORDS:
        if difflib.SequenceMatcher(None, words_of(theirs), words_of(ours), autojunk=False).ratio() > ALIKE:
            yield path, theirs
    for key in expected.keys() & got.keys():
        yield from copied(expected[key], got[key], (*path, key))


def only_described(expected, got):
    """They differ in that Keelson has words where upstream has none: in v3 a reference is wrapped then."""
    return set(expected) == {"$ref"} and got == {"allOf": [expected], "description": WORDS}


class Asked:
    def __init__(self, port):
        self._port = port

    def json(self, path, method="GET", body=None):
        return json.loads(self.bytes(path, method, body))

    def bytes(self, path, method="GET", body=None, accept="application/json"):
        connection = http.client.HTTPSConnection("127.0.0.1", self._port, timeout=60,
                                                 context=ssl._create_unverified_context())
        try:
            connection.request(method, path, json.dumps(body) if body else None, {
                "Authorization": f"Bearer {servers.TOKEN}", "Content-Type": "application/json", "Accept": accept})
            return connection.getresponse().read()
        finally:
            connection.close()

    def documents(self):
        """By key of the index, and "v2", and "v2 in protobuf"."""
        self.json("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "POST", DEFINITION)
        servers.harness.wait_until(lambda: GROUP_VERSION in self.json("/openapi/v3")["paths"], "the definition", seconds=60)
        index = self.json("/openapi/v3")["paths"]
        found = {key: self.json(entry["serverRelativeURL"]) for key, entry in index.items()}
        servers.harness.wait_until(lambda: "/" + GROUP_VERSION + "/crontabs" in self.json("/openapi/v2")["paths"],
                                   "the definition in v2", seconds=60)
        found["v2"] = self.json("/openapi/v2")
        found["v2 in protobuf"] = gnostic.read(self.bytes("/openapi/v2", accept=PROTOBUF))
        return found


def compare(expected, got):
    """What differs, as lines, and how many paths and definitions were compared."""
    lines, compared = [], 0
    for key in sorted(set(expected) | set(got)):
        if key not in expected or key not in got:
            lines.append(f"index: {'lacks' if key in expected else 'has'} {key}")
            continue
        wanted, found = (comparable(documents[key], documents[key]) for documents in (expected, got))
        compared += len(wanted["paths"]) + len(wanted.get("definitions") or wanted["components"].get("schemas", {}))
        for path, a, b in differences(wanted, found):
            lines.append(f"{key}: {' > '.join(path)}:\n  upstream {shown(a)}\n  keelson  {shown(b)}")
    for path, text in sorted(copied(expected["v2"], got["v2"])):
        lines.append(f"v2: {' > '.join(path)}: described in upstream's words: {shown(text)}")
    return lines, compared


def shown(value):
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return text if len(text) < 400 else text[:400] + "…"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=servers.ROOT / "build")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--cbor", action="store_true")
    parser.add_argument("--limit", type=int, default=200, help="how many differences to print")
    options = parser.parse_args()
    gates = (*(GATES if options.all else ()), *((CBOR,) if options.cbor else ()))
    flags = ["--feature-gates=" + ",".join(f"{gate}=true" for gate in gates)] if gates else []
    flags += ["--runtime-config=api/all=true"] if options.all else []
    found = []
    for server in (servers.Upstream(os.environ["KUBE_APISERVER"], flags), servers.Keelson(options.build / "keelson", flags)):
        with server:
            found.append(Asked(server.port).documents())
    lines, compared = compare(*found)
    print("\n".join(lines[:options.limit]))
    print(f"{compared} paths and definitions compared, {len(lines)} differences")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
