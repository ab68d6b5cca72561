"""Admission plug-ins that are off by default, each on a server that has it on, and how flags choose them."""

import subprocess
import tempfile
import unittest

import harness

RBAC = "/apis/rbac.authorization.k8s.io/v1"
CLAIMS = "/apis/resource.k8s.io/v1"
ENABLED = ("AlwaysAdmit", "AlwaysPullImages", "DenyServiceExternalIPs", "ExtendedResourceToleration",
           "LimitPodHardAntiAffinityTopology", "NamespaceAutoProvision", "NamespaceExists",
           "OwnerReferencesPermissionEnforcement")


def pod(name, node=None, **spec):
    spec = {"containers": [{"name": "c", "image": "i:1"}], **spec}
    return {"metadata": {"name": name}, "spec": {**spec, "nodeName": node} if node else spec}


class PluginsTestCase(harness.ServerTestCase):
    """A server with `plugins` on that knows the user ann."""

    plugins = ()

    @classmethod
    def setUpClass(cls):
        tokens = tempfile.NamedTemporaryFile("w", suffix=".csv")
        cls.addClassCleanup(tokens.close)
        tokens.write("ann-token,ann,1\n")
        tokens.flush()
        enabled = ("--enable-admission-plugins=" + ",".join(cls.plugins),) if cls.plugins else ()
        cls.server_args = ("--storage-backend=memory", f"--token-auth-file={tokens.name}", *enabled)
        super().setUpClass()

    def setUp(self):
        self.path = self.new_namespace()
        self.ns = self.path.rsplit("/", 1)[1]

    def ann(self, method, path, body=None, content_type="application/json"):
        return self.server.request(method, path, body, client="anonymous", headers={
            "Authorization": "Bearer ann-token", "Content-Type": content_type})

    def made(self, path, body):
        answer = self.server.post(path, body)
        self.assertEqual(answer.status, 201, answer)
        return answer.json()

    def allow_ann(self, *rules):
        role = {"metadata": {"generateName": "r-"},
                "rules": [{"verbs": v, "apiGroups": [g], "resources": r} for v, g, r in rules]}
        name = self.made(f"{RBAC}/namespaces/{self.ns}/roles", role)["metadata"]["name"]
        self.made(f"{RBAC}/namespaces/{self.ns}/rolebindings", {
            "metadata": {"name": name}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name},
            "subjects": [{"kind": "User", "name": "ann", "apiGroup": "rbac.authorization.k8s.io"}]})


