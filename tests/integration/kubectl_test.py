"""A session with kubectl, any version from 1.20 on, as a person has it."""

import json
import pathlib
import re
import subprocess
import threading
import unittest

import harness

POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p1", "labels": {"app": "x"}},
       "spec": {"nodeName": "n1", "automountServiceAccountToken": False, "containers": [
           {"name": "c", "image": "nginx:1.2", "resources": {"requests": {"cpu": "500m"}}}]}}


class DeletingAFileThatBeginsWithItsNamespace(harness.ServerTestCase):
    server_args = ("--storage-backend=memory", "--namespace-deletion-grace-period=5s")

    def test_finds_everything_that_it_deletes(self):
        objects = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}]
        objects += [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"c{i}", "namespace": "shop"}}
                    for i in range(30)]
        file = self.server.data_dir / "shop.yaml"
        file.write_text("".join(f"---\n{json.dumps(o)}\n" for o in objects))
        for _ in range(3):
            self.server.kubectl("create", "--validate=false", "-f", str(file))
            deleted = self.server.kubectl("delete", "-f", str(file), "--wait=false", check=False)
            self.assertEqual((deleted.returncode, deleted.stderr), (0, ""))
            harness.wait_until(lambda: self.server.get("/api/v1/namespaces/shop").status == 404, "the namespace goes")

    def test_what_somebody_else_left_in_it_goes_with_it(self):
        path = self.new_namespace()
        self.assertEqual(self.server.post(path + "/configmaps", {"metadata": {"name": "left"}}).status, 201)
        self.server.delete(path)
        self.assertEqual(self.server.get(path + "/configmaps/left").status, 200)
        harness.wait_until(lambda: self.server.get(path).status == 404, "it goes")


