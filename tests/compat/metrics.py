#!/usr/bin/env python3
"""The families of /metrics and /metrics/slis, their types and labels, on both servers after the same requests.

    KUBE_APISERVER=path/to/kube-apiserver tests/compat/metrics.py [--build DIR] [--all]

Prints the families that differ in their type, their labels or the bounds of their buckets, those that only
kube-apiserver has (with --all; else how many), and the series of requests that differ in their labels. Ends with 1
if something differs. kube-apiserver needs an etcd in $PATH.
"""

import argparse
import http.client
import json
import pathlib
import re
import ssl
import sys

from lib import servers

PODS = "/api/v1/namespaces/default/pods"
MAPS = "/api/v1/namespaces/default/configmaps"
A_MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"a": "b"}}
JSON = "application/json"

# method, path, body, content type
TRAFFIC = (
    ("GET", "/healthz", None, ""), ("GET", "/livez?verbose", None, ""), ("GET", "/readyz", None, ""),
    ("GET", "/version", None, ""), ("GET", "/api", None, ""), ("GET", "/apis", None, ""), ("GET", "/api/v1", None, ""),
    ("GET", "/openapi/v2", None, ""), ("GET", "/nothing", None, ""),
    ("GET", "/api/v1/pods", None, ""), ("GET", PODS, None, ""), ("GET", PODS + "/none", None, ""),
    ("HEAD", PODS + "/none", None, ""), ("GET", PODS + "/none/log", None, ""), ("GET", PODS + "/none/status", None, ""),
    ("GET", "/api/v1/componentstatuses", None, ""), ("GET", "/api/v1/namespaces/default/endpoints", None, ""),
    ("GET", MAPS + "?watch=1&timeoutSeconds=1&sendInitialEvents=true&allowWatchBookmarks=true&"
            "resourceVersionMatch=NotOlderThan", None, ""),
    ("GET", "/api/v1/watch/namespaces/default/configmaps?timeoutSeconds=1", None, ""),
    ("POST", MAPS, A_MAP, JSON), ("POST", MAPS, A_MAP, JSON), ("POST", MAPS + "?dryRun=All", A_MAP, JSON),
    ("POST", MAPS + "?dryRun=Some", A_MAP, JSON),
    ("PUT", MAPS + "/a", A_MAP, JSON),
    ("PATCH", MAPS + "/a", {"data": {"c": "d"}}, "application/merge-patch+json"),
    ("PATCH", MAPS + "/a?fieldManager=m&force=true", A_MAP, "application/apply-patch+yaml"),
    ("DELETE", MAPS + "/a", None, ""), ("DELETE", MAPS, None, ""),
    ("GET", "/apis/nothing.example.com/v1/things", None, ""), ("OPTIONS", PODS, None, ""),
    ("GET", "/metrics", None, ""), ("GET", "/metrics/slis", None, ""), ("GET", "/statusz", None, ""), ("GET", "/flagz", None, ""),
)
# Series whose labels are compared one by one.
REQUESTS = ("apiserver_request_total", "apiserver_requested_deprecated_apis", "apiserver_watch_list_duration_seconds_count",
            "apiserver_request_sli_duration_seconds_count", "apiserver_response_sizes_count")
OURS = ("keelson_",)


def ask(port, method, path, body=None, content_type="", token=servers.TOKEN):
    connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=60, context=ssl._create_unverified_context())
    try:
        headers = {"Authorization": f"Bearer {token}"}
        if content_type:
            headers["Content-Type"] = content_type
        connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode(errors="replace")
    finally:
        connection.close()


def families(text):
    """Name -> (type, names of labels, bounds of buckets)."""
    found = {}
    for line in text.splitlines():
        if typed := re.match(r"# TYPE (\w+) (\w+)", line):
            found[typed[1]] = [typed[2], set(), set()]
            last = typed[1]
        elif series := re.match(r"(\w+?)(_bucket|_sum|_count)?(?:\{(.*)\})? \S+$", line):
            labels = re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', series[3] or "")
            found[last][1] |= {name for name, _ in labels if name != "le"}
            found[last][2] |= {float(value) for name, value in labels if name == "le"}
    return {name: (kind, sorted(labels), sorted(bounds)) for name, (kind, labels, bounds) in found.items()}


def series_of_requests(text):
    found = set()
    for line in text.splitlines():
        name, _, rest = line.partition("{")
        if name in REQUESTS and re.search(r'resource="(pods|configmaps|endpoints|componentstatuses|things)"|subresource="/', rest):
            found.add(f"{name}{{{rest.rpartition(' ')[0]}")
    return found


def facts(port):
    for method, path, body, content_type in TRAFFIC:
        ask(port, method, path, body, content_type)
    text = ask(port, "GET", "/metrics")[1]
    return families(text), families(ask(port, "GET", "/metrics/slis")[1]), series_of_requests(text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=str(servers.ROOT / "build"))
    parser.add_argument("--all", action="store_true", help="name what only kube-apiserver has")
    options = parser.parse_args()
    with servers.Upstream(servers.upstream_binary(options.build)) as upstream:
        theirs = facts(upstream.port)
    with servers.Keelson(pathlib.Path(options.build) / "keelson") as keelson:
        ours = facts(keelson.port)
    bad = 0
    for page, (expected, got) in zip(("/metrics", "/metrics/slis"), zip(theirs[:2], ours[:2])):
        missing = sorted(expected.keys() - got.keys())
        print(f"{page}: {len(expected.keys() & got.keys())} families of both, {len(missing)} of kube-apiserver alone")
        if options.all:
            print("\n".join(f"  {name} {expected[name][:2]}" for name in missing))
        for name in sorted(got.keys() - expected.keys()):
            if not name.startswith(OURS):
                print(f"  only here: {name} {got[name][:2]}")
        for name in sorted(expected.keys() & got.keys()):
            # A family without series tells nothing of its labels.
            labels = not expected[name][1] or not got[name][1] or expected[name][1] == got[name][1]
            bounds = not expected[name][2] or not got[name][2] or expected[name][2] == got[name][2]
            if expected[name][0] != got[name][0] or not labels or not bounds:
                bad += 1
                print(f"  {name}\n    kube-apiserver {expected[name]}\n    keelson        {got[name]}")
    for line in sorted(theirs[2] ^ ours[2]):
        bad += 1
        print(("- " if line in theirs[2] else "+ ") + line)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
