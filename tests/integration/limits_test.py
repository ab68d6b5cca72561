"""What is bounded: requests in flight, the life of events, the history a watch can resume in."""

import json
import tempfile
import unittest

import harness


class InFlightTest(harness.ServerTestCase):
    """As an ordinary user: system:masters are never turned away."""

    @classmethod
    def setUpClass(cls):
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as tokens:
            tokens.write("secret,bob,1\n")
            tokens.flush()
            cls.server_args = ("--storage-backend=memory", "--authorization-mode=AlwaysAllow",
                               f"--token-auth-file={tokens.name}", "--max-mutating-requests-inflight=1",
                               "--max-requests-inflight=1")
            super().setUpClass()

    def test_a_write_beyond_the_limit_is_told_to_come_back(self):
        path, bob = "/api/v1/namespaces/default/configmaps", {"Authorization": "Bearer secret"}
        slow = self.server.connect(client="anonymous")
        self.addCleanup(slow.close)
        body = json.dumps({"metadata": {"name": "slow"}}).encode()
        slow.putrequest("POST", path)
        for name, value in {**bob, "Content-Type": "application/json", "Content-Length": str(len(body))}.items():
            slow.putheader(name, value)
        slow.endheaders(body[:5])  # the rest of the body keeps the server waiting

        def create():
            return self.server.post(path, {"metadata": {"generateName": "x-"}}, headers=bob, client="anonymous")

        got = harness.wait_until(lambda: (got := create()).status == 429 and got, "429")
        self.assertEqual(got.headers["Retry-After"], "1")
        self.assertEqual(self.server.post(path, {"metadata": {"generateName": "x-"}}).status, 201)
        slow.send(body[5:])
        self.assertEqual(slow.getresponse().status, 201)
        harness.wait_until(lambda: create().status == 201, "the place to be free again")

    def test_watches_take_no_place(self):
        streams = [self.server.watch("/api/v1/namespaces?watch=true") for _ in range(3)]
        for stream in streams:
            self.addCleanup(stream.close)
            self.assertEqual(stream.status, 200)
        self.assertEqual(self.server.get("/api/v1/namespaces").status, 200)


class EventTtlTest(harness.ServerTestCase):
    server_args = ("--storage-backend=memory", "--event-ttl=1s")

    def test_an_event_goes_when_its_time_is_up(self):
        path = "/api/v1/namespaces/default/events"
        stream = self.server.watch(path + "?watch=true")
        self.addCleanup(stream.close)
        made = self.server.post(path, {"metadata": {"name": "e"}, "reason": "r", "type": "Normal",
                                       "involvedObject": {"kind": "Pod", "name": "p", "namespace": "default"}})
        self.assertEqual(made.status, 201, made)
        self.assertEqual(stream.next()["type"], "ADDED")
        self.assertEqual(stream.next()["type"], "DELETED")
        self.assertEqual(self.server.get(path + "/e").status, 404)


class WindowTest(harness.ServerTestCase):
    def test_a_watch_from_before_the_window_must_list_again(self):
        path = "/api/v1/namespaces/default/configmaps"
        old = self.server.post(path, {"metadata": {"name": "big"}}).json()["metadata"]["resourceVersion"]
        for i in range(60):  # more than the window keeps in bytes
            got = self.server.put(path + "/big", {"metadata": {"name": "big"}, "data": {"k": f"{i:04}" + "x" * 1_000_000}})
            self.assertEqual(got.status, 200)
        stream = self.server.watch(path + f"?watch=true&resourceVersion={old}")
        self.addCleanup(stream.close)
        event = stream.next()
        self.assertEqual((event["type"], event["object"]["code"], event["object"]["reason"]), ("ERROR", 410, "Expired"))
        self.assertIn("too old resource version", event["object"]["message"])
        self.assertIsNone(stream.next())
        again = self.server.get(path).json()["metadata"]["resourceVersion"]
        resumed = self.server.watch(path + f"?watch=true&resourceVersion={again}")
        self.addCleanup(resumed.close)
        self.server.delete(path + "/big")
        self.assertEqual(resumed.next()["type"], "DELETED")


if __name__ == "__main__":
    unittest.main()
