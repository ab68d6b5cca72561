"""Creating, reading, changing and deleting objects, as any client does it."""

import re
import unittest

import harness


def config_map(name, data=None, **meta):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, **meta}, "data": data or {}}


def pod(name, **spec):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
            "spec": {"containers": [{"name": "c", "image": "nginx"}], "automountServiceAccountToken": False, **spec}}


class CreateTest(harness.ServerTestCase):
    def test_the_answer_is_the_object_with_what_the_server_gave_it(self):
        ns = self.new_namespace()
        made = self.server.post(ns + "/configmaps", config_map("a", {"k": "v"}))
        self.assertEqual(made.status, 201)
        self.assertEqual(made.headers["Content-Type"], "application/json")
        got = made.json()
        self.assertEqual((got["kind"], got["apiVersion"], got["data"]), ("ConfigMap", "v1", {"k": "v"}))
        self.assertRegex(got["metadata"]["uid"], r"^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$")
        self.assertRegex(got["metadata"]["resourceVersion"], r"^[0-9]+$")
        self.assertRegex(got["metadata"]["creationTimestamp"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertEqual(self.server.get(ns + "/configmaps/a").json(), got)

    def test_a_second_of_the_same_name_is_refused(self):
        ns = self.new_namespace()
        self.server.post(ns + "/configmaps", config_map("a"))
        status = self.assertStatus(self.server.post(ns + "/configmaps", config_map("a")), 409, "AlreadyExists",
                                   'configmaps "a" already exists')
        self.assertEqual(status["details"], {"name": "a", "kind": "configmaps"})

    def test_a_name_can_be_generated(self):
        ns = self.new_namespace()
        made = self.server.post(ns + "/configmaps", {"metadata": {"generateName": "x-"}}).json()
        self.assertTrue(re.fullmatch(r"x-[bcdfghjklmnpqrstvwxz2456789]{5}", made["metadata"]["name"]), made)

    def test_without_any_name_it_is_invalid(self):
        ns = self.new_namespace()
        status = self.assertStatus(self.server.post(ns + "/configmaps", {"metadata": {}}), 422, "Invalid",
                                   "name or generateName is required")
        self.assertEqual(status["details"]["causes"][0]["field"], "metadata.name")

    def test_a_dry_run_stores_nothing(self):
        ns = self.new_namespace()
        made = self.server.post(ns + "/configmaps?dryRun=All", config_map("a"))
        self.assertEqual(made.status, 201)
        self.assertIn("uid", made.json()["metadata"])
        self.assertEqual(self.server.get(ns + "/configmaps/a").status, 404)

    def test_the_namespace_of_the_object_must_be_that_of_the_path(self):
        ns = self.new_namespace()
        self.assertStatus(self.server.post(ns + "/configmaps", config_map("a", namespace="elsewhere")), 400, "BadRequest",
                          "the namespace of the provided object does not match the namespace sent on the request")

    def test_a_pod_gets_its_defaults(self):
        ns = self.new_namespace()
        got = self.server.post(ns + "/pods", pod("p")).json()
        self.assertEqual(got["status"]["phase"], "Pending")
        self.assertEqual(got["status"]["qosClass"], "BestEffort")
        self.assertEqual(got["spec"]["restartPolicy"], "Always")
        self.assertEqual(got["spec"]["containers"][0]["imagePullPolicy"], "Always")
        self.assertEqual(got["spec"]["terminationGracePeriodSeconds"], 30)

    def test_yaml_is_accepted_and_answered(self):
        ns = self.new_namespace()
        made = self.server.post(ns + "/configmaps", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: yam}\ndata: {a: 'on'}\n",
                                headers={"Content-Type": "application/yaml", "Accept": "application/yaml"})
        self.assertEqual(made.status, 201, made)
        self.assertEqual(made.headers["Content-Type"], "application/yaml")
        self.assertIn('a: "on"', made.text)

    def test_all_errors_of_an_invalid_object_are_named_at_once(self):
        ns = self.new_namespace()
        bad = {"metadata": {"name": "Bad_Name", "labels": {"a b": "c"}},
               "spec": {"containers": [{"name": "c c"}], "restartPolicy": "Sometimes"}}
        status = self.assertStatus(self.server.post(ns + "/pods", bad), 422, "Invalid", 'Pod "Bad_Name" is invalid')
        causes = {(c["reason"], c["field"]) for c in status["details"]["causes"]}
        for cause in [("FieldValueInvalid", "metadata.name"), ("FieldValueInvalid", "metadata.labels"),
                      ("FieldValueInvalid", "spec.containers[0].name"), ("FieldValueRequired", "spec.containers[0].image"),
                      ("FieldValueNotSupported", "spec.restartPolicy")]:
            self.assertIn(cause, causes)


class UpdateTest(harness.ServerTestCase):
    def test_a_stale_resource_version_is_a_conflict(self):
        ns = self.new_namespace()
        first = self.server.post(ns + "/configmaps", config_map("a", {"n": "1"})).json()
        second = self.server.put(ns + "/configmaps/a", {**first, "data": {"n": "2"}})
        self.assertEqual(second.status, 200, second)
        self.assertGreater(int(second.json()["metadata"]["resourceVersion"]), int(first["metadata"]["resourceVersion"]))
        self.assertStatus(self.server.put(ns + "/configmaps/a", {**first, "data": {"n": "3"}}), 409, "Conflict",
                          'Operation cannot be fulfilled on configmaps "a": the object has been modified; '
                          "please apply your changes to the latest version and try again")

    def test_without_a_resource_version_the_last_writer_wins(self):
        ns = self.new_namespace()
        self.server.post(ns + "/configmaps", config_map("a", {"n": "1"}))
        self.assertEqual(self.server.put(ns + "/configmaps/a", config_map("a", {"n": "2"})).json()["data"], {"n": "2"})

    def test_an_update_that_changes_nothing_writes_nothing(self):
        ns = self.new_namespace()
        first = self.server.post(ns + "/configmaps", config_map("a", {"n": "1"})).json()
        again = self.server.put(ns + "/configmaps/a", first).json()
        self.assertEqual(again["metadata"]["resourceVersion"], first["metadata"]["resourceVersion"])

    def test_another_uid_is_a_conflict(self):
        ns = self.new_namespace()
        first = self.server.post(ns + "/configmaps", config_map("a")).json()
        first["metadata"]["uid"] = "00000000-0000-4000-8000-000000000000"
        self.assertStatus(self.server.put(ns + "/configmaps/a", first), 409, "Conflict", "Precondition failed: UID in precondition")

    def test_of_what_is_absent_is_not_found(self):
        ns = self.new_namespace()
        self.assertStatus(self.server.put(ns + "/configmaps/a", config_map("a")), 404, "NotFound", 'configmaps "a" not found')

    def test_the_name_must_match_the_path(self):
        ns = self.new_namespace()
        self.server.post(ns + "/configmaps", config_map("a"))
        self.assertStatus(self.server.put(ns + "/configmaps/a", config_map("b")), 400, "BadRequest",
                          "the name of the object (b) does not match the name on the URL (a)")

    def test_an_immutable_config_map_keeps_its_data(self):
        ns = self.new_namespace()
        self.server.post(ns + "/configmaps", {**config_map("a", {"n": "1"}), "immutable": True})
        status = self.assertStatus(self.server.put(ns + "/configmaps/a", {**config_map("a", {"n": "2"}), "immutable": True}),
                                   422, "Invalid", "field is immutable when `immutable` is set")
        self.assertEqual(status["details"]["causes"][0]["field"], "data")

    def test_the_status_subresource_changes_only_the_status(self):
        ns = self.new_namespace()
        made = self.server.post(ns + "/pods", pod("p")).json()
        made["status"]["phase"] = "Running"
        made["metadata"]["labels"] = {"sneaky": "yes"}
        made["spec"]["containers"][0]["image"] = "other"
        got = self.server.put(ns + "/pods/p/status", made).json()
        self.assertEqual(got["status"]["phase"], "Running")
        self.assertEqual(got["spec"]["containers"][0]["image"], "nginx")
        got["status"]["phase"] = "Failed"
        kept = self.server.put(ns + "/pods/p", got).json()
        self.assertEqual(kept["status"]["phase"], "Running")

    def test_merge_patch_sets_and_removes(self):
        ns = self.new_namespace()
        self.server.post(ns + "/configmaps", config_map("a", {"keep": "1", "drop": "2"}))
        got = self.server.patch(ns + "/configmaps/a", {"data": {"drop": None, "add": "3"}})
        self.assertEqual((got.status, got.json()["data"]), (200, {"keep": "1", "add": "3"}))
        self.assertStatus(self.server.patch(ns + "/configmaps/b", {"data": {}}), 404, "NotFound")


class DeleteTest(harness.ServerTestCase):
    def test_the_answer_says_what_was_deleted(self):
        ns = self.new_namespace()
        made = self.server.post(ns + "/configmaps", config_map("a")).json()
        got = self.server.delete(ns + "/configmaps/a")
        self.assertEqual(got.status, 200)
        self.assertEqual(got.json()["status"], "Success")
        self.assertEqual(got.json()["details"], {"name": "a", "kind": "configmaps", "uid": made["metadata"]["uid"]})
        self.assertStatus(self.server.delete(ns + "/configmaps/a"), 404, "NotFound")

    def test_preconditions_must_hold(self):
        ns = self.new_namespace()
        self.server.post(ns + "/configmaps", config_map("a"))
        self.assertStatus(self.server.delete(ns + "/configmaps/a", {"preconditions": {"uid": "other"}}), 409, "Conflict",
                          "the UID in the precondition (other) does not match the UID in record")
        self.assertEqual(self.server.get(ns + "/configmaps/a").status, 200)

    def test_finalizers_hold_an_object_until_they_are_gone(self):
        ns = self.new_namespace()
        self.server.post(ns + "/configmaps", config_map("a", finalizers=["example.com/wait"]))
        held = self.server.delete(ns + "/configmaps/a").json()
        self.assertIn("deletionTimestamp", held["metadata"])
        self.assertEqual(self.server.get(ns + "/configmaps/a").status, 200)
        self.assertEqual(self.server.patch(ns + "/configmaps/a", {"metadata": {"finalizers": None}}).status, 200)
        self.assertEqual(self.server.get(ns + "/configmaps/a").status, 404)

    def test_a_scheduled_pod_is_given_time(self):
        ns = self.new_namespace()
        self.server.post(ns + "/pods", pod("p", nodeName="n", terminationGracePeriodSeconds=7))
        dying = self.server.delete(ns + "/pods/p").json()
        self.assertEqual(dying["metadata"]["deletionGracePeriodSeconds"], 7)
        self.assertIn("deletionTimestamp", self.server.get(ns + "/pods/p").json()["metadata"])
        self.assertEqual(self.server.delete(ns + "/pods/p", {"gracePeriodSeconds": 0}).status, 200)
        self.assertEqual(self.server.get(ns + "/pods/p").status, 404)

    def test_a_pod_that_was_never_scheduled_goes_at_once(self):
        ns = self.new_namespace()
        self.server.post(ns + "/pods", pod("p"))
        self.assertEqual(self.server.delete(ns + "/pods/p").status, 200)
        self.assertEqual(self.server.get(ns + "/pods/p").status, 404)

    def test_a_collection_is_deleted_by_selector(self):
        ns = self.new_namespace()
        for i in range(5):
            self.server.post(ns + "/configmaps", config_map(f"a{i}", labels={"odd": str(i % 2)}))
        got = self.server.delete(ns + "/configmaps?labelSelector=odd%3D1")
        self.assertEqual((got.status, got.json()["kind"]), (200, "ConfigMapList"), got)
        left = [m["metadata"]["name"] for m in self.server.get(ns + "/configmaps").json()["items"]]
        self.assertEqual([n for n in left if n.startswith("a")], ["a0", "a2", "a4"])

    def test_propagation_is_recorded_as_a_finalizer(self):
        ns = self.new_namespace()
        for policy, finalizer in [("Foreground", "foregroundDeletion"), ("Orphan", "orphan")]:
            self.server.post(ns + "/configmaps", config_map(policy.lower(), finalizers=["example.com/wait"]))
            held = self.server.delete(ns + f"/configmaps/{policy.lower()}", {"propagationPolicy": policy}).json()
            self.assertIn(finalizer, held["metadata"]["finalizers"])


class ListTest(harness.ServerTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        made = cls.server.post("/api/v1/namespaces", {"metadata": {"generateName": "list-"}}).json()
        cls.ns = "/api/v1/namespaces/" + made["metadata"]["name"]
        for i in range(7):
            cls.server.post(cls.ns + "/pods", {**pod(f"p{i}", nodeName=f"n{i % 2}"),
                                               "metadata": {"name": f"p{i}", "labels": {"i": str(i), "even": str(i % 2 == 0)}}})

    def names(self, query):
        got = self.server.get(self.ns + "/pods" + query)
        self.assertEqual(got.status, 200, got)
        return [p["metadata"]["name"] for p in got.json()["items"]]

    def test_the_list_has_the_revision_it_was_read_at(self):
        got = self.server.get(self.ns + "/pods").json()
        self.assertEqual((got["kind"], got["apiVersion"]), ("PodList", "v1"))
        self.assertGreaterEqual(int(got["metadata"]["resourceVersion"]),
                                max(int(p["metadata"]["resourceVersion"]) for p in got["items"]))
        self.assertNotIn("kind", got["items"][0])

    def test_labels_select(self):
        self.assertEqual(self.names("?labelSelector=i%20in%20(1,3),even!=True"), ["p1", "p3"])
        self.assertEqual(self.names("?labelSelector=!i"), [])
        self.assertEqual(self.names("?labelSelector=i%3E4"), ["p5", "p6"])
        self.assertStatus(self.server.get(self.ns + "/pods?labelSelector=a%20b"), 400, "BadRequest")

    def test_fields_select(self):
        self.assertEqual(self.names("?fieldSelector=spec.nodeName=n1"), ["p1", "p3", "p5"])
        self.assertEqual(self.names("?fieldSelector=metadata.name=p4"), ["p4"])
        self.assertEqual(self.names("?fieldSelector=status.phase!=Pending"), [])
        self.assertStatus(self.server.get(self.ns + "/pods?fieldSelector=spec.foo=x"), 400, "BadRequest",
                          "field label not supported: spec.foo")

    def test_pages_are_of_one_revision(self):
        first = self.server.get(self.ns + "/pods?limit=3").json()
        self.assertEqual(first["metadata"]["remainingItemCount"], 4)
        self.server.post(self.ns + "/pods", pod("p3a"))
        names, token = [p["metadata"]["name"] for p in first["items"]], first["metadata"]["continue"]
        while token:
            page = self.server.get(self.ns + f"/pods?limit=3&continue={token}").json()
            self.assertEqual(page["metadata"]["resourceVersion"], first["metadata"]["resourceVersion"])
            names += [p["metadata"]["name"] for p in page["items"]]
            token = page["metadata"].get("continue")
        self.server.delete(self.ns + "/pods/p3a", {"gracePeriodSeconds": 0})
        self.assertEqual(names, [f"p{i}" for i in range(7)])

    def test_a_bad_continue_token_is_refused(self):
        self.assertStatus(self.server.get(self.ns + "/pods?limit=1&continue=nonsense"), 400, "BadRequest",
                          "continue key is not valid")

    def test_versions_from_the_future_time_out(self):
        status = self.assertStatus(self.server.get(self.ns + "/pods?resourceVersion=999999999"), 504, "Timeout",
                                   "Too large resource version: 999999999")
        self.assertEqual(status["details"]["causes"][0]["reason"], "ResourceVersionTooLarge")

    def test_a_match_needs_a_version(self):
        self.assertStatus(self.server.get(self.ns + "/pods?resourceVersionMatch=Exact"), 422, "Invalid",
                          "resourceVersionMatch is forbidden unless resourceVersion is provided")

    def test_tables_have_columns_and_cells(self):
        got = self.server.get(self.ns + "/pods?limit=1",
                              headers={"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"}).json()
        self.assertEqual((got["kind"], got["apiVersion"]), ("Table", "meta.k8s.io/v1"))
        self.assertEqual([c["name"] for c in got["columnDefinitions"]][:5], ["Name", "Ready", "Status", "Restarts", "Age"])
        self.assertEqual(got["rows"][0]["cells"][:4], ["p0", "0/1", "Pending", "0"])
        self.assertEqual(got["rows"][0]["object"]["kind"], "PartialObjectMetadata")

    def test_metadata_can_be_had_alone(self):
        got = self.server.get(self.ns + "/pods", headers={
            "Accept": "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"}).json()
        self.assertEqual(got["kind"], "PartialObjectMetadataList")
        self.assertEqual(got["items"][0]["metadata"]["labels"]["i"], "0")
        self.assertNotIn("spec", got["items"][0])

    def test_protobuf_is_served_in_its_envelope(self):
        accept = {"Accept": "application/vnd.kubernetes.protobuf"}
        one = self.server.get(self.ns + "/pods/p1", headers=accept)
        self.assertEqual(one.headers["Content-Type"], "application/vnd.kubernetes.protobuf")
        self.assertTrue(one.body.startswith(b"k8s\0\x0a\x09\x0a\x02v1\x12\x03Pod\x12"), one.body[:40])
        many = self.server.get(self.ns + "/pods", headers=accept)
        self.assertTrue(many.body.startswith(b"k8s\0\x0a\x0d\x0a\x02v1\x12\x07PodList\x12"), many.body[:40])

    def test_what_protobuf_says_can_be_written_back(self):
        accept = {"Accept": "application/vnd.kubernetes.protobuf"}
        one = self.server.get(self.ns + "/pods/p2", headers=accept)
        again = self.server.put(self.ns + "/pods/p2", one.body, headers={
            "Content-Type": "application/vnd.kubernetes.protobuf", "Accept": "application/json"})
        self.assertEqual(again.status, 200, again)
        self.assertEqual(again.json()["metadata"]["name"], "p2")


class ResourcesTest(harness.ServerTestCase):
    """Every resource of the release takes a minimal object and gives it back."""

    NAMESPACED = {
        "configmaps": {"data": {"a": "b"}},
        "secrets": {"stringData": {"a": "b"}},
        "serviceaccounts": {},
        "services": {"spec": {"clusterIP": "None", "selector": {"a": "b"}, "ports": [{"port": 80}]}},
        "endpoints": {"subsets": [{"addresses": [{"ip": "1.2.3.4"}], "ports": [{"port": 80}]}]},
        "pods": {"spec": {"containers": [{"name": "c", "image": "i"}], "automountServiceAccountToken": False}},
        "limitranges": {"spec": {"limits": [{"type": "Container", "default": {"cpu": "500m"}}]}},
        "resourcequotas": {"spec": {"hard": {"pods": "5"}}},
        "persistentvolumeclaims": {"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}},
        "podtemplates": {"template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}},
        "replicationcontrollers": {"spec": {"selector": {"a": "b"}, "template": {
            "metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}}},
    }
    CLUSTER = {
        "nodes": {},
        "persistentvolumes": {"spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/x"}}},
        "namespaces": {},
    }

    def round_trip(self, collection, body):
        made = self.server.post(collection, {"metadata": {"generateName": "x-"}, **body})
        self.assertEqual(made.status, 201, made)
        path = collection + "/" + made.json()["metadata"]["name"]
        got = self.server.get(path)
        self.assertEqual(got.json(), made.json())
        put = self.server.put(path, got.json())
        self.assertEqual(put.status, 200, put)
        self.assertEqual(self.server.delete(path).status, 200)

    def test_namespaced(self):
        ns = self.new_namespace()
        for resource, body in self.NAMESPACED.items():
            with self.subTest(resource):
                self.round_trip(f"{ns}/{resource}", body)

    def test_cluster_scoped(self):
        for resource, body in self.CLUSTER.items():
            with self.subTest(resource):
                self.round_trip(f"/api/v1/{resource}", body)

    def test_events(self):
        ns = self.new_namespace()
        self.round_trip(ns + "/events", {"involvedObject": {"namespace": ns.rpartition("/")[2], "kind": "Pod", "name": "p"},
                                         "reason": "r", "message": "m", "type": "Normal"})

    def test_secrets_take_plain_strings_and_give_base64(self):
        ns = self.new_namespace()
        made = self.server.post(ns + "/secrets", {"metadata": {"name": "s"}, "stringData": {"a": "b"}}).json()
        self.assertEqual((made["data"], made["type"]), ({"a": "Yg=="}, "Opaque"))
        self.assertNotIn("stringData", made)


if __name__ == "__main__":
    unittest.main()
