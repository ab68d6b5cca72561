"""The file of --admission-control-config-file and the plug-ins that it configures."""

import json
import pathlib
import tempfile
import unittest

import harness
import identity

POD_SECURITY = {"apiVersion": "pod-security.admission.config.k8s.io/v1", "kind": "PodSecurityConfiguration"}
QUOTA = {"apiVersion": "apiserver.config.k8s.io/v1", "kind": "ResourceQuotaConfiguration"}
EVENTS = {"apiVersion": "eventratelimit.admission.k8s.io/v1alpha1", "kind": "Configuration"}
TOLERATIONS = {"apiVersion": "podtolerationrestriction.admission.k8s.io/v1alpha1", "kind": "Configuration"}


def pod(name, image="i", **spec):
    return {"metadata": {"name": name}, "spec": {"containers": [{"name": "c", "image": image}], **spec}}


def event(name):
    return {"metadata": {"name": name}, "involvedObject": {"kind": "Pod", "name": "p", "namespace": "default"},
            "source": {"component": "test"}}


class AdmissionConfigTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="keelson-admission-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def server(self, plugins, *enabled):
        file = self.folder / "admission.json"
        file.write_text(json.dumps({
            "apiVersion": "apiserver.config.k8s.io/v1", "kind": "AdmissionConfiguration",
            "plugins": [{"name": name, **entry} for name, entry in plugins.items()]}))
        flags = [f"--enable-admission-plugins={','.join(enabled)}"] if enabled else []
        server = harness.Server("--storage-backend=memory", "--disable-admission-plugins=ServiceAccount",
                                f"--admission-control-config-file={file}", *flags)
        self.addCleanup(server.close)
        return server

    def assertRefused(self, answer, status, message):
        self.assertEqual((answer.status, answer.json()["message"]), (status, message))

    def assertMade(self, answer):
        self.assertEqual(answer.status, 201, answer)

    def test_pod_security_has_defaults_and_exemptions_from_a_file_of_its_own(self):
        (self.folder / "pods.json").write_text(json.dumps({
            **POD_SECURITY, "defaults": {"enforce": "baseline"}, "exemptions": {"namespaces": ["kube-system"]}}))
        server = self.server({"PodSecurity": {"path": "pods.json"}}).start()
        privileged = pod("a", hostNetwork=True)
        self.assertRefused(server.post("/api/v1/namespaces/default/pods", privileged), 403,
                           'pods "a" is forbidden: violates PodSecurity "baseline:latest": host namespaces '
                           '(hostNetwork=true)')
        self.assertMade(server.post("/api/v1/namespaces/kube-system/pods", privileged))

    def test_what_is_limited_needs_a_quota(self):
        server = self.server({"ResourceQuota": {"configuration": {**QUOTA, "limitedResources": [
            {"resource": "configmaps", "matchContains": ["configmaps"]}]}}}).start()
        self.assertRefused(server.post("/api/v1/namespaces/default/configmaps", {"metadata": {"name": "m"}}), 403,
                           'configmaps "m" is forbidden: insufficient quota to consume: configmaps,count/configmaps')
        self.assertMade(server.post("/api/v1/namespaces/default/secrets", {"metadata": {"name": "m"}}))

    def test_events_come_no_faster_than_allowed(self):
        server = self.server({"EventRateLimit": {"configuration": {**EVENTS, "limits": [
            {"type": "Namespace", "qps": 1, "burst": 2}]}}}, "EventRateLimit").start()
        path = "/api/v1/namespaces/default/events"
        for i in range(2):
            self.assertMade(server.post(path + "?dryRun=All", event("dry")))
        answers = [server.post(path, event(f"e{i}")) for i in range(20)]
        refused = [answer for answer in answers if answer.status != 201]
        self.assertEqual([answer.status for answer in answers[:2]], [201, 201])
        self.assertTrue(refused)
        self.assertRefused(refused[0], 429, "Too many requests: limit reached on type Namespace for key default")
        self.assertMade(server.post("/api/v1/namespaces/kube-system/events",
                                    {**event("e"), "involvedObject": {"kind": "Pod", "name": "p",
                                                                      "namespace": "kube-system"}}))

    def test_pods_are_placed_as_their_namespace_says(self):
        server = self.server({
            "PodNodeSelector": {"configuration": {"podNodeSelectorPluginConfig": {
                "clusterDefaultNodeSelector": "env=test", "kube-system": "env=test,k=v"}}},
            "PodTolerationRestriction": {"configuration": {**TOLERATIONS, "whitelist": [
                {"key": key, "operator": "Exists"}
                for key in ("ok", "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")]}},
        }, "PodNodeSelector", "PodTolerationRestriction").start()
        made = server.post("/api/v1/namespaces/default/pods", pod("a"))
        self.assertMade(made)
        self.assertEqual(made.json()["spec"]["nodeSelector"], {"env": "test"})
        self.assertRefused(server.post("/api/v1/namespaces/default/pods", pod("b", nodeSelector={"env": "prod"})), 403,
                           'pods "b" is forbidden: pod node label selector conflicts with its namespace node label '
                           'selector')
        self.assertRefused(server.post("/api/v1/namespaces/kube-system/pods", pod("b", nodeSelector={"x": "y"})), 403,
                           'pods "b" is forbidden: pod node label selector labels conflict with its namespace '
                           'whitelist')
        self.assertRefused(
            server.post("/api/v1/namespaces/default/pods", pod("c", tolerations=[{"key": "x", "operator": "Exists"}])),
            500, "pod tolerations (possibly merged with namespace default tolerations) conflict with its cluster "
                 "whitelist")

    def test_a_webhook_is_asked_about_images(self):
        authority = identity.Authority("image-ca")
        self.addCleanup(authority.close)
        webhook = identity.ImageWebhook(authority)
        self.addCleanup(webhook.close)
        kubeconfig = webhook.kubeconfig(self.folder, authority.certificate)
        server = self.server({"ImagePolicyWebhook": {"configuration": {"imagePolicy": {
            "kubeConfigFile": str(kubeconfig), "retryBackoff": 1}}}}, "ImagePolicyWebhook").start()
        path = "/api/v1/namespaces/default/pods"
        self.assertMade(server.post(path, pod("a", "good")))
        self.assertRefused(server.post(path, pod("b", "bad")), 403,
                           'pods "b" is forbidden: one or more images rejected by webhook backend')
        self.assertRefused(server.post(path, pod("b", "bad-one")), 403,
                           'pods "b" is forbidden: image policy webhook backend denied one or more images: -one')
        asked = len(webhook.reviews)
        self.assertMade(server.post(path, pod("c", "good")))
        self.assertEqual(len(webhook.reviews), asked, "the answer about this image is remembered")

    def test_a_wrong_file_ends_the_start(self):
        for plugins, enabled, message in (
                ({"PodSecurity": {"configuration": {**POD_SECURITY, "foo": 1}}}, (),
                 'failed to apply admission: couldn\'t init admission plugin "PodSecurity": strict decoding error: '
                 'unknown field "foo"'),
                ({"PodSecurity": {"nope": 1}}, (),
                 'failed to apply admission: failed to read plugin config: strict decoding error: unknown field '
                 '"plugins[0].nope"'),
                ({}, ("EventRateLimit",),
                 'failed to apply admission: couldn\'t init admission plugin "EventRateLimit": limits: Invalid value: '
                 'null: must not be empty')):
            with self.subTest(message), self.assertRaises(AssertionError) as raised:
                self.server(plugins, *enabled).start()
            self.assertIn(message, str(raised.exception))


if __name__ == "__main__":
    unittest.main()
