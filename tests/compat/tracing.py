#!/usr/bin/env python3
"""The spans that both servers send a collector for the same requests: names, parents, kinds and attributes.

    KUBE_APISERVER=path/to/kube-apiserver ETCD=path/to/etcd tests/compat/tracing.py [--build DIR]

Every request says by its traceparent that it is to be recorded, as one of system:masters may; what else the servers
do is not, so that no span is lost in the rush of a start. Spans that only one of the servers makes, and
attributes that are left out on purpose, are named in docs/design/0153-tracing.md and listed here. Prints what else
differs, and ends with 1 if something does.
"""

import argparse
import hashlib
import http.client
import json
import pathlib
import ssl
import sys
import tempfile

from lib import servers
import otlp_collector  # tests/integration, which lib.servers has made known

MAPS = "/api/v1/namespaces/default/configmaps"
A_MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "traced"}, "data": {"a": "b"}}
SPAN = "b7ad6b7169203331"
STATE = {"tracestate": "vendor=1"}
JSON = {"Content-Type": "application/json"}
MERGE = {"Content-Type": "application/merge-patch+json"}

# audit id, method, path, body, further fields
REQUESTS = (
    ("version", "GET", "/version", None, {}),
    ("create", "POST", MAPS, A_MAP, JSON),
    ("again", "POST", MAPS, A_MAP, JSON),
    ("get", "GET", MAPS + "/traced", None, {}),
    ("cached", "GET", MAPS + "/traced?resourceVersion=0", None, {}),
    ("none", "GET", MAPS + "/none", None, {}),
    ("list", "GET", MAPS + "?resourceVersion=0", None, {}),
    ("cluster", "GET", "/api/v1/configmaps?resourceVersion=0", None, {}),
    ("update", "PUT", MAPS + "/traced", A_MAP, JSON),
    ("patch", "PATCH", MAPS + "/traced", {"data": {"c": "d"}}, MERGE),
    ("watch", "GET", MAPS + "?watch=1&timeoutSeconds=1", None, {}),
    ("delete", "DELETE", MAPS + "/traced", None, {}),
    ("state", "GET", MAPS + "?resourceVersion=0", None, STATE),
    ("unknown", "GET", "/apis/nothing.example.com/v1/things", None, {}),
)
# What depends on the process, the connection or the time.
VARIES = {"server.port", "network.peer.port", "http.response.body.size", "http.request.body.size"}
# Told by one of the two only: how upstream's Go code is made, and its way to etcd, which Keelson does not go when its
# cache is up to date or its store is its own.
NOT_COMPARED_ATTRIBUTES = {"encoder"}
NOT_COMPARED_SPANS = ("etcdserverpb.", "List(recursive=")
# Upstream reads what it deletes first; Keelson decides about it in an update.
NOT_COMPARED_IN = {"delete": ("cacher.Get", "GuaranteedUpdate etcd3")}


def trace_id(audit_id):
    return hashlib.sha256(audit_id.encode()).hexdigest()[:32]


def ask(port, audit_id, method, path, body, fields):
    connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=60, context=ssl._create_unverified_context())
    try:
        connection.request(method, path, json.dumps(body) if body is not None else None,
                           {"Authorization": f"Bearer {servers.TOKEN}", "Audit-ID": audit_id, "User-Agent": "compat",
                            "traceparent": f"00-{trace_id(audit_id)}-{SPAN}-01", **fields})
        connection.getresponse().read()
    finally:
        connection.close()


def shown(span, spans):
    """One span as it is compared: its name, kind and attributes, and the names of those above it."""
    by_id = {s.id: s for s in spans}
    above, at = [], by_id.get(span.parent)
    while at:
        above.append(at.name)
        at = by_id.get(at.parent)
    attributes = {name: "..." if name in VARIES else value for name, value in span.attributes.items()
                  if name not in NOT_COMPARED_ATTRIBUTES and not (name == "type" and value.startswith("*"))}
    return json.dumps({"name": span.name, "kind": span.kind, "below": above, "failed": span.failed, "state": span.state,
                       "remote": span.parent == SPAN, "attributes": dict(sorted(attributes.items()))})


def facts(start, folder):
    with otlp_collector.Collector() as collector:
        config = collector.config(folder)
        with start((f"--tracing-config-file={config}",)) as server:
            for request in REQUESTS:
                ask(server.port, *request)
            for request in REQUESTS:
                collector.trace_of(request[0], seconds=60)
            # The last spans of a trace may come with the next batch.
            ask(server.port, "last", "GET", "/version", None, {})
            collector.trace_of("last", seconds=60)
            spans = collector.spans
    traces = {request[0]: [s for s in spans if s.trace == trace_id(request[0])] for request in REQUESTS}
    return {audit_id: sorted(shown(span, spans) for span in spans
                             if not span.name.startswith((*NOT_COMPARED_SPANS, *NOT_COMPARED_IN.get(audit_id, ()))))
            for audit_id, spans in traces.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=str(servers.ROOT / "build"))
    options = parser.parse_args()
    binary = servers.upstream_binary(options.build)
    with tempfile.TemporaryDirectory(prefix="tracing-") as folder:
        folder = pathlib.Path(folder)
        ours = facts(lambda flags: servers.Keelson(pathlib.Path(options.build) / "keelson", flags), folder)
        theirs = facts(lambda flags: servers.Upstream(binary, flags), folder)
    bad = 0
    for request in REQUESTS:
        expected, got = theirs[request[0]], ours[request[0]]
        if expected == got:
            continue
        bad += 1
        print(f"{request[0]}: {request[1]} {request[2]}")
        print("\n".join(["  - " + line for line in expected if line not in got] +
                        ["  + " + line for line in got if line not in expected]))
    print(f"{len(REQUESTS) - bad} of {len(REQUESTS)} requests have the same spans")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
