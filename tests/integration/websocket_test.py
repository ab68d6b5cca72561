"""Watches over WebSockets, as browsers and the clients of fabric8 ask for them."""

import base64
import json
import pathlib
import struct
import subprocess
import tempfile
import unittest

import harness
from websocket import BINARY, CLOSE, PING, PONG, TEXT, WebSocket

TOKEN = "a-token-for-browsers"
TOKEN_PROTOCOL = "base64url.bearer.authorization.k8s.io."


def encoded(token):
    return TOKEN_PROTOCOL + base64.urlsafe_b64encode(token.encode()).decode().rstrip("=")


class WebSocketTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory(prefix="keelson-websocket-")
        cls.addClassCleanup(directory.cleanup)
        tokens = pathlib.Path(directory.name) / "tokens.csv"
        tokens.write_text(f'{TOKEN},admin-of-tokens,1,"system:masters"\n')
        cls.server = harness.Server("--storage-backend=memory", "--watch-cache-window-bytes=1Mi",
                                    f"--token-auth-file={tokens}")
        cls.addClassCleanup(cls.server.close)
        cls.server.start()

    def setUp(self):
        made = self.server.post("/api/v1/namespaces", {"metadata": {"generateName": "test-"}})
        self.path = "/api/v1/namespaces/" + made.json()["metadata"]["name"] + "/configmaps"

    def open(self, path, **kwargs):
        opened = WebSocket(self.server, path, **kwargs)
        self.addCleanup(opened.close)
        return opened

    def watch(self, query="", **kwargs):
        opened = self.open(f"{self.path}?watch=1&resourceVersion=0{query}", **kwargs)
        self.assertTrue(opened.accepted(), (opened.status, opened.headers))
        return opened

    def make(self, name):
        self.assertEqual(self.server.post(self.path, {"metadata": {"name": name}}).status, 201)

    def assertEvent(self, opened, kind, name):
        opcode, payload = opened.receive()
        self.assertEqual(opcode, TEXT, payload)
        event = json.loads(payload)
        self.assertEqual((event["type"], event["object"]["metadata"]["name"]), (kind, name))
        return payload

    def assertClosed(self, opened, code=1000):
        self.assertEqual(opened.receive(), (CLOSE, struct.pack(">H", code)))
        self.assertIsNone(opened.receive())

    # --- events ---

    def test_each_event_is_a_text_message(self):
        self.make("a")
        opened = self.watch()
        payload = self.assertEvent(opened, "ADDED", "a")
        self.assertTrue(payload.endswith(b"}\n"))
        self.make("b")
        self.assertEvent(opened, "ADDED", "b")
        self.server.patch(self.path + "/b", {"data": {"k": "v" * 100_000}})
        self.assertEvent(opened, "MODIFIED", "b")
        self.server.delete(self.path + "/b")
        self.assertEvent(opened, "DELETED", "b")

    def test_messages_hold_what_a_watch_over_http_gives(self):
        for i in range(100):
            self.make(f"map-{i}")
        stream = self.server.watch(f"{self.path}?watch=1&resourceVersion=0")
        self.addCleanup(stream.close)
        opened = self.watch()
        for _ in range(100):
            self.assertEqual(json.loads(opened.receive()[1]), stream.next())

    def test_protobuf_events_are_binary_messages_without_a_length(self):
        self.make("a")
        opened = self.watch(headers={"Accept": "application/vnd.kubernetes.protobuf;stream=watch"})
        opcode, payload = opened.receive()
        self.assertEqual(opcode, BINARY)
        self.assertTrue(payload.startswith(b"\x0a\x05ADDED"), payload[:20])

    def test_a_watch_ends_with_a_close_at_its_timeout(self):
        self.assertClosed(self.watch("&timeoutSeconds=1"))

    def test_a_version_that_is_gone_is_told_in_a_message(self):
        old = self.server.post(self.path, {"metadata": {"name": "big"}}).json()["metadata"]["resourceVersion"]
        for i in range(5):  # more than the window keeps in bytes
            self.assertEqual(self.server.patch(self.path + "/big", {"data": {"k": str(i) + "x" * 900_000}}).status, 200)
        opened = self.open(f"{self.path}?watch=1&resourceVersion={old}")
        self.assertTrue(opened.accepted(), (opened.status, opened.headers))
        opcode, payload = opened.receive()
        event = json.loads(payload)
        self.assertEqual((opcode, event["type"], event["object"]["code"]), (TEXT, "ERROR", 410))
        self.assertClosed(opened)

    def test_mistakes_are_ordinary_answers(self):
        opened = self.open(f"{self.path}?watch=1&sendInitialEvents=true")
        self.assertEqual(opened.status, 422)
        self.assertEqual(self.open("/api/v1/nosuchthing?watch=1").status, 404)
        self.assertEqual(self.open(self.path + "?watch=1", client="anonymous").status, 403)

    # --- the protocol ---

    def test_pings_are_answered_and_messages_ignored(self):
        opened = self.watch()
        opened.send(TEXT, b"nobody reads this")
        opened.send(PING, b"are you there")
        self.assertEqual(opened.receive(), (PONG, b"are you there"))
        self.make("a")
        self.assertEvent(opened, "ADDED", "a")

    def test_a_close_is_answered(self):
        opened = self.watch()
        opened.send(CLOSE, struct.pack(">H", 1000))
        self.assertClosed(opened)

    def test_frames_without_a_mask_end_it(self):
        opened = self.watch()
        opened.send_raw(b"\x81\x02hi")
        self.assertClosed(opened, 1002)

    def test_the_handshake_is_checked(self):
        path = self.path + "?watch=1"
        self.assertEqual(self.open(path, origin=None).status, 403)
        self.assertEqual(self.open(path, headers={"Sec-WebSocket-Key": None}).status, 400)
        old = self.open(path, headers={"Sec-WebSocket-Version": "8"})
        self.assertEqual((old.status, old.headers.get("sec-websocket-version")), (400, "13"))

    def test_one_subprotocol_may_be_named(self):
        opened = self.open(self.path + "?watch=1", headers={"Sec-WebSocket-Protocol": "any.name"})
        self.assertTrue(opened.accepted())
        self.assertEqual(opened.headers["sec-websocket-protocol"], "any.name")
        self.assertNotIn("sec-websocket-protocol", self.watch().headers)
        self.assertEqual(self.open(self.path + "?watch=1", headers={"Sec-WebSocket-Protocol": "a, b"}).status, 400)

    def test_a_server_that_stops_says_goodbye(self):
        with harness.Server("--storage-backend=memory") as server:
            opened = WebSocket(server, "/api/v1/namespaces?watch=1")
            self.addCleanup(opened.close)
            while json.loads(opened.receive()[1])["object"]["metadata"]["name"] != "default":
                pass
            server.terminate()
            frames = iter(opened.receive, None)
            self.assertIn((CLOSE, struct.pack(">H", 1000)), list(frames))
            server.wait()

    # --- who is there ---

    def test_a_token_may_be_a_subprotocol(self):
        path = self.path + "?watch=1"

        def answer(protocols):
            return self.open(path, client="anonymous", headers={"Sec-WebSocket-Protocol": protocols})
        opened = answer(f"{encoded(TOKEN)}, v1.example")
        self.assertTrue(opened.accepted(), (opened.status, opened.headers))
        self.assertEqual(opened.headers["sec-websocket-protocol"], "v1.example")  # the token is not said back
        for wrong in (f"{encoded('nobodys')}, x", encoded(TOKEN), f"{encoded(TOKEN)}, {encoded(TOKEN)}, x",
                      TOKEN_PROTOCOL + "!!, x"):
            self.assertEqual(answer(wrong).status, 401, wrong)

    # --- other upgrades ---

    def test_upgrades_that_are_not_served_are_ignored(self):
        self.make("a")
        for path, protocol in ((self.path, "websocket"), (self.path + "/a", "websocket"), ("/version", "websocket"),
                               (self.path, "h2c")):
            got = self.server.get(path, headers={"Connection": "Upgrade", "Upgrade": protocol,
                                                 "Sec-WebSocket-Key": "x", "Sec-WebSocket-Version": "13"})
            self.assertEqual(got.status, 200, path)
            self.assertIsInstance(got.json(), dict)
        stream = self.server.connect()
        self.addCleanup(stream.close)
        stream.request("GET", self.path + "?watch=1&resourceVersion=0",
                       headers={"Connection": "Upgrade", "Upgrade": "SPDY/3.1"})
        response = stream.getresponse()
        self.assertEqual(response.status, 200)
        self.assertEqual(json.loads(response.readline())["type"], "ADDED")


