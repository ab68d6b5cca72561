"""What kubelets and pods serve, by way of the server: logs, streams that leave HTTP, and the proxies."""

import base64
import contextlib
import gzip
import http.client
import http.server
import pathlib
import socket
import ssl
import subprocess
import tempfile
import threading
import unittest

import harness
from websocket import BINARY, CLOSE, TEXT, WebSocket


def make_certificate(directory, name, *extensions):
    """A key and a certificate that signed itself."""
    certificate, key = directory / f"{name}.crt", directory / f"{name}.key"
    added = [argument for extension in extensions for argument in ("-addext", extension)]
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-days", "1", "-subj", f"/CN={name}", "-keyout", str(key), "-out", str(certificate), *added],
                   check=True, capture_output=True)
    return certificate, key


class Raw:
    """An answer as bytes, after which the connection ends, unless it is held until the other side ends it."""

    def __init__(self, answer, hold=False):
        self.answer, self.hold = answer, hold


class KubeletHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.server.seen.append((self.command, self.path, dict(self.headers)))
        answer = self.server.answers.get(self.path.partition("?")[0], (404, b"no such thing"))
        if isinstance(answer, Raw):
            return self.answer_raw(answer)
        if self.headers.get("Upgrade"):
            return self.upgrade()
        status, body = answer[:2]
        self.send_response(status)
        for name, value in (answer[2] if len(answer) > 2 else {}).items():
            self.send_header(name, value)
        if body is None:  # in pieces, the second when the test says so
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.write(b"6\r\nfirst\n\r\n")
            self.server.go_on.wait(30)
            self.wfile.write(b"7\r\nsecond\n\r\n0\r\n\r\n")
            return
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_OPTIONS = do_GET

    def answer_raw(self, raw):
        self.close_connection = True
        self.wfile.write(raw.answer)
        with contextlib.suppress(OSError):
            while raw.hold and (data := self.connection.recv(65536)):
                self.server.heard.append(data)
        self.server.ended.append(self.path)

    def upgrade(self):
        """Says every line back, in capitals; ends the connection at "bye"."""
        if self.path.startswith("/attach/"):
            return self.send_error(403, "not here")
        self.send_response_only(101)
        self.send_header("Connection", "Upgrade")
        self.send_header("Upgrade", self.headers["Upgrade"])
        self.end_headers()
        while line := self.rfile.readline():
            self.wfile.write(line.upper())
            if line == b"bye\n":
                break
        self.close_connection = True


