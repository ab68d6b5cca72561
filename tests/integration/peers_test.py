"""Servers on one etcd that serve different versions: what one does not serve, another is asked for it."""

import pathlib
import shutil
import tempfile
import unittest

import etcd
import harness
import identity
import ports

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
PREVIEW = "/apis/resource.k8s.io/v1beta1/deviceclasses"
PEER_LEASES = "/registry/peerserverleases/"


class TwoServers(unittest.TestCase):
    """One of them serves a version that the other does not."""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="keelson-peers-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.store = etcd.Etcd()
        cls.addClassCleanup(cls.store.close)
        cls.store.start()
        cls.proxies = identity.Authority("front-proxy-ca")
        cls.addClassCleanup(cls.proxies.close)
        cls.certificate, cls.key = cls.proxies.issue("/CN=front-proxy-client")
        cls.one = cls.serve("one")
        cls.other = cls.serve("other", "--runtime-config=resource.k8s.io/v1beta1=true")

    @classmethod
    def serve(cls, name, *args):
        folder = cls.folder / name
        (folder / "pki").mkdir(parents=True)
        folder.chmod(0o700)
        if (first := cls.folder / "one" / "pki" / "ca.crt").exists() and name != "one":
            for file in ("ca.crt", "ca.key", "admin.crt", "admin.key", "sa.key", "sa.pub"):
                shutil.copy2(first.parent / file, folder / "pki" / file)
        port = ports.free_port()
        ca = folder / "pki" / "ca.crt"
        if name == "one":
            # The authority of the servers is made by the first start.
            with harness.Server("--storage-backend=memory", data_dir=folder):
                pass
        server = harness.Server(
            f"--etcd-servers={cls.store.url}", f"--requestheader-client-ca-file={cls.proxies.certificate}",
            "--requestheader-username-headers=X-Remote-User", "--requestheader-group-headers=X-Remote-Group",
            "--requestheader-extra-headers-prefix=X-Remote-Extra-", f"--proxy-client-cert-file={cls.certificate}",
            f"--proxy-client-key-file={cls.key}", f"--peer-ca-file={ca}", "--peer-advertise-ip=127.0.0.1",
            f"--peer-advertise-port={port}", *args, data_dir=folder, port=port)
        server.args = harness.on_host(name, server.args)
        cls.addClassCleanup(server.close)
        return server.start()

    def until_passed_on(self):
        harness.wait_until(lambda: self.one.get(PREVIEW).status == 200, "the other is asked")


class PeersTest(TwoServers):
    def groups(self, server, accept):
        answer = server.get("/apis", headers={"Accept": accept})
        self.assertEqual(answer.status, 200, answer)
        return {group["metadata"]["name"]: [v["version"] for v in group["versions"]] for group in answer.json()["items"]}

    def test_requests_for_what_only_another_serves_are_passed_on(self):
        self.until_passed_on()
        body = {"apiVersion": "resource.k8s.io/v1beta1", "kind": "DeviceClass", "metadata": {"name": "through-a-peer"}, "spec": {}}
        made = self.one.post(PREVIEW, body)
        self.assertEqual(made.status, 201, made)
        self.assertEqual(self.other.get(f"{PREVIEW}/through-a-peer").json(), made.json())
        watch = self.one.watch(f"{PREVIEW}?watch=1&resourceVersion={made.json()['metadata']['resourceVersion']}")
        self.addCleanup(watch.close)
        self.assertEqual(self.one.delete(f"{PREVIEW}/through-a-peer").status, 200)
        self.assertEqual(watch.next()["type"], "DELETED")
        metrics = self.one.get("/metrics").text
        self.assertIn('apiserver_rerouted_request_total{code="201",group="resource.k8s.io",version="v1beta1",'
                      'resource="deviceclasses"} 1', metrics)

    def test_the_user_is_the_one_who_asked(self):
        self.until_passed_on()
        # Who may not is refused here, by the rules that all servers share.
        refused = self.one.get(PREVIEW, headers={"Impersonate-User": "nobody"})
        self.assertEqual(refused.status, 403, refused)

    def test_what_was_passed_on_is_not_passed_on_again(self):
        self.until_passed_on()
        self.assertEqual(self.one.get(PREVIEW, headers={"X-Kubernetes-Peer-Proxied": "true"}).status, 404)

    def test_what_nobody_serves_is_not_found(self):
        self.until_passed_on()
        self.assertEqual(self.one.get("/apis/resource.k8s.io/v7/deviceclasses").status, 404)
        self.assertEqual(self.one.get("/apis/nobody.example/v1/things").status, 404)

    def test_discovery_tells_of_all_servers_unless_asked_for_one(self):
        self.until_passed_on()
        self.assertEqual(self.groups(self.one, AGGREGATED)["resource.k8s.io"], ["v1", "v1beta1"])
        self.assertEqual(self.groups(self.one, AGGREGATED + ";profile=nopeer")["resource.k8s.io"], ["v1"])
        both = [server.get("/apis", headers={"Accept": AGGREGATED}) for server in (self.one, self.other)]
        self.assertEqual(both[0].json(), both[1].json())
        again = self.one.get("/apis", headers={"Accept": AGGREGATED, "If-None-Match": both[0].headers["ETag"]})
        self.assertEqual(again.status, 304)

    def test_custom_resources_are_not_looked_for_at_peers(self):
        self.until_passed_on()
        definition = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
                      "metadata": {"name": "gadgets.peers.test"},
                      "spec": {"group": "peers.test", "scope": "Cluster", "names": {"plural": "gadgets", "kind": "Gadget"},
                               "versions": [{"name": "v1", "served": True, "storage": True,
                                             "schema": {"openAPIV3Schema": {"type": "object"}}}]}}
        definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        self.assertEqual(self.other.post(definitions, definition).status, 201)
        harness.wait_until(lambda: self.one.get("/apis/peers.test/v1/gadgets").status == 200, "it is served here, too")
        self.assertEqual(self.one.delete(f"{definitions}/gadgets.peers.test").status, 200)
        harness.wait_until(lambda: self.one.get("/apis/peers.test/v1/gadgets").status == 404, "it is gone")

    def test_where_a_server_is_found_is_in_the_store_while_it_runs(self):
        third = self.serve("third")
        harness.wait_until(lambda: len(self.store.keys(PEER_LEASES)) == 3, "all three have said where they are")
        lease = [key for key in self.store.keys(PEER_LEASES)]
        self.assertTrue(all(key.startswith(PEER_LEASES + "apiserver-") for key in lease), lease)
        third.terminate()
        self.assertEqual(third.wait(), 0)
        self.assertEqual(len(self.store.keys(PEER_LEASES)), 2)


class LostPeerTest(TwoServers):
    def test_a_peer_that_is_gone_is_503_and_then_not_found(self):
        self.until_passed_on()
        self.other.kill()
        gone = self.one.get(PREVIEW)
        self.assertEqual(gone.status, 503, gone)

        def status():  # once its lease has ended
            answer = self.one.get(PREVIEW)
            return answer if answer.headers["Content-Type"] == "application/json" else None
        lost = harness.wait_until(status, "nobody knows where it is")
        self.assertEqual((lost.status, lost.json()["message"]),
                         (503, "Error getting ip and port info of the remote server while proxying"))
        # It starts again and ends in order.
        self.other.start()
        self.until_passed_on()
        self.other.terminate()
        self.assertEqual(self.other.wait(), 0)
        harness.wait_until(lambda: self.one.get(PREVIEW).status == 404, "nobody serves it")


if __name__ == "__main__":
    unittest.main()
