"""How the server ends: who is told to go elsewhere, who may finish, what is kept."""

import http.client
import json
import pathlib
import shutil
import socket
import tempfile
import unittest

import etcd
import harness


class UnfinishedRequest:
    """A request whose body ends when the test says so."""

    def __init__(self, server, path, body):
        text = json.dumps(body).encode()
        self._rest = text[1:]
        self._connection = server.connect()
        self._connection.putrequest("POST", path)
        self._connection.putheader("Content-Type", "application/json")
        self._connection.putheader("Content-Length", str(len(text)))
        self._connection.endheaders()
        self._connection.send(text[:1])

    def finish(self):
        self._connection.send(self._rest)
        answer = self._connection.getresponse()
        response = harness.Response(answer.status, answer.headers, answer.read())
        self._connection.close()
        return response


class ShutdownTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="keelson-shutdown-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        (self.folder / "policy").write_text("apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: Metadata\n")

    def serve(self, *args):
        server = harness.Server("--storage-backend=memory", f"--audit-policy-file={self.folder}/policy",
                                f"--audit-log-path={self.folder}/audit.log", "--audit-log-mode=batch", *args)
        self.addCleanup(server.close)
        return server.start()

    def audited(self, name):
        events = [json.loads(line) for line in (self.folder / "audit.log").read_text().splitlines()]
        return [event["stage"] for event in events if event.get("objectRef", {}).get("name") == name]

    def test_new_requests_are_told_to_come_back_and_those_under_way_finish(self):
        server = self.serve("--shutdown-send-retry-after")
        request = UnfinishedRequest(server, "/api/v1/namespaces", {"metadata": {"name": "late"}})
        known = server.connect()
        self.addCleanup(known.close)
        known.request("GET", "/api/v1/namespaces/default")
        self.assertEqual(known.getresponse().read()[:1], b"{")
        server.terminate()
        # On connections that are new as on those that are not.
        refused = harness.wait_until(
            lambda: (lambda r: r if r.status == 429 else None)(server.get("/api/v1/namespaces/default")), "429")
        self.assertEqual(refused.text, "The apiserver is shutting down, please try again later.\n")
        self.assertEqual((refused.headers["Retry-After"], refused.headers["Connection"]), ("5", "close"))
        self.assertTrue(refused.headers["Audit-Id"])
        known.request("GET", "/api/v1/namespaces/default")
        self.assertEqual(known.getresponse().status, 429)
        self.assertEqual(server.get("/readyz", client="anonymous").status, 500)
        self.assertEqual(server.get("/livez", client="anonymous").status, 200)
        self.assertEqual(request.finish().status, 201)
        self.assertEqual(server.wait(), 0)
        self.assertIn("ResponseComplete", self.audited("late"))

    def test_the_lease_of_the_server_goes_with_it(self):
        with etcd.Etcd() as store, harness.Server(f"--etcd-servers={store.url}") as server:
            leases = [key for key in store.keys("/registry/leases/kube-system/") if "/apiserver-" in key]
            self.assertEqual(len(leases), 1, leases)
            lease = server.get("/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/" +
                               leases[0].rsplit("/", 1)[1]).json()
            self.assertEqual(lease["spec"]["leaseDurationSeconds"], 3600)
            self.assertTrue(lease["spec"]["holderIdentity"].startswith(lease["metadata"]["name"] + "_"))
            self.assertEqual(lease["metadata"]["labels"], {"apiserver.kubernetes.io/identity": "kube-apiserver",
                                                           "kubernetes.io/hostname": socket.gethostname()})
            server.terminate()
            self.assertEqual(server.wait(), 0)
            self.assertEqual([key for key in store.keys("/registry/leases/kube-system/") if "/apiserver-" in key], [])

    def test_watches_end_within_their_grace_period(self):
        server = self.serve("--shutdown-watch-termination-grace-period=2s")
        watches = [server.watch("/api/v1/namespaces?watch=true") for _ in range(5)]
        for watch in watches:
            self.addCleanup(watch.close)
            self.assertEqual(watch.next()["type"], "ADDED")
        server.terminate()
        for watch in watches:
            self.assertTrue(watch.ended_cleanly())
        self.assertEqual(server.wait(), 0)

    def test_a_request_under_way_finishes_though_nobody_is_let_in(self):
        server = self.serve()
        request = UnfinishedRequest(server, "/api/v1/namespaces", {"metadata": {"name": "late"}})
        server.terminate()

        def refused():
            try:
                server.get("/readyz", client="anonymous")
                return False
            except (OSError, http.client.HTTPException):
                return True
        harness.wait_until(refused, "nobody is let in")
        self.assertEqual(request.finish().status, 201)
        self.assertEqual(server.wait(), 0)
        self.assertIn("ResponseComplete", self.audited("late"))


if __name__ == "__main__":
    unittest.main()