class KubectlTest(harness.ServerTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        version = json.loads(cls.server.kubectl("version", "--client", "-o", "json").stdout)
        minor = int(version["clientVersion"]["minor"].rstrip("+") or 0)
        # Before 1.27 kubectl validates files with OpenAPI v2 and cannot ask the server to.
        cls.unvalidated = ["--validate=false"] if minor < 27 else []

    def setUp(self):
        self.ns = self.new_namespace().rpartition("/")[2]

    def kubectl(self, *args, **kwargs):
        return self.server.kubectl("-n", self.ns, *args, **kwargs)

    def out(self, *args, **kwargs):
        return self.kubectl(*args, **kwargs).stdout

    def table(self, *args):
        """The lines of a table, each as its words."""
        return [line.split() for line in self.out(*args).splitlines()]

    def create(self, *objects):
        return self.out("create", *self.unvalidated, "-f", "-", stdin="\n---\n".join(map(json.dumps, objects)))

    def test_namespaces_come_and_show(self):
        name = self.ns + "-b"
        self.assertEqual(self.out("create", "ns", name), f"namespace/{name} created\n")
        self.assertEqual(self.table("get", "ns", name)[1][:2], [name, "Active"])
        self.assertIn("Status:       Active", self.out("describe", "ns", name))

    def test_config_maps_from_literals(self):
        self.assertEqual(self.out("create", "configmap", "cm", "--from-literal=a=1", "--from-literal=b=2"), "configmap/cm created\n")
        self.assertEqual(self.table("get", "cm", "cm")[:2][0], ["NAME", "DATA", "AGE"])
        self.assertEqual(self.table("get", "cm", "cm")[1][:2], ["cm", "2"])
        self.assertEqual(json.loads(self.out("get", "cm", "cm", "-o", "json"))["data"], {"a": "1", "b": "2"})
        self.assertIn('  a: "1"\n', self.out("get", "cm", "cm", "-o", "yaml"))
        self.assertEqual(self.out("get", "cm", "cm", "-o", "name"), "configmap/cm\n")
        self.assertIn("a:\n----\n1\n", self.out("describe", "cm", "cm"))

    def test_labels_and_annotations(self):
        self.out("create", "configmap", "cm")
        self.assertEqual(self.out("label", "cm", "cm", "x=y"), "configmap/cm labeled\n")
        refused = self.kubectl("label", "cm", "cm", "x=z", check=False)
        self.assertIn("--overwrite is false", refused.stderr)
        self.out("label", "cm", "cm", "x=z", "--overwrite")
        self.assertEqual(self.out("annotate", "cm", "cm", "note=hi"), "configmap/cm annotated\n")
        self.assertEqual(self.table("get", "cm", "-l", "x=z", "--show-labels")[1][3], "x=z")
        self.assertIn("No resources found", self.kubectl("get", "cm", "-l", "x=nosuch").stderr)
        self.out("label", "cm", "cm", "x-")
        self.assertIn("No resources found", self.kubectl("get", "cm", "-l", "x").stderr)

    def test_replacing_needs_the_newest_version(self):
        self.out("create", "configmap", "cm", "--from-literal=a=1")
        old = json.loads(self.out("get", "cm", "cm", "-o", "json"))
        old["data"]["a"] = "2"
        replace = ("replace", *self.unvalidated, "-f", "-")
        self.assertEqual(self.out(*replace, stdin=json.dumps(old)), "configmap/cm replaced\n")
        refused = self.kubectl(*replace, stdin=json.dumps(old), check=False)
        self.assertIn("Error from server (Conflict)", refused.stderr)
        self.assertIn("the object has been modified", refused.stderr)

    def test_pods_in_tables_and_descriptions(self):
        self.assertEqual(self.create(POD), "pod/p1 created\n")
        header, row = self.table("get", "pods")
        self.assertEqual(header, ["NAME", "READY", "STATUS", "RESTARTS", "AGE"])
        self.assertEqual(row[:4], ["p1", "0/1", "Pending", "0"])
        self.assertEqual(self.table("get", "pods", "-o", "wide")[1][6], "n1")
        self.assertIn(["p1", "0/1"], [row[1:3] for row in self.table("get", "pods", "-A")])
        self.assertEqual(len(self.table("get", "pods", "--field-selector", "spec.nodeName=n1")), 2)
        text = self.out("describe", "pod", "p1")
        self.assertIn("QoS Class:", text)
        self.assertRegex(text, r"Node: +n1/")

    def test_watching_shows_each_change(self):
        self.out("create", "configmap", "cm")
        command = ["-n", self.ns, "get", "cm", "-w", "--no-headers", "--field-selector=metadata.name=cm"]
        seen = self.watch_in_background(command)
        harness.wait_until(lambda: len(seen) >= 1, "the first row")
        self.out("label", "cm", "cm", "a=b")
        harness.wait_until(lambda: len(seen) >= 2, "the change")
        self.assertEqual([line.split()[0] for line in seen[:2]], ["cm", "cm"])

    def watch_in_background(self, args):
        process = subprocess.Popen(self.server.kubectl_command(*args), stdout=subprocess.PIPE, text=True)
        lines = []

        def read():
            for line in process.stdout:
                lines.append(line)

        threading.Thread(target=read, daemon=True).start()
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return lines

    def test_waiting(self):
        self.create(POD)
        self.assertNotEqual(self.kubectl("wait", "--for=condition=Ready", "pod/p1", "--timeout=1s", check=False).returncode, 0)
        status = {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}
        self.server.patch(f"/api/v1/namespaces/{self.ns}/pods/p1/status", status)
        self.assertIn("condition met", self.out("wait", "--for=condition=Ready", "pod/p1", "--timeout=20s"))

    def test_deleting(self):
        self.create(POD)
        self.out("create", "configmap", "cm")
        self.out("create", "secret", "generic", "s", "--from-literal=a=b")
        self.assertIn('configmap "cm" deleted', self.out("delete", "cm", "cm"))
        self.assertIn('"p1" force deleted', self.out("delete", "pod", "p1", "--grace-period=0", "--force"))
        self.assertIn("deleted", self.out("delete", "secrets", "--all"))
        gone = self.kubectl("get", "cm", "cm", check=False)
        self.assertEqual(gone.stderr.strip(), 'Error from server (NotFound): configmaps "cm" not found')

    def test_discovery(self):
        self.assertIn(["pods", "po", "v1", "true", "Pod"],
                      [row[:5] for row in self.table("api-resources", "--api-group=")])
        self.assertIn("v1", self.out("api-versions").splitlines())
        self.assertEqual(json.loads(self.out("get", "--raw", "/api"))["versions"], ["v1"])
        self.assertIn("Server Version", self.out("version"))
        unknown = self.kubectl("get", "nosuchkind", check=False)
        self.assertIn("the server doesn't have a resource type \"nosuchkind\"", unknown.stderr)

    def words(self, schema, type_name, field):
        """The first line of what schema/descriptions says of a field; None: nothing."""
        file = pathlib.Path(__file__).resolve().parents[2] / "schema" / "descriptions" / f"{schema}.txt"
        if not file.exists():
            return None
        in_type = re.search(rf"^{type_name}: .*?(?=^\S|\Z)", file.read_text(), re.M | re.S)
        return re.search(rf"^  {field}: (.*)$", in_type[0], re.M)[1]

    def explained(self, *args):
        """What explain prints, without its line breaks."""
        return " ".join(self.out("explain", *args).split())

    def test_fields_are_explained(self):
        for form in ((), ("--output=plaintext-openapiv2",)):
            lease = self.explained("lease.spec", *form)
            self.assertIn(self.words("coordination_v1", "Lease", "spec"), lease)
            self.assertIn(self.words("coordination_v1", "LeaseSpec", "leaseTransitions"), lease)
            self.assertIn(self.words("coordination_v1", "LeaseSpec", "renewTime"),
                          self.explained("lease.spec.renewTime", *form))
            self.assertIn(self.words("node_v1", "Scheduling", "tolerations"),
                          self.explained("runtimeclass.scheduling", *form))
            self.assertNotIn("<empty>", self.explained("priorityclass", *form))

    def test_probes_are_explained(self):
        for form in ((), ("--output=plaintext-openapiv2",)):
            probe = self.explained("pod.spec.containers.livenessProbe", *form)
            self.assertIn("periodSeconds <integer>", probe)
            self.assertRegex(probe, "httpGet <(HTTPGetAction|Object)>")
            if words := self.words("core_v1", "Container", "livenessProbe"):
                self.assertIn(words, probe)
                self.assertIn(self.words("core_v1", "Probe", "periodSeconds"), probe)
            recursive = self.explained("pod.spec.containers.livenessProbe", "--recursive", *form)
            self.assertIn("httpHeaders <[]HTTPHeader> name <string>" if not form else "httpHeaders <[]Object> name <string>",
                          recursive)

    def test_an_invalid_object_is_explained(self):
        bad = {**POD, "metadata": {"name": "p"}, "spec": {"containers": [{"name": "c c", "image": "i"}]}}
        refused = self.kubectl("create", *self.unvalidated, "-f", "-", stdin=json.dumps(bad), check=False)
        self.assertIn('The Pod "p" is invalid', refused.stderr)
        self.assertIn("spec.containers[0].name", refused.stderr)


if __name__ == "__main__":
    unittest.main()
