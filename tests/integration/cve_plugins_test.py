"""Public vulnerabilities of admission plug-ins that are off by default, by their names (docs/security.md)."""

import os
import subprocess
import unittest

import harness


def has_plugin(name):
    """Whether this binary has the plug-in: a name it does not have is refused at once. Who runs a server of their own has
    switched it on."""
    if "KEELSON_EXTERNAL_URL" in os.environ:
        return True
    done = subprocess.run([harness.BINARY, "serve", f"--enable-admission-plugins={name}", "--data-dir=/dev/null/x"],
                          capture_output=True, text=True, timeout=60)
    return name not in done.stderr


class NodeRestrictionTest(harness.ServerTestCase):
    server_args = ("--storage-backend=memory", "--enable-admission-plugins=NodeRestriction",
                   "--authorization-mode=Node,RBAC")

    @classmethod
    def setUpClass(cls):
        if not has_plugin("NodeRestriction"):
            raise unittest.SkipTest("this binary has no NodeRestriction")
        super().setUpClass()

    def as_node(self, method, path, body=None, content_type="application/json"):
        headers = {"Impersonate-User": "system:node:n1", "Impersonate-Group": "system:nodes", "Content-Type": content_type}
        return self.server.request(method, path, body, headers=headers)

    def setUp(self):
        self.server.delete("/api/v1/nodes/n1")
        self.assertEqual(self.as_node("POST", "/api/v1/nodes", {"metadata": {"name": "n1"}}).status, 201)

    def test_cve_2025_5187_a_node_gives_itself_no_owner(self):
        owner = {"apiVersion": "v1", "kind": "Node", "name": "gone", "uid": "7a2b8d0e-0000-4000-8000-000000000000"}
        got = self.as_node("PATCH", "/api/v1/nodes/n1", {"metadata": {"ownerReferences": [owner]}},
                           "application/merge-patch+json")
        self.assertStatus(got, 403, "Forbidden")
        node = self.server.get("/api/v1/nodes/n1").json()
        self.assertNotIn("ownerReferences", node["metadata"])
        node["metadata"]["ownerReferences"] = [owner]
        self.assertStatus(self.as_node("PUT", "/api/v1/nodes/n1", node), 403, "Forbidden")

    def mirror(self, **spec):
        return {"metadata": {"name": "m", "annotations": {"kubernetes.io/config.mirror": "x", "kubernetes.io/config.source": "file"},
                             "ownerReferences": [{"apiVersion": "v1", "kind": "Node", "name": "n1", "controller": True,
                                                  "uid": self.server.get("/api/v1/nodes/n1").json()["metadata"]["uid"]}]},
                "spec": {"nodeName": "n1", "containers": [{"name": "c", "image": "i"}], **spec}}

    def test_cve_2025_4563_mirror_pods_claim_no_resources(self):
        pods = "/api/v1/namespaces/default/pods"
        self.assertEqual(self.as_node("POST", pods, self.mirror()).status, 201, "a plain mirror pod is fine")
        self.server.delete(pods + "/m?gracePeriodSeconds=0")
        claims = {"resourceClaims": [{"name": "r", "resourceClaimName": "secret-device"}]}
        self.assertStatus(self.as_node("POST", pods, self.mirror(**claims)), 403, "Forbidden")

    def test_a_node_stays_within_its_own(self):
        self.assertEqual(self.server.post("/api/v1/nodes", {"metadata": {"name": "n2"}}).status, 201)
        self.addCleanup(self.server.delete, "/api/v1/nodes/n2")
        patch = {"metadata": {"labels": {"a": "b"}}}
        self.assertEqual(self.as_node("PATCH", "/api/v1/nodes/n2", patch, "application/merge-patch+json").status, 403)
        own = {"metadata": {"labels": {"node-restriction.kubernetes.io/x": "1"}}}
        self.assertEqual(self.as_node("PATCH", "/api/v1/nodes/n1", own, "application/merge-patch+json").status, 403)


class ExternalIPsTest(harness.ServerTestCase):
    server_args = ("--storage-backend=memory", "--enable-admission-plugins=DenyServiceExternalIPs")

    @classmethod
    def setUpClass(cls):
        if not has_plugin("DenyServiceExternalIPs"):
            raise unittest.SkipTest("this binary has no DenyServiceExternalIPs")
        super().setUpClass()

    def test_cve_2020_8554_nobody_takes_addresses_of_others(self):
        services = "/api/v1/namespaces/default/services"
        def service(**spec):
            return {"metadata": {"name": "s"}, "spec": {"ports": [{"port": 80}], **spec}}
        self.assertStatus(self.server.post(services, service(externalIPs=["203.0.113.7"])), 403, "Forbidden")
        self.assertEqual(self.server.post(services, service()).status, 201)
        self.addCleanup(self.server.delete, services + "/s")
        got = self.server.patch(services + "/s", {"spec": {"externalIPs": ["203.0.113.7"]}})
        self.assertStatus(got, 403, "Forbidden")
        stored = self.server.get(services + "/s").json()
        stored["spec"]["externalIPs"] = ["203.0.113.7"]
        self.assertStatus(self.server.put(services + "/s", stored), 403, "Forbidden")
        self.assertEqual(self.server.patch(services + "/s", {"metadata": {"labels": {"a": "b"}}}).status, 200)


if __name__ == "__main__":
    unittest.main()
