"""Beta and alpha versions: off by default, on by --runtime-config and their gates, and refused where they serve nothing."""

import subprocess
import unittest

import harness

CLAIMS = "/apis/resource.k8s.io/{}/namespaces/default/resourceclaims"
BUNDLES = "/apis/certificates.k8s.io/v1beta1/clustertrustbundles"


def claim(name):
    return {"metadata": {"name": name}, "spec": {"devices": {"requests": [{"name": "r", "deviceClassName": "c"}]}}}


def served(server):
    groups = server.get("/apis").json()["groups"]
    return {version["groupVersion"] for group in groups for version in group["versions"]}


class OffByDefaultTest(unittest.TestCase):
    def test_nothing_but_stable_versions_is_served(self):
        with harness.Server("--storage-backend=memory") as server:
            self.assertFalse([version for version in served(server) if "beta" in version or "alpha" in version])
            self.assertEqual(server.get(CLAIMS.format("v1beta1")).status, 404)
            # Knowing its types is no reason to take it for the version that was asked for.
            body = {"apiVersion": "resource.k8s.io/v1beta1", "kind": "ResourceClaim", **claim("a")}
            answer = server.post(CLAIMS.format("v1"), body)
            self.assertEqual(answer.status, 400, answer.body)


class SwitchedOnTest(unittest.TestCase):
    def test_one_resource_can_be_switched_on(self):
        with harness.Server("--storage-backend=memory",
                            "--runtime-config=resource.k8s.io/v1beta1/resourceclaims=true") as server:
            self.assertIn("resource.k8s.io/v1beta1", served(server))
            listed = server.get("/apis/resource.k8s.io/v1beta1").json()["resources"]
            self.assertEqual([one["name"] for one in listed], ["resourceclaims", "resourceclaims/status"])
            made = server.post(CLAIMS.format("v1beta1"), claim("a"))
            self.assertEqual(made.status, 201, made.body)
            self.assertIn("deprecated in v1.35+, unavailable in v1.38+", made.headers["Warning"])
            stored = server.get(CLAIMS.format("v1") + "/a").json()
            self.assertEqual(stored["spec"]["devices"]["requests"][0]["exactly"],
                             {"deviceClassName": "c", "allocationMode": "ExactCount", "count": 1})
            services = server.get("/apis/apiregistration.k8s.io/v1/apiservices/v1beta1.resource.k8s.io").json()
            self.assertEqual(services["spec"]["versionPriority"], 9)
            self.assertEqual(server.get("/openapi/v3/apis/resource.k8s.io/v1beta1").status, 200)

    def test_objects_outlive_the_switch(self):
        with harness.Server("--runtime-config=api/beta=true", "--feature-gates=ClusterTrustBundle=true") as server:
            self.assertEqual(server.post(CLAIMS.format("v1beta1"), claim("a")).status, 201)
            role = "/apis/rbac.authorization.k8s.io/v1/clusterroles/system:cluster-trust-bundle-discovery"
            self.assertEqual(server.get(role).status, 200)
            refused = server.post(BUNDLES, {"metadata": {"name": "b"}, "spec": {"trustBundle": "none"}})
            self.assertEqual(refused.status, 422, refused.body)
            server.stop()
            with harness.Server(data_dir=server.data_dir) as again:
                self.assertEqual(again.get(CLAIMS.format("v1") + "/a").status, 200)
                self.assertEqual(again.get(CLAIMS.format("v1beta1") + "/a").status, 404)
                self.assertEqual(again.get(BUNDLES).status, 404)


class RefusedTest(unittest.TestCase):
    def test_what_would_have_no_effect_is_named(self):
        for flag, why in (
                ("--runtime-config=flowcontrol.apiserver.k8s.io/v1beta3=true", "use flowcontrol.apiserver.k8s.io/v1"),
                ("--runtime-config=certificates.k8s.io/v1beta1=true", "--feature-gates=ClusterTrustBundle=true"),
                ("--runtime-config=scheduling.k8s.io/v1alpha2=true", "not served by keelson"),
                ("--feature-gates=GangScheduling=true", "GangScheduling"),
                ("--feature-gates=AllAlpha=true", "AllAlpha=true is not possible in keelson"),
                ("--feature-gates=JobPodReplacementPolicy=false", "feature is locked to true")):
            with self.subTest(flag):
                ended = subprocess.run([harness.BINARY, "serve", "--storage-backend=memory", flag], timeout=60,
                                       capture_output=True, text=True)
                self.assertNotEqual(ended.returncode, 0)
                self.assertIn(why, ended.stderr)


if __name__ == "__main__":
    unittest.main()