class EnabledPluginsTest(PluginsTestCase):
    plugins = ENABLED

    def test_every_image_is_pulled(self):
        spec = self.made(self.path + "/pods", pod(
            "a", initContainers=[{"name": "i", "image": "i:1", "imagePullPolicy": "Never"}],
            volumes=[{"name": "v", "image": {"reference": "r:1", "pullPolicy": "IfNotPresent"}}]))["spec"]
        self.assertEqual([c["imagePullPolicy"] for c in spec["containers"] + spec["initContainers"]], ["Always"] * 2)
        self.assertEqual(spec["volumes"][0]["image"]["pullPolicy"], "Always")

    def test_extended_resources_are_tolerated(self):
        made = self.made(self.path + "/pods", pod(
            "a", containers=[{"name": "c", "image": "i", "resources": {"limits": {"example.com/gpu": "1"}}}]))
        self.assertIn({"key": "example.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
                      made["spec"]["tolerations"])

    def test_external_ips_are_refused(self):
        service = {"metadata": {"name": "s"}, "spec": {"ports": [{"port": 80}], "externalIPs": ["1.2.3.4"]}}
        self.assertStatus(self.server.post(self.path + "/services", service), 403, "Forbidden",
                          'services "s" is forbidden: Use of external IPs is denied by admission control')

    def test_anti_affinity_is_about_the_host(self):
        affinity = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": "zone", "labelSelector": {}}]}}
        self.assertStatus(self.server.post(self.path + "/pods", pod("a", affinity=affinity)), 403, "Forbidden",
                          "affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey zone but only key "
                          "kubernetes.io/hostname is allowed")

    def test_a_namespace_is_made_with_the_first_object_in_it(self):
        new = self.path + "-new"
        self.assertStatus(self.server.post(new + "/configmaps?dryRun=All", {"metadata": {"name": "a"}}), 404, "NotFound")
        self.assertEqual(self.server.get(new).status, 404)
        self.made(new + "/configmaps", {"metadata": {"name": "a"}})
        self.assertEqual(self.server.get(new).json()["status"]["phase"], "Active")

    def test_owners_are_changed_and_blocked_by_those_who_may(self):
        self.allow_ann((["create", "get", "patch"], "", ["configmaps"]))
        maps, merge = self.path + "/configmaps", "application/merge-patch+json"
        # The garbage collector would delete what an absent owner has.
        template = {"metadata": {"labels": {"a": "b"}}, "spec": pod("p")["spec"]}
        uid = self.made(f"/apis/apps/v1/namespaces/{self.ns}/deployments", {
            "metadata": {"name": "d"}, "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": template},
        })["metadata"]["uid"]
        owner = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d", "uid": uid}
        created = self.ann("POST", maps, {"metadata": {"name": "a", "ownerReferences": [owner]}})
        self.assertEqual(created.status, 201, created)
        self.assertStatus(self.ann("PATCH", maps + "/a", {"metadata": {"ownerReferences": None}}, merge), 403,
                          "Forbidden", "cannot set an ownerRef on a resource you can't delete: ")
        blocking = {"metadata": {"name": "b", "ownerReferences": [{**owner, "blockOwnerDeletion": True}]}}
        self.assertStatus(self.ann("POST", maps, blocking), 403, "Forbidden",
                          "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set "
                          "finalizers on: ")
        self.allow_ann((["delete"], "", ["configmaps"]), (["update"], "apps", ["deployments/finalizers"]))
        self.assertEqual(self.ann("POST", maps, blocking).status, 201)
        self.assertEqual(self.ann("PATCH", maps + "/a", {"metadata": {"ownerReferences": None}}, merge).status, 200)

    def test_an_owner_may_be_of_a_custom_kind(self):
        names = {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"}
        self.made("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
            "metadata": {"name": "widgets.example.com"}, "spec": {
                "group": "example.com", "scope": "Namespaced", "names": names, "versions": [
                    {"name": "v1", "served": True, "storage": True,
                     "schema": {"openAPIV3Schema": {"type": "object"}}}]}})
        harness.wait_until(lambda: self.server.get("/apis/example.com/v1").status == 200, "the custom resource")
        self.allow_ann((["create"], "", ["configmaps"]), (["update"], "example.com", ["widgets/finalizers"]))

        def create(name, version):
            return self.ann("POST", self.path + "/configmaps", {"metadata": {"name": name, "ownerReferences": [
                {"apiVersion": f"example.com/{version}", "kind": "Widget", "name": "w", "uid": "1",
                 "blockOwnerDeletion": True}]}})
        self.assertEqual(create("a", "v1").status, 201)
        self.assertStatus(create("b", "v2"), 403, "Forbidden",
                          'cannot find RESTMapping for APIVersion example.com/v2 Kind Widget: no matches for kind '
                          '"Widget" in version "example.com/v2"')


