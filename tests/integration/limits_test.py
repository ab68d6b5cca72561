"""What is bounded: requests in flight, the life of events, the bytes of a resource, the history a watch can resume in."""

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
            cls.server_args = ("--storage-backend=memory", f"--token-auth-file={tokens.name}",
                               "--enable-priority-and-fairness=false",
                               "--max-mutating-requests-inflight=1", "--max-requests-inflight=1")
            super().setUpClass()
        rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default"
        for collection, body in (
                ("roles", {"rules": [{"verbs": ["create"], "apiGroups": [""], "resources": ["configmaps"]}]}),
                ("rolebindings", {
                    "subjects": [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "bob"}],
                    "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "bob"}})):
            made = cls.server.post(f"{rbac}/{collection}", {"metadata": {"name": "bob"}, **body})
            assert made.status == 201, made

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


class QuotaTest(harness.ServerTestCase):
    server_args = ("--storage-backend=memory", "--storage-quotas=events#20Ki", "--max-object-bytes=100Ki")

    def test_a_flood_of_events_does_not_stop_leases(self):
        def event(i):
            return self.server.post("/api/v1/namespaces/default/events", {
                "metadata": {"name": f"e{i}"}, "reason": "r", "type": "Normal", "message": "x" * 1000,
                "involvedObject": {"kind": "Pod", "name": "p", "namespace": "default"}})
        answers = [event(i).status for i in range(30)]
        self.assertIn(201, answers)
        self.assertEqual(answers[-1], 507)
        refused = event(99).json()
        self.assertEqual((refused["kind"], refused["details"]["kind"]), ("Status", "events"))
        self.assertIn("the store keeps no more than 20480 bytes of events", refused["message"])
        lease = self.server.post("/apis/coordination.k8s.io/v1/namespaces/default/leases", {"metadata": {"name": "l"}})
        self.assertEqual(lease.status, 201)
        self.assertEqual(self.server.delete("/api/v1/namespaces/default/events/e0").status, 200)
        self.assertEqual(event(100).status, 201)

    def test_an_object_can_be_too_large(self):
        got = self.server.post("/api/v1/namespaces/default/configmaps",
                               {"metadata": {"name": "large"}, "data": {"k": "x" * 200_000}})
        self.assertEqual(got.status, 500)
        self.assertIn("bytes, and 102400 are allowed", got.json()["message"])


class RestartTest(unittest.TestCase):
    def test_a_watch_goes_on_after_a_restart(self):
        path = "/api/v1/namespaces/default/configmaps"
        with tempfile.TemporaryDirectory() as folder:
            with harness.Server(data_dir=f"{folder}/data") as server:
                seen = server.post(path, {"metadata": {"name": "a"}}).json()["metadata"]["resourceVersion"]
                server.put(path + "/a", {"metadata": {"name": "a"}, "data": {"k": "v"}})
                server.post(path, {"metadata": {"name": "b"}})
                server.delete(path + "/a")
                server.stop()
            with harness.Server(data_dir=f"{folder}/data") as server:
                stream = server.watch(path + f"?watch=true&resourceVersion={seen}")
                try:
                    told = [stream.next() for _ in range(3)]
                    server.delete(path + "/b")
                    told.append(stream.next())
                finally:
                    stream.close()
        self.assertEqual([(event["type"], event["object"]["metadata"]["name"]) for event in told],
                         [("MODIFIED", "a"), ("ADDED", "b"), ("DELETED", "a"), ("DELETED", "b")])
        self.assertEqual(told[2]["object"]["data"], {"k": "v"})


if __name__ == "__main__":
    unittest.main()
