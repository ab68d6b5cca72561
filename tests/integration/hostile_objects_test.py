"""Requests whose objects or selectors mean to cost the server more than they cost their sender: answered in bounded
time and space, and nothing is left behind that cannot be deleted."""

import json
import threading
import time
import unittest
import urllib.parse
import uuid

import harness
from etcd import Etcd

SECONDS = 30   # each; an ordinary build on an idle machine takes a hundredth of it
YAML, JSON, CBOR = "application/yaml", "application/json", "application/cbor"
JSON_PATCH, MERGE, APPLY = ("application/json-patch+json", "application/merge-patch+json",
                            "application/apply-patch+yaml")
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
LIMIT = 400    # levels an object may have


def nested(levels, inside="1"):
    return '{"a":' * levels + inside + "}" * levels


class Timed(harness.ServerTestCase):
    def timed(self, method, path, body=None, content_type=JSON, **kwargs):
        started = time.monotonic()
        body = body.encode() if isinstance(body, str) else body
        answer = self.server.request(method, path, body, timeout=600, headers={"Content-Type": content_type}, **kwargs)
        self.assertLess(time.monotonic() - started, SECONDS)
        return answer


class SelectorsTest(Timed):
    def long(self, part, size=800_000):
        return ",".join(f"{part}{i}" for i in range(size // (len(part) + 7)))

    def test_who_may_not_list_costs_nothing(self):
        selector = urllib.parse.quote("a in (" + self.long("_") + ")", safe="(),=!_ ").replace(" ", "+")
        answer = self.timed("GET", "/api/v1/pods?labelSelector=" + selector, client="anonymous")
        self.assertStatus(answer, 403, "Forbidden")

    def test_a_long_list_of_bad_values_has_a_short_answer(self):
        selector = ("a in (" + self.long("_") + ")").replace(" ", "+")
        answer = self.timed("GET", "/api/v1/pods?labelSelector=" + selector)
        self.assertStatus(answer, 400, "BadRequest", " more errors are not shown]")
        self.assertLess(len(answer.body), 2_000_000)

    def test_long_selectors_over_many_objects(self):
        path = self.new_namespace() + "/configmaps"
        for i in range(300):
            made = self.server.post(path, {"metadata": {"name": f"c{i}", "labels": {"app": "web", "n": str(i)}}})
            self.assertEqual(made.status, 201)
        for selector, found in ((f"app in ({self.long('v')})", 0), (f"app in ({self.long('v')},web)", 300),
                                (self.long("!x"), 300), (self.long("app!=v") + ",n=7", 1)):
            answer = self.timed("GET", path + "?labelSelector=" + selector.replace(" ", "+"))
            self.assertEqual((answer.status, len(answer.json()["items"])), (200, found))

    def test_a_name_in_a_field_selector_is_what_is_asked_for(self):
        for selector in ("metadata.name=kubernetes", "metadata.name==kubernetes,metadata.name!=x"):
            query = "?fieldSelector=" + urllib.parse.quote(selector)
            answer = self.server.get("/api/v1/namespaces/default/services" + query)
            self.assertEqual([i["metadata"]["name"] for i in answer.json()["items"]], ["kubernetes"])


class YamlTest(Timed):
    def post(self, text):
        return self.timed("POST", "/api/v1/namespaces/default/configmaps?dryRun=All", text, YAML)

    def test_merges_of_nothing(self):
        text = "a0: &a0 {}\n"
        for i in range(1, 30):
            text += f"a{i}: &a{i} {{<<: [{', '.join([f'*a{i - 1}'] * 10)}]}}\n"
        self.assertStatus(self.post(text), 400, "BadRequest", "yaml: document contains excessive aliasing")

    def test_tag_lines(self):
        text = "".join(f"%TAG !t{i}! tag:x,2000:\n" for i in range(100_000)) + "---\nkind: ConfigMap\n"
        self.assertStatus(self.post(text), 400, "BadRequest", "%TAG")


def define_things(server):
    """A kind whose objects hold anything; returns the path of those in the default namespace."""
    free = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    made = server.post(DEFINITIONS, {
        "metadata": {"name": "things.d.example.com"},
        "spec": {"group": "d.example.com", "scope": "Namespaced",
                 "names": {"plural": "things", "singular": "thing", "kind": "Thing"},
                 "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": free}}]}})
    assert made.status == 201, made
    path = "/apis/d.example.com/v1/namespaces/default/things"
    harness.wait_until(lambda: server.get(path).status == 200, "the kind")
    return path