class DefaultPluginsTest(PluginsTestCase):
    def test_a_pod_has_the_zone_and_region_of_its_node(self):
        labels = {"topology.kubernetes.io/zone": "z", "topology.kubernetes.io/region": "r"}
        self.made("/api/v1/nodes", {"metadata": {"name": self.ns, "labels": {**labels, "other": "x"}}})
        created = self.made(self.path + "/pods", pod("a", self.ns))
        self.assertEqual(created["metadata"]["labels"], labels)
        self.made(self.path + "/pods", pod("b"))
        bound = self.server.post(self.path + "/pods/b/binding", {
            "metadata": {"name": "b"}, "target": {"kind": "Node", "name": self.ns}})
        self.assertEqual(bound.status, 201, bound)
        self.assertEqual(self.server.get(self.path + "/pods/b").json()["metadata"]["labels"], labels)

    def test_what_is_off_does_nothing(self):
        self.made(self.path + "/services", {"metadata": {"name": "s"}, "spec": {
            "ports": [{"port": 80}], "externalIPs": ["1.2.3.4"]}})
        made = self.made(self.path + "/pods", pod("a"))
        self.assertEqual(made["spec"]["containers"][0]["imagePullPolicy"], "IfNotPresent")
        self.assertEqual(self.server.post(self.path + "-new/configmaps", {"metadata": {"name": "a"}}).status, 404)

    def test_administrative_access_to_devices_needs_a_label_on_the_namespace(self):
        claims = f"{CLAIMS}/namespaces/{self.ns}/resourceclaims"
        claim = {"metadata": {"name": "a"}, "spec": {"devices": {"requests": [
            {"name": "r", "exactly": {"deviceClassName": "c", "adminAccess": True}}]}}}
        self.assertStatus(self.server.post(claims, claim), 422, "Invalid",
                          "spec.devices.requests[0].adminAccess: Forbidden: admin access to devices requires the "
                          "`resource.kubernetes.io/admin-access: true` label on the containing namespace")
        self.server.patch(self.path, {"metadata": {"labels": {"resource.kubernetes.io/admin-access": "true"}}})
        self.made(claims, claim)

    def test_binding_a_claim_and_telling_the_status_of_devices_need_permissions_of_their_own(self):
        claims = f"{CLAIMS}/namespaces/{self.ns}/resourceclaims"
        self.made(claims, {"metadata": {"name": "a"}, "spec": {"devices": {"requests": [
            {"name": "r", "exactly": {"deviceClassName": "c"}}]}}})
        self.allow_ann((["get", "update", "patch"], "resource.k8s.io", ["resourceclaims/status"]))
        merge = "application/merge-patch+json"
        device = {"driver": "d.example.com", "pool": "p", "device": "x"}
        allocation = {"status": {"allocation": {"devices": {"results": [{"request": "r", **device}]}}}}
        self.assertStatus(self.ann("PATCH", claims + "/a/status", allocation, merge), 422, "Invalid",
                          'requires resource="resourceclaims/binding", verb="patch" permission: '
                          'resourceclaims.resource.k8s.io is forbidden: User "ann" cannot patch resource '
                          '"resourceclaims/binding" in API group "resource.k8s.io" at the cluster scope')
        self.assertEqual(self.server.patch(claims + "/a/status", allocation).status, 200)
        status = {"status": {"devices": [device]}}
        self.assertStatus(self.ann("PATCH", claims + "/a/status", status, merge), 422, "Invalid",
                          'requires resource="resourceclaims/driver", verb="[arbitrary-node:patch]" permission: '
                          'resourceclaims.resource.k8s.io "d.example.com" is forbidden: User "ann" cannot '
                          'arbitrary-node:patch resource "resourceclaims/driver" in API group "resource.k8s.io" in the '
                          f'namespace "{self.ns}"')
        self.allow_ann((["arbitrary-node:patch"], "resource.k8s.io", ["resourceclaims/driver"]))
        self.assertEqual(self.ann("PATCH", claims + "/a/status", status, merge).status, 200)


class FlagsTest(unittest.TestCase):
    def refusal_of(self, *flags):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([harness.BINARY, "serve", "--data-dir", folder, "--storage-backend=memory", *flags],
                                  capture_output=True, text=True, timeout=harness.START_SECONDS)
        self.assertNotEqual(done.returncode, 0)
        return done.stderr

    def test_unknown_plugins_and_contradictions_are_refused(self):
        self.assertIn('enable-admission-plugins plugin "Nope" is unknown',
                      self.refusal_of("--enable-admission-plugins=Nope"))
        self.assertIn("[AlwaysPullImages] in enable-admission-plugins and disable-admission-plugins overlapped",
                      self.refusal_of("--enable-admission-plugins=AlwaysPullImages",
                                      "--disable-admission-plugins=AlwaysPullImages"))

    def test_plugins_of_apis_behind_gates_that_are_off_can_be_named(self):
        with harness.Server("--storage-backend=memory",
                            "--enable-admission-plugins=JobValidation,ClusterTrustBundleAttest",
                            "--disable-admission-plugins=ServiceAccount,PodGroupProtection,PodGroupWorkloadExists",
                            "--controllers=-garbage-collector-controller") as server:
            self.assertEqual(server.get("/readyz").status, 200)


if __name__ == "__main__":
    unittest.main()
