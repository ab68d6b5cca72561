"""Several servers on one etcd: who is an endpoint of `kubernetes`, who is known to run, who runs the controllers."""

import http.client
import pathlib
import shutil
import tempfile
import threading
import unittest

import etcd
import harness
import ports

ENDPOINTS = "/api/v1/namespaces/default/endpoints"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"


class FleetTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="keelson-fleet-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.store = etcd.Etcd()
        self.addCleanup(self.store.close)
        self.store.start()
        self.first = self.server(1).start()

    def server(self, number):
        server = harness.Server(f"--etcd-servers={self.store.url}", f"--advertise-address=192.0.2.{number}",
                                data_dir=self.folder / str(number), port=ports.free_port())
        server.args = harness.on_host(f"host-{number}", server.args)
        self.addCleanup(server.close)
        return server

    def endpoints(self):
        subsets = self.first.get(f"{ENDPOINTS}/kubernetes").json().get("subsets", [])
        return [address["ip"] for subset in subsets for address in subset["addresses"]]

    def until_endpoints(self, *numbers):
        expected = [f"192.0.2.{number}" for number in numbers]
        harness.wait_until(lambda: self.endpoints() == expected, f"endpoints {expected}")

    def holders(self):
        return {lease["metadata"]["labels"]["kubernetes.io/hostname"]: lease["spec"]["holderIdentity"]
                for lease in self.first.get(LEASES).json()["items"]
                if "apiserver.kubernetes.io/identity" in lease["metadata"].get("labels", {})}

    def ready_when_it_became_an_endpoint(self, server, address):
        """Starts the server; what /readyz said when the first watcher heard of it."""
        self.assertNotIn(address, self.endpoints())
        version = self.first.get(ENDPOINTS).json()["metadata"]["resourceVersion"]
        watch = self.first.watch(f"{ENDPOINTS}?watch=1&resourceVersion={version}")
        self.addCleanup(watch.close)
        port = int(server.args[server.args.index("--secure-port") + 1])
        server.port = port
        starting = []
        thread = threading.Thread(target=lambda: starting.append(server.start()))
        thread.start()
        try:
            while True:
                event = watch.next()
                if address in str(event["object"].get("subsets")):
                    return server.get("/readyz", client="anonymous").status
        finally:
            thread.join()
            self.assertEqual(starting, [server])

    def test_a_server_is_an_endpoint_once_it_is_ready(self):
        self.until_endpoints(1)
        second = self.server(2)
        second.start()  # makes its keys
        self.until_endpoints(1, 2)
        second.stop()
        for _ in range(5):
            try:
                self.assertEqual(self.ready_when_it_became_an_endpoint(second, "192.0.2.2"), 200)
            except (OSError, http.client.HTTPException) as error:
                self.fail(f"it is an endpoint and does not answer: {error!r}")
            second.stop()

    def test_a_server_that_ends_in_order_is_no_endpoint_and_not_known_to_run(self):
        second = self.server(2).start()
        self.until_endpoints(1, 2)
        self.assertEqual(second.stop(), 0)
        self.assertEqual(self.endpoints(), ["192.0.2.1"])
        self.assertEqual(list(self.holders()), ["host-1"])

    def test_a_server_that_was_killed_comes_back_as_another_process(self):
        second = self.server(2).start()
        self.until_endpoints(1, 2)
        before = self.holders()["host-2"]
        second.kill()
        second.start()
        self.until_endpoints(1, 2)
        after = self.holders()
        self.assertNotEqual(after["host-2"], before)
        self.assertEqual(sorted(after), ["host-1", "host-2"])

    def test_a_server_that_was_killed_is_forgotten(self):
        second = self.server(2).start()
        self.until_endpoints(1, 2)
        second.kill()
        self.until_endpoints(1)

    def test_the_controllers_go_to_another_server_when_theirs_ends(self):
        second = self.server(2).start()

        def holder():
            return self.first.get(f"{LEASES}/keelson-controllers").json()["spec"].get("holderIdentity", "")
        harness.wait_until(lambda: holder().startswith("192.0.2.1_"), "the first runs them")
        self.assertEqual(self.first.stop(), 0)
        self.first = second
        harness.wait_until(lambda: holder().startswith("192.0.2.2_"), "the second runs them")


if __name__ == "__main__":
    unittest.main()