class DepthTest(Timed):
    """One limit for every way in; what is in can be read, changed and deleted by every way."""

    server_args = ("--storage-backend=memory", "--feature-gates=CBORServingAndStorage=true")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.path = define_things(cls.server)

    def thing(self, name, spec):
        return '{"apiVersion":"d.example.com/v1","kind":"Thing","metadata":{"name":"%s"},"spec":%s}' % (name, spec)

    def refused(self, answer):
        self.assertIn(answer.status, (400, 413, 422), answer.text[:300])
        self.assertLess(len(answer.body), 100_000)

    def test_an_object_at_the_limit_goes_through_every_way(self):
        body = self.thing("edge", nested(LIMIT - 1))
        self.assertEqual(self.timed("POST", self.path, body).status, 201)
        path = self.path + "/edge"
        for accept in (JSON, YAML, CBOR):
            read = self.server.get(path, headers={"Accept": accept})
            self.assertEqual(read.status, 200)
            again = self.timed("PUT", path, read.body, accept)
            self.assertEqual(again.status, 200, again.text[:300])
        self.assertEqual(self.timed("PATCH", path, '{"metadata":{"labels":{"a":"b"}}}', MERGE).status, 200)
        patch = '[{"op":"add","path":"/metadata/labels/c","value":"d"}]'
        self.assertEqual(self.timed("PATCH", path, patch, JSON_PATCH).status, 200)
        applied = self.timed("PATCH", path + "?fieldManager=m&force=true", self.thing("edge", nested(LIMIT - 1)), APPLY)
        self.assertEqual(applied.status, 200, applied.text[:300])
        self.assertEqual(len(self.server.get(self.path).json()["items"]), 1)
        self.assertEqual(self.server.delete(path).status, 200)

    def test_deeper_objects_are_refused_whatever_the_way(self):
        for levels in (LIMIT, LIMIT + 1, 490, 990, 9_000, 9_998):
            self.refused(self.timed("POST", self.path, self.thing("deep", nested(levels))))
        self.refused(self.timed("POST", self.path, self.thing("deep", nested(LIMIT)), YAML))
        self.assertEqual(self.timed("POST", self.path, self.thing("flat", '{"a":1}')).status, 201)
        path = self.path + "/flat"
        self.refused(self.timed("PUT", path, self.thing("flat", nested(LIMIT))))
        self.refused(self.timed("PATCH", path, '{"spec":%s}' % nested(LIMIT), MERGE))
        self.refused(self.timed("PATCH", path + "?fieldManager=m&force=true", self.thing("flat", nested(LIMIT)),
                                APPLY))
        self.refused(self.timed("PATCH", path, '[{"op":"replace","path":"/spec","value":%s}]' % nested(LIMIT),
                                JSON_PATCH))
        into = [{"op": "copy", "from": "/spec", "path": "/spec/a"}] * 3_000
        self.refused(self.timed("PATCH", path, json.dumps(into), JSON_PATCH))
        self.assertEqual(self.server.get(path).json()["spec"], {"a": 1})
        self.assertEqual(self.server.delete(path).status, 200)

    def test_nesting_in_steps_ends_at_the_limit(self):
        self.assertEqual(self.timed("POST", self.path, self.thing("steps", nested(390))).status, 201)
        path, steps = self.path + "/steps", 0
        while True:
            patch = [{"op": "move", "from": "/spec", "path": "/moved"},
                     {"op": "add", "path": "/spec", "value": {}},
                     {"op": "move", "from": "/moved", "path": "/spec/a"}]
            answer = self.timed("PATCH", path, json.dumps(patch), JSON_PATCH)
            if answer.status != 200:
                break
            steps += 1
        self.assertStatus(answer, 400, "BadRequest", f"nested more than {LIMIT} levels")
        self.assertEqual(steps, LIMIT - 1 - 390)
        self.assertEqual(self.server.delete(path).status, 200)

    def test_json_in_built_in_types_is_measured_too(self):
        revisions = "/apis/apps/v1/namespaces/default/controllerrevisions"
        body = '{"metadata":{"name":"r"},"revision":1,"data":%s}'
        self.refused(self.timed("POST", revisions, body % nested(LIMIT)))
        self.assertEqual(self.timed("POST", revisions, body % nested(LIMIT - 1)).status, 201)
        self.assertEqual(self.server.delete(revisions + "/r").status, 200)


