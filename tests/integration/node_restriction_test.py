"""What a kubelet may write when NodeRestriction is on: its own things, and nothing that helps it to more."""

import base64
import tempfile
import unittest

import harness
import identity

NODES = "/api/v1/nodes"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"
SIGNING_REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests"


class NodeRestrictionTest(harness.ServerTestCase):
    @classmethod
    def setUpClass(cls):
        tokens = tempfile.NamedTemporaryFile("w", suffix=".csv")
        cls.addClassCleanup(tokens.close)
        tokens.write('node-token,system:node:n1,1,"system:nodes"\n')
        tokens.flush()
        cls.server_args = ("--storage-backend=memory", f"--token-auth-file={tokens.name}",
                           "--enable-admission-plugins=NodeRestriction")
        super().setUpClass()

    def setUp(self):
        self.path = self.new_namespace()

    def as_node(self, method, path, body=None):
        headers = {"Authorization": "Bearer node-token"}
        if method == "PATCH":
            headers["Content-Type"] = "application/merge-patch+json"
        return self.server.request(method, path, body, headers=headers, client="anonymous")

    def node(self):
        found = self.server.get(f"{NODES}/n1")
        if found.status == 404:
            found = self.as_node("POST", NODES, {"metadata": {"name": "n1"}})
            self.assertEqual(found.status, 201, found)
        return found.json()

    def pod(self, name, node, **spec):
        made = self.server.post(f"{self.path}/pods", {
            "metadata": {"name": name},
            "spec": {"nodeName": node, "containers": [{"name": "c", "image": "i"}], **spec}})
        self.assertEqual(made.status, 201, made)
        return made.json()

    def refused(self, answer, why):
        self.assertEqual(answer.status, 403, answer)
        self.assertIn(why, answer.json()["message"])

    def test_a_node_registers_itself_without_labels_that_attract_pods(self):
        self.node()
        self.refused(self.as_node("POST", NODES, {"metadata": {"name": "n2"}}),
                     'node "n1" is not allowed to modify node "n2"')
        patch = {"metadata": {"labels": {"node-restriction.kubernetes.io/pci": "yes", "size": "big"}}}
        self.refused(self.as_node("PATCH", f"{NODES}/n1", patch),
                     "is not allowed to modify labels: node-restriction.kubernetes.io/pci")
        self.assertNotIn("size", self.node()["metadata"].get("labels", {}))
        self.refused(self.as_node("PATCH", f"{NODES}/n1", {"spec": {"taints": None}}),
                     'node "n1" is not allowed to modify taints')
        allowed = self.as_node("PATCH", f"{NODES}/n1", {"metadata": {"labels": {"size": "big"}}})
        self.assertEqual(allowed.status, 200, allowed)

    def test_a_node_makes_mirror_pods_of_its_own_only(self):
        owner = {"apiVersion": "v1", "kind": "Node", "name": "n1", "uid": self.node()["metadata"]["uid"],
                 "controller": True}
        mirror = {"metadata": {"name": "m", "annotations": {"kubernetes.io/config.mirror": "x"},
                               "ownerReferences": [owner]},
                  "spec": {"nodeName": "n1", "containers": [{"name": "c", "image": "i"}]}}
        spec = {**mirror["spec"], "volumes": [{"name": "v", "secret": {"secretName": "s"}}]}
        self.refused(self.as_node("POST", f"{self.path}/pods", {**mirror, "spec": spec}),
                     'node "n1" can not create pods that reference secrets')
        self.refused(self.as_node("POST", f"{self.path}/pods", {**mirror, "metadata": {"name": "m"}}),
                     'node "n1" can only create mirror pods')
        made = self.as_node("POST", f"{self.path}/pods", mirror)
        self.assertEqual(made.status, 201, made)

    def test_a_node_reports_and_ends_the_pods_on_it(self):
        self.pod("here", "n1")
        self.pod("there", "n2")
        running = {"status": {"phase": "Running"}}
        reported = self.as_node("PATCH", f"{self.path}/pods/here/status", running)
        self.assertEqual(reported.status, 200, reported)
        self.refused(self.as_node("PATCH", f"{self.path}/pods/there/status", running),
                     'node "n1" can only update pod status for pods with spec.nodeName set to itself')
        self.refused(self.as_node("DELETE", f"{self.path}/pods/there"),
                     'node "n1" can only delete pods with spec.nodeName set to itself')
        eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "there"}}
        self.refused(self.as_node("POST", f"{self.path}/pods/there/eviction", eviction),
                     "node n1 can only evict pods with spec.nodeName set to itself")
        self.assertEqual(self.as_node("DELETE", f"{self.path}/pods/here").status, 200)

    def test_a_node_gets_tokens_for_the_audiences_its_pods_need(self):
        self.node()
        account = self.server.post(f"{self.path}/serviceaccounts", {"metadata": {"name": "sa"}})
        self.assertEqual(account.status, 201, account)
        token = {"serviceAccountToken": {"path": "t", "audience": "vault"}}
        pod = self.pod("p", "n1", serviceAccountName="sa",
                       volumes=[{"name": "v", "projected": {"sources": [token]}}])

        def ask(audiences, uid=pod["metadata"]["uid"]):
            bound = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": uid}
            return self.as_node("POST", f"{self.path}/serviceaccounts/sa/token",
                                {"spec": {"audiences": audiences, "boundObjectRef": bound}})

        # The Node authorizer hears of the pod a moment after it was made.
        given = harness.wait_until(lambda: (answer := ask(["vault"])).status == 201 and answer, "a token")
        self.assertTrue(given.json()["status"]["token"])
        self.refused(ask(["other"]), 'audience "other" not found in pod spec volume, system:node:n1 is not '
                                     "authorized to request tokens for this audience")
        self.refused(ask(["vault"], uid="other"), "does not match the UID in record")
        self.refused(self.as_node("POST", f"{self.path}/serviceaccounts/sa/token", {"spec": {}}),
                     "node requested token not bound to a pod")

    def test_a_node_keeps_its_own_lease(self):
        self.assertEqual(self.as_node("POST", LEASES, {"metadata": {"name": "n1"}}).status, 201)
        self.refused(self.as_node("POST", LEASES, {"metadata": {"name": "n2"}}),
                     "can only access node lease with the same name as the requesting node")

    def test_a_node_asks_for_certificates_in_its_own_name(self):
        def ask(name, subject):
            with tempfile.NamedTemporaryFile(suffix=".key") as key:
                request = identity.openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                                           "-nodes", "-keyout", key.name, "-subj", subject)
            return self.as_node("POST", SIGNING_REQUESTS, {"metadata": {"name": name}, "spec": {
                "request": base64.b64encode(request).decode(), "usages": ["digital signature", "client auth"],
                "signerName": "kubernetes.io/kube-apiserver-client-kubelet"}})

        made = ask("own", "/O=system:nodes/CN=system:node:n1")
        self.assertEqual(made.status, 201, made)
        self.refused(ask("other", "/O=system:nodes/CN=system:node:n2"),
                     "can only create a node CSR with CN=system:node:n1")


class WithoutNodeRestrictionTest(harness.ServerTestCase):
    server_args = ("--storage-backend=memory",)

    def test_the_plug_in_is_off_unless_it_is_asked_for(self):
        made = self.server.request("POST", f"{NODES}?dryRun=All", {"metadata": {"name": "n2"}}, headers={
            "Impersonate-User": "system:node:n1", "Impersonate-Group": "system:nodes"})
        self.assertNotIn("is not allowed to modify node", made.text)


if __name__ == "__main__":
    unittest.main()