class KubeconfigTest(unittest.TestCase):
    def key(self, server):
        for line in server.kubeconfig.read_text().splitlines():
            if "client-key-data:" in line:
                return base64.b64decode(line.split()[1])
        raise AssertionError("no key")

    def test_the_administrators_key_is_in_the_form_that_all_clients_read(self):
        with harness.Server("--storage-backend=memory") as server:
            self.assertTrue(self.key(server).startswith(b"-----BEGIN EC PRIVATE KEY-----"), self.key(server))

    def test_a_key_of_an_earlier_release_is_written_in_that_form(self):
        with tempfile.TemporaryDirectory() as directory:
            with harness.Server("--storage-backend=memory", data_dir=directory) as server:
                stored = server.data_dir / "pki" / "admin.key"
                old = subprocess.run(["openssl", "pkcs8", "-topk8", "-nocrypt", "-in", str(stored)], check=True,
                                     capture_output=True).stdout
                self.assertTrue(old.startswith(b"-----BEGIN PRIVATE KEY-----"))
                certificate = (server.data_dir / "pki" / "admin.crt").read_bytes()
                server.stop()
            stored.write_bytes(old)
            with harness.Server("--storage-backend=memory", data_dir=directory) as server:
                self.assertTrue(self.key(server).startswith(b"-----BEGIN EC PRIVATE KEY-----"))
                self.assertEqual((server.data_dir / "pki" / "admin.crt").read_bytes(), certificate)
                self.assertEqual(stored.read_bytes(), old)
                self.assertEqual(server.get("/api/v1/namespaces").status, 200)


if __name__ == "__main__":
    unittest.main()
