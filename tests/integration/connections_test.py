"""Connections that want more than their share: of descriptors, of time, of memory."""

import json
import pathlib
import re
import resource
import socket
import time
import unittest

import harness

CONFIGMAPS = "/api/v1/namespaces/default/configmaps"


class DescriptorsTest(unittest.TestCase):
    def test_idle_connections_beyond_the_limit_on_open_files_shut_nobody_out(self):
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        server = harness.Server("--max-unauthenticated-connections=0", "--max-unauthenticated-connections-per-address=0")
        server.args = ["sh", "-c", 'ulimit -S -n 256; ulimit -H -n 700; exec "$0" "$@"', *server.args]
        self.check(server)

    def test_idle_connections_of_one_address_shut_nobody_out(self):
        self.check(harness.Server("--max-unauthenticated-connections-per-address=100"))

    def check(self, server):
        with server:
            kept = server.connect()
            self.addCleanup(kept.close)
            kept.request("GET", "/api")
            self.assertEqual(kept.getresponse().read() and 200, 200)
            idle = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(1100)]
            try:
                for i in range(30):
                    self.assertEqual(server.get("/readyz", client="anonymous").status, 200)
                    self.assertEqual(server.post(CONFIGMAPS, {"metadata": {"name": f"c{i}"}}).status, 201)
                    kept.request("GET", f"{CONFIGMAPS}/c{i}")
                    response = kept.getresponse()
                    self.assertEqual((response.status, bool(response.read())), (200, True))
            finally:
                for s in idle:
                    s.close()
            self.assertNotIn("cannot accept connections", server.log())


class SlowBodyTest(harness.ServerTestCase):
    server_args = ("--storage-backend=memory", "--request-timeout=1s")

    def test_a_body_that_does_not_come_is_waited_for_as_long_as_a_request_may_take(self):
        connection = self.server.connect(timeout=40)
        self.addCleanup(connection.close)
        connection.putrequest("POST", CONFIGMAPS)
        connection.putheader("Content-Type", "application/json")
        connection.putheader("Content-Length", "1000")
        begun = time.monotonic()
        connection.endheaders(b"{")
        response = connection.getresponse()
        status = json.loads(response.read())
        self.assertEqual((response.status, status["reason"]), (504, "Timeout"))
        self.assertLess(time.monotonic() - begun, 30)


class MemoryTest(unittest.TestCase):
    def setUp(self):
        self.server = self.enterContext(harness.Server("--storage-backend=memory"))
        self.process = pathlib.Path(f"/proc/{self.server.process.pid}")

    def resident_mb(self):
        return int(re.search(r"VmRSS:\s+(\d+)", (self.process / "status").read_text()).group(1)) / 1024

    def test_what_large_requests_took_is_given_back(self):
        if "mimalloc" not in (self.process / "maps").read_text():
            self.skipTest("a sanitizer keeps what is freed")
        before = self.resident_mb()
        constraints = [{"maxSkew": 1, "topologyKey": f"k{i}", "whenUnsatisfiable": "DoNotSchedule"} for i in range(30_000)]
        pod = {"metadata": {"name": "p"},
               "spec": {"containers": [{"name": "c", "image": "i"}], "topologySpreadConstraints": constraints}}
        resident = []
        for _ in range(12):  # a connection each, so every loop gets some
            self.server.post("/api/v1/namespaces/default/pods?dryRun=All", pod)
            resident.append(self.resident_mb())
        # Not after each of them: what is freed in the last millisecond waits for the next.
        self.assertLess(min(resident), before + 30, resident)


if __name__ == "__main__":
    unittest.main()
