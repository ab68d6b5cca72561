#!/usr/bin/env python3
"""Aggregated APIs on both servers: the same APIServices, requests and extension API server.

    KUBE_APISERVER=path/to/kube-apiserver tests/compat/aggregation.py [--build DIR]

Compares the answers, what the backend was sent, conditions and discovery. Prints what differs, and ends with 1 if something
does. kube-apiserver needs an etcd in $PATH.
"""

import argparse
import http.client
import json
import os
import pathlib
import re
import ssl
import sys

from lib import asking, servers
import extension_server as ext  # tests/integration, which lib.servers has made known
import harness
import identity

SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices"
FLUNDERS = ext.BASE + "/namespaces/default/flunders"
SENT = ("Accept", "Authorization", "Content-Type", "Host", "Impersonate-User", "X-Forwarded-For", "X-Forwarded-Host",
        "X-Forwarded-Proto", "X-Forwarded-Uri", "X-Other", "X-Remote-Group", "X-Remote-Uid", "X-Remote-User",
        "X-Remote-Extra-A%2fb", "X-Remote-Extra-Evil")
PATTERNS = ((r"(127\.0\.0\.1|localhost|\[::1\]):\d+", "<server>"), (r'port \d+', "port <port>"),
            (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "<time>"), (r"read tcp [^ ]*->", "read tcp "),
            (r"lookup localhost[^\"]*", "lookup"))


def normalized(value):
    text = json.dumps(value, sort_keys=True)
    for pattern, replacement in PATTERNS:
        text = re.sub(pattern, replacement, text)
    return json.loads(text)


