"""Kubelets that only tell what their node and its containers use, at /metrics/resource, to those who may know it.

They are nodes to the server: each registers itself, writes the status of its pods, and asks about the tokens that it
is shown and what their users may do.
"""

import http.server
import json
import ssl
import threading
import time

from servers import cluster

PORT = 10250
CPUS, MEMORY = 4, 8 << 30  # of a node


def series(name, value, at, **labels):
    text = ",".join(f'{key}="{labels[key]}"' for key in sorted(labels))
    return f"{name}{'{' + text + '}' if text else ''} {value} {at * 1000}\n"


class Kubelet:
    """`uses` says what is used, as (processors, bytes): by the node under "", by a container under its namespace, pod
    and name. Processors are multiples of a quarter, so that floating point numbers have them exactly.
    """

    def __init__(self, stage, number, authority, uses):
        self.stage, self.uses, self.name = stage, uses, cluster.NODE_NAMES[number - 1]
        self.address = cluster.NODE_ADDRESSES[number - 1]
        self.kubeconfig = stage.kubeconfig_of(f"system:node:{self.name}", ["system:nodes"])
        self.started = int(time.time()) - 3600
        self._register()
        self._serve(authority)

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def pods(self):
        """(namespace, name) of each."""
        return sorted({key[:2] for key in self.uses if key})

    def start_pods(self):
        for namespace, pod in self.pods():
            path = f"/api/v1/namespaces/{namespace}/pods/{pod}"
            found = json.loads(self.stage.must("get", "--raw", path, kubeconfig=self.kubeconfig))
            found["status"]["phase"] = "Running"
            self.stage.must("replace", "--raw", f"{path}/status", "-f", "-", kubeconfig=self.kubeconfig, body=found)

    def _register(self):
        capacity = {"cpu": str(CPUS), "memory": str(MEMORY), "pods": "110"}
        self._create({
            "apiVersion": "v1", "kind": "Node", "metadata": {"name": self.name}, "status": {
                "capacity": capacity, "allocatable": capacity, "daemonEndpoints": {"kubeletEndpoint": {"Port": PORT}},
                "addresses": [{"type": "InternalIP", "address": self.address}],
                "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}]}})

    def _create(self, body):
        return json.loads(self.stage.must("create", "--validate=false", "-o", "json", "-f", "-",
                                          kubeconfig=self.kubeconfig, body=body))

    def _status(self, authorization):
        """The HTTP status for somebody who asks, told by the server."""
        kind, _, token = (authorization or "").partition(" ")
        if kind != "Bearer":
            return 401
        who = self._create({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "metadata": {},
                            "spec": {"token": token}})["status"]
        if not who.get("authenticated"):
            return 401
        user = {"user": who["user"]["username"], "groups": who["user"]["groups"], "uid": who["user"].get("uid")}
        may = self._create({
            "apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "metadata": {}, "spec": {
                **user, "resourceAttributes": {"verb": "get", "resource": "nodes", "subresource": "metrics",
                                               "name": self.name, "version": "v1"}}})["status"]
        return 200 if may["allowed"] else 403

    def _metrics(self):
        now = int(time.time())
        lines = []
        for key, (processors, memory) in self.uses.items():
            labels = dict(zip(("namespace", "pod", "container"), key)) if key else {}
            of = "container" if key else "node"
            lines += [series(f"{of}_cpu_usage_seconds_total", processors * (now - self.started), now, **labels),
                      series(f"{of}_memory_working_set_bytes", memory, now, **labels)]
            if key:
                lines.append(series("container_start_time_seconds", self.started, now, **labels))
        return "".join(lines)

    def _serve(self, authority):
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                status = outer._status(self.headers["Authorization"]) if self.path == "/metrics/resource" else 404
                body = (outer._metrics() if status == 200 else "").encode()
                self.send_response(status)
                self.send_header("Content-Type", "text/plain; version=0.0.4")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*authority.issue(f"/O=system:nodes/CN=system:node:{self.name}", "serverAuth",
                                                 f"IP:{self.address}"))
        self._server = http.server.ThreadingHTTPServer((self.address, PORT), Handler)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
