"""An extension API server for tests: serves wardle.example.com/v1alpha1 as told, or misbehaves."""

import base64
import contextlib
import hashlib
import http.server
import json
import socket
import ssl
import struct
import threading

GROUP, VERSION = "wardle.example.com", "v1alpha1"
BASE = f"/apis/{GROUP}/{VERSION}"
VERBS = ["create", "delete", "get", "list", "update", "watch"]
V2 = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
WEBSOCKET_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class Raw:
    """An answer as it is."""

    def __init__(self, body, status=200, headers=None):
        self.body = body if isinstance(body, bytes) else body.encode()
        self.status, self.headers = status, headers or {}


RESET = object()  # the connection is reset
HANG = object()  # nothing is answered until the server is closed


def resource_list(group=GROUP, version=VERSION):
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": f"{group}/{version}", "resources": [
        {"name": "flunders", "singularName": "flunder", "namespaced": True, "kind": "Flunder", "verbs": VERBS,
         "shortNames": ["fl"]},
        {"name": "flunders/status", "singularName": "", "namespaced": True, "kind": "Flunder", "verbs": ["get"]}]}


def discovery_list(group=GROUP, version=VERSION, api="v2", extra=()):
    return {"kind": "APIGroupDiscoveryList", "apiVersion": f"apidiscovery.k8s.io/{api}", "metadata": {}, "items": [
        {"metadata": {"name": group, "creationTimestamp": None}, "versions": [{"version": version, "resources": [
            {"resource": "flunders", "responseKind": {"group": group, "version": version, "kind": "Flunder"},
             "scope": "Namespaced", "singularResource": "flunder", "verbs": VERBS, "shortNames": ["fl"],
             "subresources": [{"subresource": "status", "verbs": ["get"], "responseKind": {
                 "group": group, "version": version, "kind": "Flunder"}}]}, *extra], "freshness": "Current"}]}]}


def as_json(value, content_type="application/json", **headers):
    return Raw(json.dumps(value), headers={"Content-Type": content_type, **headers})


class ExtensionServer:
    """Answers by `routes`: path -> a function of the request, or a value: Raw, RESET, HANG or JSON. Everything else is
    404. What came is in `requests`: (method, path with query, headers, body)."""

    def __init__(self, authority, names="DNS:localhost,DNS:wardle.default.svc", certificate=None, host="127.0.0.1",
                 client_ca=None, port=0):
        self.requests, self.peers = [], []
        self.aggregated = True
        self.routes = {"/apis": self._apis, BASE: lambda _: as_json(resource_list())}
        self.prefixes = {}
        self._ended = threading.Event()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def handle_any(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                if self.headers.get("Transfer-Encoding", "") == "chunked":
                    body = outer._read_chunks(self.rfile)
                self.body = body
                outer.requests.append((self.command, self.path, self.headers, body))
                outer.peers.append(self.connection.getpeercert())
                outer._answer(self)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = handle_any

            def log_message(self, *_):
                pass

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*(certificate or authority.issue("/CN=wardle", "serverAuth", names)))
        if client_ca:
            context.load_verify_locations(client_ca)
            context.verify_mode = ssl.CERT_REQUIRED
        self.context = context
        self._server = http.server.ThreadingHTTPServer((host, port), Handler)
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None  # clients that do not trust us, or go away
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True,
                                                  do_handshake_on_connect=False)
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def _apis(self, request):
        if not self.aggregated:
            return as_json({"kind": "APIGroupList", "apiVersion": "v1", "groups": []})
        return as_json(discovery_list(), V2, ETag='"1"')

    @staticmethod
    def _read_chunks(stream):
        body = b""
        while size := int(stream.readline().split(b";")[0], 16):
            body += stream.read(size)
            stream.readline()
        stream.readline()
        return body

    def _answer(self, handler):
        path = handler.path.partition("?")[0]
        route = self.routes.get(path)
        if route is None:
            route = next((r for p, r in self.prefixes.items() if path.startswith(p)), Raw(
                "404 page not found\n", 404, {"Content-Type": "text/plain; charset=utf-8"}))
        answer = route(handler) if callable(route) else route
        if answer is None:  # it has answered by itself
            return
        if answer is HANG:
            self._ended.wait()
        elif answer is RESET:
            handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            handler.close_connection = True
            handler.connection.shutdown = lambda *_: None
            socket.socket.close(handler.connection)
        else:
            self.send(handler, answer if isinstance(answer, Raw) else as_json(answer))

    @staticmethod
    def send(handler, answer):
        handler.send_response(answer.status)
        for name, value in answer.headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(answer.body)))
        handler.end_headers()
        if handler.command != "HEAD":
            handler.wfile.write(answer.body)

    def wait_ended(self, seconds):
        return self._ended.wait(seconds)

    def seen(self, path):
        """The requests for `path` that were not asked by the aggregator itself."""
        return [r for r in self.requests if r[1].partition("?")[0] == path and
                r[2].get("X-Remote-User") != "system:kube-aggregator"]

    def close(self):
        self._ended.set()
        self._server.shutdown()
        self._server.server_close()


def stream(chunks):
    """A route that sends `chunks`, an iterable of bytes, each when it comes."""
    def answer(handler):
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        with contextlib.suppress(OSError):
            for chunk in chunks(handler):
                handler.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
                handler.wfile.flush()
            handler.wfile.write(b"0\r\n\r\n")
        handler.close_connection = True
    return answer


def echo_upgrade(handler):
    """A route that leaves HTTP: gives back in upper case what it gets."""
    handler.send_response(101)
    handler.send_header("Connection", "Upgrade")
    handler.send_header("Upgrade", handler.headers["Upgrade"])
    if key := handler.headers.get("Sec-WebSocket-Key"):
        accept = base64.b64encode(hashlib.sha1((key + WEBSOCKET_GUID).encode()).digest()).decode()
        handler.send_header("Sec-WebSocket-Accept", accept)
    handler.end_headers()
    handler.wfile.flush()
    while data := handler.connection.recv(4096):
        handler.connection.sendall(data.upper())
    handler.close_connection = True


def service(name="wardle", external="localhost", **spec):
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name, "namespace": "default"},
            "spec": spec or {"type": "ExternalName", "externalName": external}}


def api_service(port, bundle=None, group=GROUP, version=VERSION, name="wardle", priority=(1000, 15)):
    """An APIService whose backend is `port` of the service; `bundle`: the PEM of its authority, None: any will do."""
    trust = {"caBundle": base64.b64encode(bundle).decode()} if bundle else {"insecureSkipTLSVerify": True}
    return {"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
            "metadata": {"name": f"{version}.{group}"},
            "spec": {"group": group, "version": version, "groupPriorityMinimum": priority[0],
                     "versionPriority": priority[1], **trust,
                     "service": {"namespace": "default", "name": name, "port": port}}}
