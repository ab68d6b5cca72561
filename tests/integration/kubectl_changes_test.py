"""Changing objects with kubectl, any version from 1.20 on: apply, edit, patch, set, scale, rollout, diff."""

import json
import os
import shlex
import unittest
import unittest.mock

import harness


def deployment(**changes):
    spec = {"replicas": 1, "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {"labels": {"app": "web"}},
                         "spec": {"containers": [{"name": "c", "image": "nginx:1.2", "env": [{"name": "A", "value": "1"}]}]}}}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {**spec, **changes}}


class KubectlChanges(harness.ServerTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        version = json.loads(cls.server.kubectl("version", "--client", "-o", "json").stdout)
        minor = int(version["clientVersion"]["minor"].rstrip("+") or 0)
        # Before 1.27 kubectl validates files with OpenAPI v2 and cannot ask the server to.
        cls.unvalidated = ["--validate=false"] if minor < 27 else []

    def setUp(self):
        self.ns = self.new_namespace().rpartition("/")[2]
        self.path = f"/apis/apps/v1/namespaces/{self.ns}/deployments/web"

    def kubectl(self, *args, **kwargs):
        return self.server.kubectl("-n", self.ns, *args, **kwargs)

    def out(self, *args, **kwargs):
        return self.kubectl(*args, **kwargs).stdout.strip()

    def apply(self, obj, *flags, **kwargs):
        return self.kubectl("apply", *self.unvalidated, *flags, "-f", "-", stdin=json.dumps(obj), **kwargs)

    def live(self):
        return self.server.get(self.path).json()

    def container(self):
        return self.live()["spec"]["template"]["spec"]["containers"][0]

    def test_applying_again_changes_what_changed_and_takes_away_what_went(self):
        self.assertEqual(self.apply(deployment()).stdout, "deployment.apps/web created\n")
        self.assertEqual(self.apply(deployment()).stdout, "deployment.apps/web unchanged\n")
        self.out("scale", "deployment/web", "--replicas=5")
        changed = deployment()
        del changed["spec"]["replicas"]
        changed["spec"]["template"]["spec"]["containers"][0].update(image="nginx:1.3", env=[{"name": "B", "value": "2"}])
        self.assertEqual(self.apply(changed).stdout, "deployment.apps/web configured\n")
        self.assertEqual(self.container()["image"], "nginx:1.3")
        self.assertEqual(self.container()["env"], [{"name": "B", "value": "2"}])
        self.assertEqual(self.live()["spec"]["replicas"], 1, "no longer given: the default")

    def test_applying_on_the_server_finds_conflicts(self):
        self.assertEqual(self.apply(deployment(), "--server-side", "--field-manager=one").stdout,
                         "deployment.apps/web serverside-applied\n")
        refused = self.apply(deployment(replicas=3), "--server-side", "--field-manager=two", check=False)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn('conflict with "one": .spec.replicas', refused.stderr)
        self.apply(deployment(replicas=3), "--server-side", "--field-manager=two", "--force-conflicts")
        self.assertEqual(self.live()["spec"]["replicas"], 3)
        owners = {e["manager"] for e in self.live()["metadata"]["managedFields"] if "f:replicas" in e["fieldsV1"]["f:spec"]}
        self.assertEqual(owners, {"two"})

    def test_from_applying_here_to_applying_on_the_server(self):
        self.apply(deployment())
        self.apply(deployment(replicas=2), "--server-side")
        self.assertEqual(self.live()["spec"]["replicas"], 2)
        operations = {(e["manager"], e["operation"]) for e in self.live()["metadata"]["managedFields"]}
        self.assertIn(("kubectl", "Apply"), operations)

    def test_editing(self):
        self.apply(deployment())
        editor = shlex.join(["sed", "-i", "-e", "s/nginx:1.2/nginx:1.4/"])
        with unittest.mock.patch.dict(os.environ, {"KUBE_EDITOR": editor}):
            self.assertEqual(self.out("edit", "deployment", "web"), "deployment.apps/web edited")
        self.assertEqual(self.container()["image"], "nginx:1.4")
        with unittest.mock.patch.dict(os.environ, {"KUBE_EDITOR": "true"}):
            self.assertIn("no changes made", self.kubectl("edit", "deployment", "web").stderr +
                          self.out("edit", "deployment", "web"))

    def test_patches(self):
        self.apply(deployment())
        self.out("patch", "deployment", "web", "-p", json.dumps(
            {"spec": {"template": {"spec": {"containers": [{"name": "c", "env": [{"name": "B", "value": "2"}]}]}}}}))
        self.assertEqual([e["name"] for e in self.container()["env"]], ["B", "A"])
        self.out("patch", "deployment", "web", "--type=merge", "-p", '{"metadata": {"labels": {"l": "m"}}}')
        self.out("patch", "deployment", "web", "--type=json", "-p",
                 '[{"op": "test", "path": "/metadata/labels/l", "value": "m"}, {"op": "remove", "path": "/metadata/labels/l"}]')
        self.assertNotIn("labels", self.live()["metadata"])
        self.assertEqual(self.out("patch", "deployment", "web", "-p", "{}"), "deployment.apps/web patched (no change)")
        refused = self.kubectl("patch", "deployment", "web", "-p", '{"spec": {"selector": {"matchLabels": {"app": "x"}}}}', check=False)
        self.assertIn("field is immutable", refused.stderr)

    def test_setting(self):
        self.apply(deployment())
        self.out("set", "image", "deployment/web", "c=nginx:2")
        self.out("set", "env", "deployment/web", "B=2", "A-")
        self.out("set", "resources", "deployment/web", "--limits=cpu=200m,memory=1Gi")
        container = self.container()
        self.assertEqual(container["image"], "nginx:2")
        self.assertEqual(container["env"], [{"name": "B", "value": "2"}])
        self.assertEqual(container["resources"]["limits"], {"cpu": "200m", "memory": "1Gi"})

    def test_scaling(self):
        self.apply(deployment())
        self.assertEqual(self.out("scale", "deployment/web", "--replicas=4"), "deployment.apps/web scaled")
        self.assertEqual(self.live()["spec"]["replicas"], 4)
        refused = self.kubectl("scale", "deployment/web", "--current-replicas=3", "--replicas=5", check=False)
        self.assertNotEqual(refused.returncode, 0)
        self.assertEqual(self.live()["spec"]["replicas"], 4)

    def test_rolling_out(self):
        self.apply(deployment())
        self.assertEqual(self.out("rollout", "pause", "deployment/web"), "deployment.apps/web paused")
        self.assertTrue(self.live()["spec"]["paused"])
        self.assertEqual(self.out("rollout", "resume", "deployment/web"), "deployment.apps/web resumed")
        self.out("rollout", "restart", "deployment/web")
        self.assertIn("kubectl.kubernetes.io/restartedAt", self.live()["spec"]["template"]["metadata"]["annotations"])
        self.assertEqual(self.live()["metadata"]["generation"], 4)
        status = {"observedGeneration": 4, "replicas": 1, "updatedReplicas": 1, "availableReplicas": 1, "readyReplicas": 1}
        self.server.patch(self.path + "/status", {"status": status})
        self.assertEqual(self.out("rollout", "status", "deployment/web"), 'deployment "web" successfully rolled out')

    def test_what_would_change(self):
        self.apply(deployment())
        same = self.kubectl("diff", "-f", "-", stdin=json.dumps(deployment()), check=False)
        self.assertEqual((same.returncode, same.stdout), (0, ""), same.stderr)
        for flags in ((), ("--server-side", "--force-conflicts")):
            other = self.kubectl("diff", *flags, "-f", "-", stdin=json.dumps(deployment(replicas=7)), check=False)
            self.assertEqual(other.returncode, 1, other.stderr)
            self.assertIn("+  replicas: 7", other.stdout)
        self.assertEqual(self.live()["spec"]["replicas"], 1)

    def test_labels_and_annotations_of_many(self):
        self.apply(deployment())
        self.out("create", "configmap", "a")
        self.out("label", "configmap,deployment", "--all", "l=m")
        self.out("annotate", "configmap,deployment", "-l", "l=m", "n=o")
        self.assertEqual(self.out("get", "configmap,deployment", "-l", "l=m", "-o", "jsonpath={.items[*].metadata.annotations.n}"), "o o")
        self.out("annotate", "configmap", "a", "n-")
        self.out("label", "configmap", "a", "l-")
        self.assertEqual(self.out("get", "configmap", "-l", "l=m", "-o", "name"), "")


if __name__ == "__main__":
    unittest.main()