def serve(context=None):
    """A server on a free port of this machine, with TLS if there is a context."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), KubeletHandler)
    server.daemon_threads = True
    server.request_queue_size = 128
    if context:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    server.seen, server.answers, server.go_on, server.heard, server.ended = [], {}, threading.Event(), [], []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class Kubelet:
    """A server that a node could be, on a free port of this machine."""

    def __init__(self, directory, client_ca):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.certificate, key = make_certificate(directory, "kubelet", "subjectAltName=IP:127.0.0.1")
        context.load_cert_chain(self.certificate, key)
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(client_ca)
        self.server = serve(context)

    @property
    def port(self):
        return self.server.server_address[1]

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def pod(name, node="", containers=("c",)):
    return {"metadata": {"name": name},
            "spec": {"nodeName": node, "automountServiceAccountToken": False,
                     "containers": [{"name": c, "image": "x", "ports": [{"containerPort": 80}]} for c in containers]}}


class Case(unittest.TestCase):
    """A server, a kubelet on this machine, and pods of its node."""

    backends = ()  # flags about where kubelets may be

    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory(prefix="keelson-kubelet-")
        cls.addClassCleanup(directory.cleanup)
        path = pathlib.Path(directory.name)
        certificate, key = make_certificate(path, "client", "extendedKeyUsage=clientAuth")
        cls.kubelet = Kubelet(path, certificate)
        cls.addClassCleanup(cls.kubelet.close)
        cls.server = harness.Server("--storage-backend=memory", f"--kubelet-client-certificate={certificate}",
                                    f"--kubelet-client-key={key}", *cls.backends,
                                    f"--kubelet-certificate-authority={cls.kubelet.certificate}")
        cls.addClassCleanup(cls.server.close)
        cls.server.start()
        cls.make_node("near", cls.kubelet.port)
        for made in (pod("p", "near"), pod("two", "near", ("c", "d")), pod("nowhere"), pod("lost", "gone")):
            assert cls.server.post("/api/v1/namespaces/default/pods", made).status == 201

    @classmethod
    def make_node(cls, name, port):
        assert cls.server.post("/api/v1/nodes", {"metadata": {"name": name}}).status == 201
        status = {"addresses": [{"type": "InternalIP", "address": "127.0.0.1"}],
                  "daemonEndpoints": {"kubeletEndpoint": {"Port": port}}}
        assert cls.server.patch(f"/api/v1/nodes/{name}/status", {"status": status}).status == 200

    def setUp(self):
        for seen in (self.kubelet.server.seen, self.kubelet.server.heard, self.kubelet.server.ended):
            seen.clear()
        self.kubelet.server.answers = {}
        self.kubelet.server.go_on.clear()

    def pod(self, path):
        return self.server.get("/api/v1/namespaces/default/pods/" + path)

    def assertRefused(self, response, code, message):
        self.assertEqual(response.status, code, response)
        self.assertIn(message, response.json()["message"])

    def open(self, path, protocol="SPDY/3.1", method="POST", headers=""):
        """The connection after the head of the answer, and that head."""
        connection = self.server.tls().wrap_socket(
            socket.create_connection(("127.0.0.1", self.server.port), timeout=30), server_hostname="127.0.0.1")
        self.addCleanup(connection.close)
        connection.sendall(f"{method} /api/v1/namespaces/default/pods/{path} HTTP/1.1\r\nHost: x\r\n"
                           f"Connection: Upgrade\r\nUpgrade: {protocol}\r\nX-Stream-Protocol-Version: v4.channel.k8s.io"
                           f"\r\n{headers}\r\n".encode())
        stream = connection.makefile("rwb", buffering=0)
        self.addCleanup(stream.close)
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += stream.readline()
        return stream, head.decode()


class KubeletTest(Case):
    backends = ("--allow-loopback-backends",)

    # --- logs ---

    def test_a_log_is_what_the_kubelet_gives(self):
        self.kubelet.server.answers["/containerLogs/default/p/c"] = (200, b"one\ntwo\n")
        got = self.pod("p/log?tailLines=5&follow=true&unknown=1")
        self.assertEqual((got.status, got.headers["Content-Type"], got.body), (200, "text/plain", b"one\ntwo\n"))
        method, path, headers = self.kubelet.server.seen[0]
        self.assertEqual((method, path), ("GET", "/containerLogs/default/p/c?follow=true&tailLines=5"))
        self.assertNotIn("authorization", {name.lower() for name in headers})

    def test_a_log_that_goes_on_arrives_as_it_is_written(self):
        self.kubelet.server.answers["/containerLogs/default/p/c"] = (200, None)
        connection = self.server.connect()
        self.addCleanup(connection.close)
        connection.request("GET", "/api/v1/namespaces/default/pods/p/log?follow=true")
        response = connection.getresponse()
        self.assertEqual(response.readline(), b"first\n")
        self.kubelet.server.go_on.set()
        self.assertEqual(response.read(), b"second\n")

    def test_a_long_log_arrives_whole(self):
        text = b"0123456789abcde\n" * 200_000
        self.kubelet.server.answers["/containerLogs/default/p/c"] = (200, text)
        self.assertEqual(self.pod("p/log").body, text)

    def test_what_the_kubelet_refuses_is_told(self):
        answers = self.kubelet.server.answers
        answers["/containerLogs/default/p/c"] = (400, b"no log yet")
        self.assertRefused(self.pod("p/log"), 400, "no log yet")
        answers["/containerLogs/default/p/c"] = (500, b"disk on fire")
        self.assertRefused(self.pod("p/log"), 500, "disk on fire")
        answers["/containerLogs/default/p/c"] = (302, b"", {"Location": "https://127.0.0.1:1/"})
        self.assertRefused(self.pod("p/log"), 500, "redirects forbidden")

    def test_a_log_that_breaks_off_is_seen_to(self):
        head = b"HTTP/1.1 200 OK\r\n"
        for answer in (head + b"Transfer-Encoding: chunked\r\n\r\n5\r\npart\n\r\n",
                       head + b"Transfer-Encoding: chunked\r\n\r\nff\r\npart\n",
                       head + b"Content-Length: 100\r\n\r\npart\n"):
            self.kubelet.server.answers["/containerLogs/default/p/c"] = Raw(answer)
            with self.assertRaises(http.client.IncompleteRead) as raised:
                self.pod("p/log")
            self.assertEqual(raised.exception.partial, b"part\n")

    def test_a_log_whose_reader_left_is_not_read_on(self):
        answers = {"/containerLogs/default/p/c": Raw(b"HTTP/1.1 200 OK\r\n\r\nfirst\n", hold=True),
                   "/containerLogs/default/two/c": Raw(b"", hold=True)}  # without even a head
        self.kubelet.server.answers = answers
        for path in ("p/log", "two/log?container=c&follow=true"):
            connection = self.server.connect()
            connection.request("GET", "/api/v1/namespaces/default/pods/" + path)
            harness.wait_until(lambda: self.kubelet.server.seen, "the kubelet is asked")
            self.assertEqual(self.kubelet.server.ended, [])
            connection.close()
            harness.wait_until(lambda: self.kubelet.server.ended, "the kubelet's connection ends")
            self.kubelet.server.seen.clear()
            self.kubelet.server.ended.clear()

    def test_descriptors_of_requests_that_nobody_waits_for_are_given_back(self):
        self.kubelet.server.answers["/exec/default/p/c"] = Raw(b"", hold=True)

        def descriptors():
            return len(list(pathlib.Path(f"/proc/{self.server.process.pid}/fd").iterdir()))
        before = descriptors()
        connections = []
        for _ in range(50):
            connections.append(self.server.connect())
            connections[-1].request("POST", "/api/v1/namespaces/default/pods/p/exec?command=sh",
                                    headers={"Connection": "Upgrade", "Upgrade": "SPDY/3.1"})
        harness.wait_until(lambda: len(self.kubelet.server.seen) == 50, "all are under way")
        self.assertGreater(descriptors(), before + 90)
        for connection in connections:
            connection.close()
        harness.wait_until(lambda: descriptors() <= before + 5, "descriptors are given back")

    def test_an_upgrade_that_nobody_asked_for_is_an_error(self):
        switch = b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: foo\r\n\r\n"
        self.kubelet.server.answers["/containerLogs/default/p/c"] = Raw(switch, hold=True)
        self.assertRefused(self.pod("p/log"), 500, 'backend tried to switch protocol "foo" when "" was requested')
        self.kubelet.server.answers["/exec/default/p/c"] = Raw(switch, hold=True)
        _, head = self.open("p/exec?command=sh")
        self.assertTrue(head.startswith("HTTP/1.1 500 "), head)

    def test_a_log_may_come_over_a_websocket(self):
        text = b"x" * 5000 + b"\n"
        self.kubelet.server.answers["/containerLogs/default/p/c"] = (200, text)
        path = "/api/v1/namespaces/default/pods/p/log"

        def messages(protocol):
            opened = WebSocket(self.server, path, origin=None,
                               headers={"Sec-WebSocket-Protocol": protocol} if protocol else None)
            self.addCleanup(opened.close)
            self.assertTrue(opened.accepted(), (opened.status, opened.headers))
            self.assertEqual(opened.headers.get("sec-websocket-protocol"), protocol)
            got = list(iter(opened.receive, None))
            self.assertEqual(got.pop(), (CLOSE, b"\x03\xe8"))
            self.assertEqual(got[0][1], b"")
            return {opcode for opcode, _ in got}, [payload for _, payload in got]
        for protocol in (None, "binary.k8s.io"):
            kinds, payloads = messages(protocol)
            self.assertEqual((kinds, b"".join(payloads)), ({BINARY}, text))
        kinds, payloads = messages("base64.binary.k8s.io")
        self.assertEqual((kinds, b"".join(map(base64.b64decode, payloads))), ({TEXT}, text))
        refused = WebSocket(self.server, path, headers={"Sec-WebSocket-Protocol": "other"})
        self.addCleanup(refused.close)
        self.assertEqual(refused.status, 403)

    def test_a_pod_without_a_node_has_no_log(self):
        self.assertEqual(self.pod("nowhere/log").status, 204)

    def test_options_are_checked_before_anybody_is_asked(self):
        self.assertRefused(self.pod("two/log"), 400, "a container name must be specified for pod two, choose one of: [c d]")
        self.assertRefused(self.pod("two/log?container=z"), 400, "container z is not valid for pod two")
        self.assertRefused(self.pod("p/log?tailLines=-1"), 422, "tailLines: Invalid value: -1")
        self.assertRefused(self.pod("p/log?tailLines=x"), 400, 'strconv.ParseInt: parsing "x": invalid syntax')
        self.assertRefused(self.pod("lost/log"), 404, '"gone" not found')
        self.assertRefused(self.pod("none/log"), 404, 'pods "none" not found')
        self.assertEqual(self.kubelet.server.seen, [])

    def test_a_kubelet_that_is_away_is_told(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.make_node("away", free.getsockname()[1])
            self.assertEqual(self.server.post("/api/v1/namespaces/default/pods", pod("away", "away")).status, 201)
        self.assertRefused(self.pod("away/log"), 500, "connect: connection refused")

    def test_a_kubelet_that_others_vouch_for_is_not_believed(self):
        with tempfile.TemporaryDirectory() as directory:
            other = Kubelet(pathlib.Path(directory), self.kubelet.certificate)
            self.addCleanup(other.close)
            self.make_node("impostor", other.port)
            self.assertEqual(self.server.post("/api/v1/namespaces/default/pods", pod("i", "impostor")).status, 201)
            self.assertRefused(self.pod("i/log"), 500, "tls: ")

    # --- streams ---

    def test_exec_becomes_a_tunnel(self):
        for protocol, method in (("SPDY/3.1", "POST"), ("websocket", "GET")):
            self.kubelet.server.seen.clear()
            stream, head = self.open("p/exec?command=sh&command=-c&stdin=true&tty=1", protocol, method)
            self.assertTrue(head.startswith("HTTP/1.1 101 Switching Protocols\r\n"), head)
            self.assertIn(f"Upgrade: {protocol}\r\n", head)
            for line in (b"hello\n", b"x" * 100_000 + b"\n", b"bye\n"):
                stream.write(line)
                self.assertEqual(stream.readline(), line.upper())
            self.assertEqual(stream.read(1), b"")  # the end of one is the end of the other
            _, path, headers = self.kubelet.server.seen[0]
            self.assertEqual(path, "/exec/default/p/c?command=sh&command=-c&input=1&tty=1")
            self.assertEqual(headers["x-stream-protocol-version"], "v4.channel.k8s.io")
            self.assertEqual(headers["x-forwarded-for"], "127.0.0.1")

    def test_a_token_among_the_subprotocols_is_not_passed_on(self):
        secret = "base64url.bearer.authorization.k8s.io.c2VjcmV0"
        _, head = self.open("p/exec?command=sh", "websocket", "GET",
                            headers=f"Sec-WebSocket-Protocol: {secret}, v4.channel.k8s.io\r\n")
        self.assertIn(" 101 ", head)
        headers = {name.lower(): value for name, value in self.kubelet.server.seen[0][2].items()}
        self.assertEqual(headers["sec-websocket-protocol"], "v4.channel.k8s.io")
        self.assertNotIn("c2VjcmV0", str(headers))

    def test_portforward_names_its_ports(self):
        stream, head = self.open("p/portforward?ports=80,81")
        self.assertIn(" 101 ", head)
        self.assertEqual(self.kubelet.server.seen[0][1], "/portForward/default/p?port=80%2C81")
        stream.close()

    def test_a_refused_upgrade_is_passed_on(self):
        _, head = self.open("p/attach?stdout=1")
        self.assertTrue(head.startswith("HTTP/1.1 403 "), head)

    def test_streams_need_an_upgrade_and_a_node(self):
        def post(path):
            return self.server.post("/api/v1/namespaces/default/pods/" + path, "")
        self.assertRefused(post("p/exec?command=ls"), 400, "Upgrade request required")
        self.assertRefused(post("nowhere/exec?command=ls"), 400, "pod nowhere does not have a host assigned")
        self.assertRefused(post("p/portforward?ports=x"), 400, "cannot convert to []int32")
        self.assertEqual(self.server.put("/api/v1/namespaces/default/pods/p/exec", {}).status, 405)

    # --- proxies ---

    def pod_proxy(self):
        """A server that pod "p" could be, and the path of its proxy."""
        backend = serve()
        self.addCleanup(backend.server_close)
        self.addCleanup(backend.shutdown)
        ip = {"status": {"podIP": "127.0.0.1", "podIPs": [{"ip": "127.0.0.1"}]}}
        self.assertEqual(self.server.patch("/api/v1/namespaces/default/pods/p/status", ip).status, 200)
        return backend, f"/api/v1/namespaces/default/pods/http:p:{backend.server_address[1]}/proxy"

    def test_a_path_in_the_query_gets_its_escapes_back(self):
        backend, proxy = self.pod_proxy()
        sent = "/a%20b%0d%0aX-Injected:%201%0d%0a%0d%0aGET%20/other%3fc%23d"
        self.assertEqual(self.server.get(f"{proxy}?path={sent}").status, 404)
        _, path, headers = backend.seen[0]
        self.assertEqual(len(backend.seen), 1)
        self.assertEqual(path.partition("?")[0],
                         "/a%20b%0D%0AX-Injected:%201%0D%0A%0D%0AGET%20/other%3Fc%23d")
        self.assertNotIn("x-injected", {name.lower() for name in headers})

    def test_fields_that_connection_names_end_here(self):
        backend, proxy = self.pod_proxy()
        self.assertEqual(self.server.get(proxy + "/x", headers={"Connection": "X-One, x-TWO,, keep-alive", "X-One": "1",
                                                                "X-Two": "2", "X-Three": "3"}).status, 404)
        headers = {name.lower(): value for name, value in backend.seen[0][2].items()}
        self.assertEqual([headers.get(name) for name in ("x-one", "x-two", "x-three")], [None, None, "3"])

    def test_a_pod_cannot_turn_a_request_into_a_tunnel(self):
        backend, proxy = self.pod_proxy()
        backend.answers["/x"] = Raw(b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
                                    b"Upgrade: foo\r\n\r\n", hold=True)
        connection = self.server.connect()
        self.addCleanup(connection.close)
        connection.request("GET", proxy + "/x")
        response = connection.getresponse()
        self.assertEqual(response.status, 500)
        self.assertIn(b"backend tried to switch protocol", response.read())
        connection.request("GET", "/api/v1/namespaces", headers={"Authorization": "Bearer secret"})
        self.assertIn(b"NamespaceList", connection.getresponse().read())
        harness.wait_until(lambda: backend.ended, "the pod's connection ends")
        self.assertEqual(backend.heard, [])

    def test_an_answer_of_a_pod_that_breaks_off_is_seen_to(self):
        backend, proxy = self.pod_proxy()
        backend.answers["/x"] = Raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npart\r\n")
        with self.assertRaises(http.client.IncompleteRead):
            self.server.get(proxy + "/x")

    def test_a_pod_that_does_not_answer_is_left_when_the_client_leaves(self):
        backend, proxy = self.pod_proxy()
        backend.answers["/x"] = Raw(b"", hold=True)
        connection = self.server.connect()
        connection.request("GET", proxy + "/x")
        harness.wait_until(lambda: backend.seen, "the pod is asked")
        connection.close()
        harness.wait_until(lambda: backend.ended, "the pod's connection ends")

    def test_proxies_pass_on_who_asks_for_options(self):
        backend, proxy = self.pod_proxy()
        backend.answers["/x"] = self.kubelet.server.answers["/x"] = 204, b"", {"Allow": "OPTIONS, GET"}
        for path in proxy, "/api/v1/nodes/near/proxy":
            answer = self.server.request("OPTIONS", path + "/x?a=b")
            self.assertEqual((answer.status, answer.headers["allow"]), (204, "OPTIONS, GET"), path)
        self.assertEqual([seen[0][:2] for seen in (backend.seen, self.kubelet.server.seen)],
                         [("OPTIONS", "/x?a=b"), ("OPTIONS", "/x?a=b")])
        self.assertEqual(self.server.request("OPTIONS", "/api/v1/namespaces/default/services/gone/proxy/").status, 404)
        for path in "p", "p/exec", "p/log", "":
            self.assertEqual(self.server.request("OPTIONS", "/api/v1/namespaces/default/pods/" + path).status, 405, path)

    def test_links_of_a_page_lead_through_the_proxy(self):
        backend, proxy = self.pod_proxy()
        page = b'<!doctype html><title><a href="/x"></title><a HREF=/x?a&amp;b><img src="i.png">'
        seen = f'<!doctype html><title><a href="/x"></title><a HREF="{proxy}/x?a&amp;b"><img src="i.png">'.encode()
        html = {"Content-Type": "text/html; charset=utf-8"}
        backend.answers = {
            "/plain": (200, page, html), "/text": (200, page, {"Content-Type": "text/plain"}),
            "/packed": (200, gzip.compress(page), {**html, "Content-Encoding": "gzip"}),
            "/other": (200, page, {**html, "Content-Encoding": "br"}),
            "/error": (404, page, html),
            "/away": (302, page, {**html, "Location": "/elsewhere"})}
        plain = self.server.get(proxy + "/plain")
        self.assertEqual((plain.status, plain.body), (200, seen))
        self.assertEqual(gzip.decompress(self.server.get(proxy + "/packed").body), seen)
        self.assertEqual(self.server.get(proxy + "/error").body, seen)
        for unchanged in "text", "other", "away":
            self.assertEqual(self.server.get(f"{proxy}/{unchanged}").body, page, unchanged)

    def test_a_page_that_is_not_in_its_encoding_breaks_off(self):
        backend, proxy = self.pod_proxy()
        backend.answers["/x"] = 200, b"no gzip", {"Content-Type": "text/html", "Content-Encoding": "gzip"}
        with self.assertRaises(http.client.IncompleteRead):
            self.server.get(proxy + "/x")

    def test_a_service_without_endpoints_is_unavailable(self):
        services = "/api/v1/namespaces/default/services"
        self.assertEqual(self.server.post(services, {"metadata": {"name": "s"}, "spec": {"ports": [{"port": 80}]}}).status, 201)
        self.assertRefused(self.server.get(services + "/s:81/proxy/"), 503, 'no service port 81 found for service "s"')
        self.assertRefused(self.server.get(services + "/s/proxy/"), 404, 'services "s" not found')

    # --- components ---

    def test_components_are_asked_for_their_health(self):
        got = self.server.get("/api/v1/componentstatuses")
        self.assertEqual(got.headers["Warning"], '299 - "v1 ComponentStatus is deprecated in v1.19+"')
        self.assertEqual(got.json()["metadata"], {})
        statuses = {item["metadata"]["name"]: item for item in got.json()["items"]}
        self.assertEqual(set(statuses), {"scheduler", "controller-manager", "etcd-0"})
        self.assertEqual(statuses["etcd-0"], {"metadata": {"name": "etcd-0"}, "conditions": [
            {"type": "Healthy", "status": "True", "message": "ok"}]})
        one = self.server.get("/api/v1/componentstatuses/etcd-0").json()
        self.assertEqual((one["kind"], one["conditions"]), ("ComponentStatus", statuses["etcd-0"]["conditions"]))
        self.assertRefused(self.server.get("/api/v1/componentstatuses/x"), 404, 'componentstatus "x" not found')
        self.assertRefused(self.server.get("/api/v1/componentstatuses?watch=1"), 405, "watch is not supported")


class ThisMachineTest(Case):
    """Without a flag nothing is asked at addresses of this machine."""

    def test_proxies_keep_off_this_machine(self):
        ip = {"status": {"podIP": "127.0.0.1", "podIPs": [{"ip": "127.0.0.1"}]}}
        self.assertEqual(self.server.patch("/api/v1/namespaces/default/pods/p/status", ip).status, 200)
        for path in ("/api/v1/nodes/near/proxy/", "/api/v1/nodes/near:80/proxy/x",
                     "/api/v1/namespaces/default/pods/p/proxy/", "/api/v1/namespaces/default/pods/https:p:443/proxy/"):
            self.assertRefused(self.server.get(path), 400, "address not allowed")
        self.assertRefused(self.server.get("/api/v1/namespaces/default/pods/x:p:1/proxy/"), 400,
                           'invalid pod request "x:p:1"')
        self.assertEqual(self.kubelet.server.seen, [])

    def test_logs_and_streams_keep_off_this_machine(self):
        self.assertRefused(self.pod("p/log"), 400, "address not allowed")
        for path in ("p/exec?command=sh", "p/attach?stdout=1", "p/portforward?ports=80"):
            _, head = self.open(path)
            self.assertTrue(head.startswith("HTTP/1.1 400 "), head)
        self.assertEqual(self.kubelet.server.seen, [])


if __name__ == "__main__":
    unittest.main()