class StoredBeforeTheLimitTest(Timed):
    """Objects as deep as upstream lets them be, put straight into etcd: they are read, changed and deleted."""

    LEVELS = 9_998

    @classmethod
    def setUpClass(cls):
        cls.etcd = Etcd()
        cls.addClassCleanup(cls.etcd.close)
        cls.etcd.start()
        cls.server_args = (f"--etcd-servers={cls.etcd.url}",)
        super().setUpClass()
        define_things(cls.server)

    def store(self, ns, name, finalizers=()):
        """Stores a thing with the managed fields that it was given when it was made; returns its path."""
        owned = '{"f:spec":' + '{"f:a":' * self.LEVELS + "{}" + "}" * self.LEVELS + "}"
        entry = ('{"manager":"m","operation":"Update","apiVersion":"d.example.com/v1","time":"2024-01-01T00:00:00Z",'
                 '"fieldsType":"FieldsV1","fieldsV1":%s}' % owned)
        metadata = ('{"name":"%s","namespace":"%s","uid":"%s","creationTimestamp":"2024-01-01T00:00:00Z",'
                    '"generation":1,"finalizers":%s,"managedFields":[%s]}'
                    % (name, ns, uuid.uuid4(), json.dumps(list(finalizers)), entry))
        self.etcd.put(f"/registry/d.example.com/things/{ns}/{name}",
                      '{"apiVersion":"d.example.com/v1","kind":"Thing","metadata":%s,"spec":%s}'
                      % (metadata, nested(self.LEVELS)))
        path = f"/apis/d.example.com/v1/namespaces/{ns}/things/{name}"
        harness.wait_until(lambda: self.server.get(path).status == 200, "the object is read")
        self.assertEqual(self.server.get(path).text.count('{"a":'), self.LEVELS)
        return path

    def assertGone(self, path):
        harness.wait_until(lambda: self.server.get(path).status == 404, path + " is gone")

    def test_it_can_be_deleted(self):
        path = self.store("default", "alone")
        answer = self.timed("DELETE", path)
        self.assertEqual(answer.status, 200, answer.text[:300])
        self.assertGone(path)

    def test_it_can_be_deleted_with_its_collection(self):
        path = self.store("default", "among-others")
        answer = self.timed("DELETE", path.rpartition("/")[0])
        self.assertEqual(answer.status, 200, answer.text[:300])
        self.assertGone(path)

    def test_its_finalizer_can_be_removed(self):
        path = self.store("default", "held", ["example.com/hold"])
        self.assertEqual(self.timed("DELETE", path).status, 200)
        self.assertEqual(self.server.get(path).status, 200)
        answer = self.timed("PATCH", path, '{"metadata":{"finalizers":null}}', MERGE)
        self.assertEqual(answer.status, 200, answer.text[:300])
        self.assertGone(path)

    def test_its_namespace_can_be_emptied(self):
        ns = self.new_namespace()
        for name in ("one", "two"):
            self.store(ns.rpartition("/")[2], name)
        self.assertEqual(self.timed("DELETE", ns).status, 200)
        self.assertGone(ns)
        self.assertEqual(self.etcd.keys("/registry/d.example.com/things/" + ns.rpartition("/")[2] + "/"), [])


class LongObjectsTest(Timed):
    def test_bad_labels_by_the_ten_thousand(self):
        labels = {f"-{i}": "-" * 20 for i in range(50_000)}
        body = json.dumps({"metadata": {"name": "a", "labels": labels}})
        answer = self.timed("POST", "/api/v1/namespaces/default/configmaps", body)
        status = self.assertStatus(answer, 422, "Invalid", " more errors are not shown]")
        self.assertLess(len(answer.body), 2 * len(body))
        self.assertRegex(status["details"]["causes"][-1]["message"], r"^\d+ more errors are not shown$")

    def test_managers_by_the_ten_thousand(self):
        entries = [{"manager": f"m{i}", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1",
                    "fieldsV1": {"f:data": {f"f:k{i}": {}}}} for i in range(20_000)]
        path = self.new_namespace() + "/configmaps"
        answer = self.timed("POST", path, json.dumps({"metadata": {"name": "a", "managedFields": entries}}))
        self.assertEqual(answer.status, 201, answer.text[:300])
        self.assertEqual(len(answer.json()["metadata"]["managedFields"]), 10)


class TurnsTest(Timed):
    server_args = ("--storage-backend=memory", "--threads=1")  # all requests are on one loop

    def test_long_bodies_let_others_in_between(self):
        body = json.dumps({"metadata": {"name": "a"}, "data": [1] * 200_000}).encode()
        path = "/apis/apps/v1/namespaces/default/controllerrevisions?dryRun=All"
        done, answered = threading.Event(), []  # which requests were answered, in order

        def ask():
            while not done.is_set():
                self.assertEqual(self.server.get("/api/v1/namespaces/default").status, 200)
                answered.append("short")

        def send():
            answer = self.server.request("POST", path, body, headers={"Content-Type": JSON}, timeout=300)
            self.assertIn(answer.status, (201, 422, 429), answer.text[:300])
            answered.append("long")

        other = threading.Thread(target=ask)
        other.start()
        senders = [threading.Thread(target=send) for _ in range(40)]
        for sender in senders:
            sender.start()
        for sender in senders:
            sender.join()
        done.set()
        other.join()
        first, last = answered.index("long"), len(answered) - answered[::-1].index("long")
        self.assertGreater(answered[first:last].count("short"), 3, answered)


if __name__ == "__main__":
    unittest.main()