class Asked:
    """One server with its own backend: sets it up, and asks."""

    def __init__(self, port, authority):
        self._port, self._authority = port, authority
        self.backend = ext.ExtensionServer(authority)
        self._bundle = authority.certificate.read_bytes()
        self.answers = {}

    def request(self, method, path, body=None, headers=None):
        connection = http.client.HTTPSConnection("127.0.0.1", self._port, timeout=60,
                                                 context=ssl._create_unverified_context())
        try:
            connection.request(method, path, body, {"Authorization": f"Bearer {servers.TOKEN}", **(headers or {})})
            answer = connection.getresponse()
            return answer, answer.read().decode()
        finally:
            connection.close()

    def json(self, method, path, body=None, headers=None):
        answer, text = self.request(method, path, json.dumps(body) if body else None, {
            "Content-Type": "application/merge-patch+json" if method == "PATCH" else "application/json", **(headers or {})})
        return answer.status, json.loads(text) if text.startswith("{") else text

    def see(self, name, method, path, body=None, headers=None):
        """Keeps the answer, and what the backend was sent for it."""
        self.backend.requests.clear()
        answer, text = self.request(method, path, body, headers)
        sent = [(m, p, {h: got.get_all(h) for h in SENT}, b.decode()) for m, p, got, b in self.backend.requests
                if got.get("X-Remote-User") not in ("system:kube-aggregator", "system:aggregator")]
        shown = {h: answer.headers.get(h) for h in ("Content-Type", "Location", "X-Own", "X-Content-Type-Options",
                                                    "Access-Control-Allow-Origin")}
        self.answers[name] = normalized([answer.status, shown, json.loads(text) if text.startswith("{") else text, sent])

    def condition(self, name, reason, path=f"{SERVICES}/{ext.VERSION}.{ext.GROUP}"):
        def found():
            listed = self.json("GET", path)[1].get("status", {}).get("conditions", [])
            return next((c for c in listed if c["reason"] == reason), None)
        self.answers[name] = normalized(harness.wait_until(found, f"{name}: {reason}", seconds=60))

    def discovery(self, name, group=ext.GROUP):
        listed = self.json("GET", "/apis")[1]["groups"]
        items = self.json("GET", "/apis", headers={"Accept": ext.V2})[1]["items"]
        self.answers[name] = [[g["name"] for g in listed], next((g for g in listed if g["name"] == group), None),
                              [g["metadata"]["name"] for g in items],
                              next((g["versions"] for g in items if g["metadata"]["name"] == group), None),
                              self.json("GET", f"/apis/{group}")]

    def run(self):
        service = "/api/v1/namespaces/default/services"
        self.see("absent", "GET", ext.BASE)
        self.see("absentgroup", "GET", f"/apis/{ext.GROUP}")
        body = ext.api_service(self.backend.port, self._bundle)
        assert self.json("POST", SERVICES, body)[0] == 201
        self.condition("noservice", "ServiceNotFound")
        self.see("unavailable", "GET", FLUNDERS)
        self.json("POST", service, ext.service(ports=[{"name": "a", "port": 1}]))
        self.condition("noport", "ServicePortError")
        self.json("DELETE", service + "/wardle")
        self.json("POST", service, ext.service(ports=[{"name": "a", "port": self.backend.port}]))
        self.condition("noendpoints", "EndpointsNotFound")
        self.json("POST", "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", {
            "metadata": {"name": "wardle", "labels": {"kubernetes.io/service-name": "wardle"}}, "addressType": "IPv4",
            "endpoints": [{"addresses": ["192.0.2.1"]}], "ports": [{"name": "b", "port": 443}]})
        self.condition("noready", "MissingEndpoints")
        self.json("DELETE", service + "/wardle")
        self.json("POST", service, ext.service())
        self.condition("passed", "Passed")
        harness.wait_until(lambda: self.request("GET", ext.BASE)[0].status == 200, "the route")
        self.proxied()
        self.discovered(body)
        self.broken(body)

    def proxied(self):
        self.backend.prefixes[FLUNDERS] = lambda r: ext.Raw("answer", 299, {
            "Content-Type": "application/x", "X-Own": "1", "Access-Control-Allow-Origin": "*"})
        headers = {"X-Remote-User": "evil", "X-Remote-Extra-Evil": "1", "X-Remote-Uid": "5", "X-Other": "1",
                   "Content-Type": "text/plain"}
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"):
            self.see(f"proxy-{method}", method, FLUNDERS + "/a%20b?x=1", "body" if method[0] == "P" else None, headers)
        self.see("impersonated", "GET", FLUNDERS, headers={
            "Impersonate-User": "admin", "Impersonate-Group": "system:masters", "Impersonate-Extra-A%2fb": "c"})
        self.see("forbidden", "GET", FLUNDERS, headers={"Authorization": "Bearer ann-token"})
        self.see("root", "GET", ext.BASE)
        self.see("slash", "GET", ext.BASE + "/")
        self.see("below", "GET", ext.BASE + "/none/such")
        self.backend.prefixes[FLUNDERS] = ext.Raw("", 302, {"Location": "https://example.com/x"})
        self.see("redirect", "GET", FLUNDERS)
        self.backend.prefixes[FLUNDERS] = ext.Raw("", 201, {"Location": "/created"})
        self.see("created", "POST", FLUNDERS, "x")
        self.backend.prefixes[FLUNDERS] = ext.HANG
        self.see("slow", "GET", FLUNDERS + "?timeout=1s")

    def discovered(self, body):
        def resources():
            items = self.json("GET", "/apis", headers={"Accept": ext.V2})[1]["items"]
            return next((g for g in items if g["metadata"]["name"] == ext.GROUP and g["versions"][0].get("resources")), None)
        harness.wait_until(resources, "resources in discovery", seconds=90)
        self.discovery("discovery")
        for name, group, version, priority in (("second", ext.GROUP, "v1beta1", (2000, 20)), ("apps", "apps", "v9", (100, 3)),
                                               ("high", "high.example.com", "v1", (17900, 1))):
            self.json("POST", SERVICES, ext.api_service(self.backend.port, self._bundle, group, version, priority=priority))
            harness.wait_until(lambda: version in str(self.json("GET", f"/apis/{group}")[1]), name)

            def fresh():
                items = self.json("GET", "/apis", headers={"Accept": ext.V2})[1]["items"]
                return any(g["metadata"]["name"] == group and all(v["freshness"] == "Current" for v in g["versions"]) and
                           any(v["version"] == version for v in g["versions"]) for g in items)
            harness.wait_until(fresh, f"{name} is fresh", seconds=90)
            self.discovery(f"discovery-{name}", group)
            self.json("DELETE", f"{SERVICES}/{version}.{group}")
            harness.wait_until(lambda: version not in str(self.json("GET", f"/apis/{group}")[1]), f"{name} is gone")

    def broken(self, body):
        path = f"{SERVICES}/{ext.VERSION}.{ext.GROUP}"
        other = ext.ExtensionServer(self._authority, names="DNS:other.default.svc")
        self.json("PATCH", path, {"spec": {"service": {"port": other.port}}})
        self.condition("othername", "FailedDiscoveryCheck")
        other.close()
        # The message of the last one stands until this one fails, too.
        self.json("DELETE", path)
        self.json("POST", SERVICES, ext.api_service(other.port, self._bundle))
        self.condition("refused", "FailedDiscoveryCheck")
        self.see("refused-request", "GET", FLUNDERS)
        self.json("DELETE", path)
        self.backend.routes[ext.BASE] = ext.Raw("no", 403)
        self.json("POST", SERVICES, body)
        self.condition("badstatus", "FailedDiscoveryCheck")
        group = "registered.example.com"
        version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}
        self.json("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
            "metadata": {"name": f"things.{group}"}, "spec": {
                "group": group, "scope": "Cluster", "names": {"plural": "things", "kind": "Thing"}, "versions": [version]}})
        self.condition("registered", "Local", f"{SERVICES}/v1.{group}")
        made = self.json("GET", f"{SERVICES}/v1.{group}")[1]
        self.answers["registered-object"] = [made["spec"], made["metadata"]["labels"]]
        trust = self.json("GET", "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication")[1]
        self.answers["trust"] = {k: v for k, v in trust["data"].items() if k != "client-ca-file"}


# What differs on purpose, and why.
ALLOWED = {"created": "the address of the backend is not told",
           "slow": "the answer is a whole Status, and marked as JSON"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=servers.ROOT / "build")
    options = parser.parse_args()
    authority, proxies = identity.Authority("wardle-ca"), identity.Authority("proxy-ca")
    certificate, key = proxies.issue("/CN=front-proxy")
    flags = (f"--proxy-client-cert-file={certificate}", f"--proxy-client-key-file={key}",
             f"--requestheader-client-ca-file={proxies.certificate}", "--requestheader-allowed-names=front-proxy",
             "--requestheader-username-headers=X-Remote-User", "--requestheader-group-headers=X-Remote-Group",
             "--requestheader-extra-headers-prefix=X-Remote-Extra-", "--requestheader-uid-headers=X-Remote-Uid")
    found = []
    for server in (servers.Upstream(os.environ["KUBE_APISERVER"], flags), servers.Keelson(options.build / "keelson", flags)):
        with server:
            asked = Asked(server.port, authority)
            asked.run()
            asked.backend.close()
            found.append(asked.answers)
    return asking.compare(*found, same=lambda name, expected, got: name in ALLOWED or expected == got)


if __name__ == "__main__":
    sys.exit(main())
