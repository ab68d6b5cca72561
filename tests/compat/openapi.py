#!/usr/bin/env python3
"""OpenAPI documents of both servers: the index of /openapi/v3, and the paths and operations of every document.

    KUBE_APISERVER=path/to/kube-apiserver tests/compat/openapi.py [--build DIR]

Compares what documents say can be asked: paths, methods, ids, tags, parameters, bodies, answers and media types; prose
aside. Prints what differs, and ends with 1 if something does. kube-apiserver needs an etcd in $PATH.
"""

import argparse
import http.client
import json
import os
import pathlib
import ssl
import sys

from lib import servers

METHODS = ("delete", "get", "head", "options", "patch", "post", "put")
DEFINITION = {"spec": {"group": "stable.example.com", "scope": "Namespaced",
                       "names": {"plural": "crontabs", "kind": "CronTab"}, "versions": [
                           {"name": "v1", "served": True, "storage": True, "subresources": {"status": {}},
                            "schema": {"openAPIV3Schema": {"type": "object", "properties": {"status": {
                                "type": "object"}}}}}]},
              "metadata": {"name": "crontabs.stable.example.com"}}
GROUP_VERSION = "apis/stable.example.com/v1"


def without_prose(value):
    if isinstance(value, dict):
        return {k: without_prose(v) for k, v in value.items() if k != "description" or not isinstance(v, str)}
    return [without_prose(v) for v in value] if isinstance(value, list) else value


def resolved(parameters, document):
    """Parameters without references, by place and name."""
    found = {}
    for parameter in parameters:
        if reference := parameter.get("$ref"):
            parameter = document["parameters"][reference.rpartition("/")[2]]
        found[f"{parameter['in']} {parameter['name']}"] = parameter
    return found


def operations(document):
    """What can be asked, by "METHOD path": a document's own, without prose and the order in which things are told."""
    found = {}
    document = without_prose({k: document.get(k, {}) for k in ("paths", "parameters")})
    for path, item in document["paths"].items():
        shared = resolved(item.get("parameters", []), document)
        for method in METHODS:
            if method not in item:
                continue
            operation = item[method]
            operation["parameters"] = {**shared, **resolved(operation.get("parameters", []), document)}
            for unordered in ("consumes", "produces"):
                if unordered in operation:
                    operation[unordered] = sorted(operation[unordered])
            found[f"{method} {path}"] = operation
    return found


class Asked:
    def __init__(self, port):
        self._port = port

    def json(self, path, method="GET", body=None):
        connection = http.client.HTTPSConnection("127.0.0.1", self._port, timeout=60,
                                                 context=ssl._create_unverified_context())
        try:
            connection.request(method, path, json.dumps(body) if body else None, {
                "Authorization": f"Bearer {servers.TOKEN}", "Content-Type": "application/json"})
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()

    def documents(self):
        """By key of the index, and "v2"."""
        self.json("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "POST", DEFINITION)
        servers.harness.wait_until(lambda: GROUP_VERSION in self.json("/openapi/v3")["paths"], "the definition", seconds=60)
        index = self.json("/openapi/v3")["paths"]
        found = {key: self.json(entry["serverRelativeURL"]) for key, entry in index.items()}
        servers.harness.wait_until(lambda: "/" + GROUP_VERSION + "/crontabs" in self.json("/openapi/v2")["paths"],
                                   "the definition in v2", seconds=60)
        found["v2"] = self.json("/openapi/v2")
        return found


def allowed(name, member):
    """What is listed in docs/compatibility.md: which deletions answer with the object."""
    return name.startswith("delete ") and member == "responses"


def compare(expected, got):
    """What differs, as lines, and how much was compared."""
    lines = [f"index: {'lacks' if key in expected else 'has'} {key}" for key in sorted(set(expected) ^ set(got))]
    compared = len(set(expected) | set(got))
    for key in sorted(set(expected) & set(got)):
        wanted, found = operations(expected[key]), operations(got[key])
        compared += len(set(wanted) | set(found))
        for name in sorted(set(wanted) | set(found)):
            if name not in wanted or name not in found:
                lines.append(f"{key}: {'lacks' if name in wanted else 'has'} {name}")
                continue
            for member in sorted(set(wanted[name]) | set(found[name])):
                a, b = wanted[name].get(member), found[name].get(member)
                if a != b and not allowed(name, member):
                    lines.append(f"{key}: {name}: {member}:\n  upstream {json.dumps(a, sort_keys=True)}\n"
                                 f"  keelson  {json.dumps(b, sort_keys=True)}")
    return lines, compared


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=servers.ROOT / "build")
    options = parser.parse_args()
    found = []
    for server in (servers.Upstream(os.environ["KUBE_APISERVER"]), servers.Keelson(options.build / "keelson")):
        with server:
            found.append(Asked(server.port).documents())
    lines, compared = compare(*found)
    print("\n".join(lines))
    print(f"{compared} entries and operations compared, {len(lines)} differences")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
