"""A server of admission webhooks for tests: answers reviews as told, or misbehaves."""

import base64
import http.server
import json
import socket
import ssl
import struct
import threading

import http2_frames


class Raw:
    """An answer as it is: no review."""

    def __init__(self, body, status=200, headers=None):
        self.body = body if isinstance(body, bytes) else body.encode()
        self.status, self.headers = status, headers or {}


RESET = object()  # the connection is reset
HANG = object()  # nothing is answered until the server is closed
REFUSE = object()  # the stream is refused, which HTTP/2 alone has
LEAVE = object()  # likewise, the server goes away before it has begun


def patch(*operations, **more):
    """An answer that allows and changes."""
    text = base64.b64encode(json.dumps(operations).encode()).decode()
    return {"allowed": True, "patchType": "JSONPatch", "patch": text, **more}


def deny(message=None, **status):
    result = {**({"message": message} if message is not None else {}), **status}
    return {"allowed": False, **({"status": result} if result else {})}


class AdmissionServer:
    """Answers a review at a path of `hooks` by its function: the review's request -> a response (its uid is filled
    in unless given), a whole review with "apiVersion", Raw, RESET or HANG. What came is in `reviews`: (path with
    query, review). With `http2` clients may choose that; then `hooks` has one path only, which the client is taken
    to have asked for."""

    def __init__(self, authority, names="DNS:localhost,IP:127.0.0.1", certificate=None, host="127.0.0.1", http2=False):
        self.hooks, self.reviews, self.headers, self.connections, self.http2_connections = {}, [], [], 0, 0
        self._ended = threading.Event()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def setup(self):
                outer.connections += 1
                super().setup()

            def handle(self):
                if http2:
                    self.connection.do_handshake()
                if self.connection.selected_alpn_protocol() != "h2":
                    return super().handle()
                outer.http2_connections += 1
                connection = http2_frames.Connection(self.connection)
                path = next(iter(outer.hooks))
                connection.serve(lambda stream, body: outer._answer(http2_frames.Stream(connection, stream, path), body))

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                outer.headers.append(self.headers)
                outer._answer(self, body)

            def do_GET(self):
                outer.reviews.append((self.path, None))
                outer._send(self, Raw("{}"))

            def log_message(self, *_):
                pass

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.set_ciphers("DEFAULT@SECLEVEL=0")  # certificates that nobody may trust are served, too
        if http2:
            context.set_alpn_protocols(["h2", "http/1.1"])
        context.load_cert_chain(*(certificate or authority.issue("/CN=localhost", "serverAuth", names)))
        self._server = http.server.ThreadingHTTPServer((host, 0), Handler)
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None  # clients that do not trust us, or go away
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True,
                                                  do_handshake_on_connect=False)
        self.port = self._server.server_port
        self.url = f"https://127.0.0.1:{self.port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def _answer(self, handler, body):
        review = json.loads(body)
        self.reviews.append((handler.path, review))
        hook = self.hooks.get(handler.path.partition("?")[0])
        answer = hook(review["request"]) if hook else Raw("not found", 404)
        if answer is HANG:
            self._ended.wait()
        elif answer is REFUSE:
            handler.refuse()
        elif answer is LEAVE:
            handler.leave()
        elif answer is RESET and isinstance(handler, http2_frames.Stream):
            handler.connection.reset()
        elif answer is RESET:
            handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            handler.connection.unwrap = lambda: None
            handler.close_connection = True
            handler.connection.shutdown = lambda *_: None
            socket.socket.close(handler.connection)
        elif isinstance(answer, Raw):
            self._send(handler, answer)
        else:
            if "apiVersion" not in answer:
                answer = self.review_of(review, answer)
            self._send(handler, Raw(json.dumps(answer), headers={"Content-Type": "application/json"}))

    def review_of(self, review, answer):
        """The whole answer to a review whose response has the members `answer`."""
        return {"kind": "AdmissionReview", "apiVersion": review["apiVersion"],
                "response": {"uid": review["request"]["uid"], **answer}}

    @staticmethod
    def _send(handler, answer):
        handler.send_response(answer.status)
        for name, value in answer.headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(answer.body)))
        handler.end_headers()
        handler.wfile.write(answer.body)

    def close(self):
        self._ended.set()
        self._server.shutdown()
        self._server.server_close()


def rule(resources, groups=("",), versions=("v1",), operations=("*",), **more):
    return {"apiGroups": list(groups), "apiVersions": list(versions), "operations": list(operations),
            "resources": [resources] if isinstance(resources, str) else list(resources), **more}


def webhook(name, config, rules, **more):
    """A webhook at `config`, the clientConfig."""
    return {"name": name, "clientConfig": config, "rules": rules, "sideEffects": "None",
            "admissionReviewVersions": ["v1"], "timeoutSeconds": 5, **more}


def configuration(kind, name, *webhooks):
    """`kind`: "mutating" or "validating". The path and the object."""
    return (f"/apis/admissionregistration.k8s.io/v1/{kind}webhookconfigurations",
            {"apiVersion": "admissionregistration.k8s.io/v1", "kind": f"{kind.capitalize()}WebhookConfiguration",
             "metadata": {"name": name}, "webhooks": list(webhooks)})
