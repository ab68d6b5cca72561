"""Beta and alpha versions: off by default, on by --runtime-config and their gates, and refused where they serve nothing."""

import base64
import datetime
import pathlib
import subprocess
import tempfile
import unittest

import harness

CLAIMS = "/apis/resource.k8s.io/{}/namespaces/default/resourceclaims"
REQUESTS = "/apis/certificates.k8s.io/v1beta1/namespaces/default/podcertificaterequests"
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


class PodCertificateTest(unittest.TestCase):
    """What takes a key and the time of day, which recorded answers cannot have."""

    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=ca",
                     "-keyout", "ca.key", "-out", "ca.pem")
        self.openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/", "-keyout",
                     "pod.key", "-out", "pod.csr")

    def openssl(self, *args):
        return subprocess.run(["openssl", *args], cwd=self.directory.name, check=True, capture_output=True).stdout

    def issued(self):
        """The status of a request that was answered now, for a day."""
        self.openssl("x509", "-req", "-in", "pod.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-days", "1", "-set_serial",
                     "1", "-out", "pod.pem")
        chain = pathlib.Path(self.directory.name, "pod.pem").read_text()
        dates = self.openssl("x509", "-in", "pod.pem", "-noout", "-dates").decode().splitlines()
        begin, end = (datetime.datetime.strptime(line.split("=")[1], "%b %d %H:%M:%S %Y GMT") for line in dates)
        text = "{:%Y-%m-%dT%H:%M:%SZ}".format
        return {"certificateChain": chain, "notBefore": text(begin), "notAfter": text(end),
                "beginRefreshAt": text(begin + datetime.timedelta(hours=12)),
                "conditions": [{"type": "Issued", "status": "True", "reason": "Signed", "message": "",
                                "lastTransitionTime": text(begin)}]}

    def test_the_signer_issues_a_certificate_for_the_key(self):
        request = base64.b64encode(self.openssl("req", "-in", "pod.csr", "-outform", "DER")).decode()
        with harness.Server("--storage-backend=memory", "--runtime-config=certificates.k8s.io/v1beta1=true",
                            "--feature-gates=PodCertificateRequest=true") as server:
            made = server.post(REQUESTS, {"metadata": {"name": "a"}, "spec": {
                "signerName": "example.com/s", "podName": "p", "podUID": "u", "serviceAccountName": "default",
                "serviceAccountUID": "s", "nodeName": "n", "nodeUID": "m", "stubPKCS10Request": request}})
            self.assertEqual(made.status, 201, made.body)
            role = {"rules": [{"apiGroups": ["certificates.k8s.io"], "resources": ["podcertificaterequests/status"],
                               "verbs": ["patch"]}]}
            for kind, body in (("clusterroles", role), ("clusterrolebindings", {
                    "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "answer"},
                    "subjects": [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "jane"}]})):
                done = server.post("/apis/rbac.authorization.k8s.io/v1/" + kind, {"metadata": {"name": "answer"}, **body})
                self.assertEqual(done.status, 201, done.body)
            status = {"status": self.issued()}
            refused = server.request("PATCH", REQUESTS + "/a/status", status, headers={
                "Content-Type": "application/merge-patch+json", "Impersonate-User": "jane"})
            self.assertEqual(refused.status, 422, refused.body)
            self.assertIn('User "jane" is not permitted to "sign" for signer "example.com/s"', refused.json()["message"])
            done = server.patch(REQUESTS + "/a/status", status)
            self.assertEqual(done.status, 200, done.body)
            self.assertEqual(done.json()["status"]["certificateChain"], status["status"]["certificateChain"])


class RefusedTest(unittest.TestCase):
    def test_what_would_have_no_effect_is_named(self):
        for flag, why in (
                ("--runtime-config=flowcontrol.apiserver.k8s.io/v1beta3=true", "use flowcontrol.apiserver.k8s.io/v1"),
                ("--runtime-config=certificates.k8s.io/v1beta1=true", "--feature-gates=ClusterTrustBundle=true"),
                ("--runtime-config=scheduling.k8s.io/v1alpha2=true", "--feature-gates=GenericWorkload=true"),
                ("--feature-gates=GangScheduling=true",
                 "GangScheduling is enabled, but depends on features that are disabled: [GenericWorkload]"),
                ("--feature-gates=DRAExtendedResource=false", "cannot be changed in keelson"),
                ("--feature-gates=AllAlpha=true", "AllAlpha=true is not possible in keelson"),
                ("--feature-gates=JobPodReplacementPolicy=false", "feature is locked to true")):
            with self.subTest(flag):
                ended = subprocess.run([harness.BINARY, "serve", "--storage-backend=memory", flag], timeout=60,
                                       capture_output=True, text=True)
                self.assertNotEqual(ended.returncode, 0)
                self.assertIn(why, ended.stderr)


if __name__ == "__main__":
    unittest.main()
