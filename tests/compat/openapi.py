#!/usr/bin/env python3
"""OpenAPI documents of both servers: the index of /openapi/v3, and every document member by member.

    KUBE_APISERVER=path/to/kube-apiserver tests/compat/openapi.py [--build DIR] [--all] [--limit N]

Compares all that documents have, v2 in JSON and in protobuf: paths, operations, parameters, bodies, answers, media types,
definitions, properties, types, formats, defaults, extensions; of descriptions only that there is one where upstream has
one. Parameters are compared where they are used; their names in `/openapi/v2` say nothing. Prints what differs, and ends
with 1 if something does. With --all both servers serve every version, with the gates that this needs. kube-apiserver
needs an etcd in $PATH.
"""

import argparse
import http.client
import json
import os
import pathlib
import ssl
import sys

from lib import gnostic, servers

DEFINITION = {"spec": {"group": "stable.example.com", "scope": "Namespaced",
                       "names": {"plural": "crontabs", "kind": "CronTab"}, "versions": [
                           {"name": "v1", "served": True, "storage": True, "subresources": {"status": {}},
                            "schema": {"openAPIV3Schema": {"type": "object", "properties": {"status": {
                                "type": "object"}}}}}]},
              "metadata": {"name": "crontabs.stable.example.com"}}
GROUP_VERSION = "apis/stable.example.com/v1"
WORDS = "…"  # stands for a description
PROTOBUF = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
# Lists in which order means nothing.
UNORDERED = ("consumes", "produces", "required", "x-kubernetes-group-version-kind")
# Everything that is off by default.
GATES = ("ClusterTrustBundle", "PodCertificateRequest", "StorageVersionMigrator", "GenericWorkload",
         "DRAWorkloadResourceClaims", "TopologyAwareWorkloadScheduling", "WorkloadAwarePreemption",
         "DRADeviceTaintRules", "DRAResourcePoolStatus", "WorkloadWithJob", "GangScheduling")
ALL = ("--runtime-config=api/all=true", "--feature-gates=" + ",".join(f"{gate}=true" for gate in GATES))


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
    return lines, compared


def shown(value):
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return text if len(text) < 400 else text[:400] + "…"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=servers.ROOT / "build")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--limit", type=int, default=200, help="how many differences to print")
    options = parser.parse_args()
    flags = ALL if options.all else ()
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
