"""Custom resources: defined at run time, served like the built-in ones, and gone with their definition."""

import json
import threading
import time
import unittest

import harness

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
COLUMNS = "application/json;as=Table;g=meta.k8s.io;v=v1"
AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

GEAR = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "required": ["teeth"],
            "properties": {
                "teeth": {"type": "integer", "minimum": 3, "maximum": 99},
                "replicas": {"type": "integer", "default": 1},
                "colour": {"type": "string", "enum": ["red", "blue"]},
                "code": {"type": "string", "pattern": "^[a-z]+$", "maxLength": 4},
                "size": {"x-kubernetes-int-or-string": True},
                "parts": {"type": "array", "maxItems": 2, "x-kubernetes-list-type": "map",
                          "x-kubernetes-list-map-keys": ["name"],
                          "items": {"type": "object", "required": ["name"],
                                    "properties": {"name": {"type": "string"}, "weight": {"type": "number"}}}},
                "tags": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                "anything": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                "template": {"type": "object", "x-kubernetes-embedded-resource": True,
                             "x-kubernetes-preserve-unknown-fields": True},
            },
        },
        "status": {"type": "object", "properties": {"replicas": {"type": "integer"}, "selector": {"type": "string"}}},
    },
}


class EstablishedTest(harness.ServerTestCase):
    """On the embedded store, where a write takes as long as the disk."""

    server_args = ()
    GROUP = "parts.example.com"

    def path(self, plural):
        return f"/apis/{self.GROUP}/v1/namespaces/default/{plural}"

    def definition(self, plural, kind):
        return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
                "metadata": {"name": f"{plural}.{self.GROUP}"},
                "spec": {"group": self.GROUP, "scope": "Namespaced", "names": {"plural": plural, "kind": kind},
                         "versions": [{"name": "v1", "served": True, "storage": True,
                                       "schema": {"openAPIV3Schema": GEAR}}]}}

    def test_what_is_in_discovery_or_answers_is_established(self):
        """Whoever has waited for it reads the definition and updates it; nobody else writes to it any more."""
        connection = self.server.connect()
        self.addCleanup(connection.close)

        def ask(method, path, body=None):
            connection.request(method, path, body and json.dumps(body), {"Content-Type": "application/json"})
            response = connection.getresponse()
            return response.status, response.read()

        def wait(served):
            # At once after it: not at the next tick of a clock.
            deadline = time.monotonic() + 30
            while not served():
                self.assertLess(time.monotonic(), deadline)

        for i in range(60):
            plural = f"cogs{i}"
            self.assertEqual(ask("POST", DEFINITIONS, self.definition(plural, f"Cog{i}"))[0], 201)
            if i % 2:
                wait(lambda: ask("GET", self.path(plural))[0] == 200)
            else:
                wait(lambda: f'"{plural}"'.encode() in ask("GET", f"/apis/{self.GROUP}/v1")[1])
            name = f"{DEFINITIONS}/{plural}.{self.GROUP}"
            read = json.loads(ask("GET", name)[1])
            self.assertEqual({c["type"]: c["status"] for c in read["status"]["conditions"]}["Established"], "True", i)
            read["metadata"]["labels"] = {"seen": "yes"}
            self.assertEqual(ask("PUT", name, read)[0], 200, i)

    def test_what_is_established_answers_and_is_in_discovery(self):
        version = self.server.get(DEFINITIONS).json()["metadata"]["resourceVersion"]
        watch = self.server.watch(f"{DEFINITIONS}?watch=1&resourceVersion={version}")
        self.addCleanup(watch.close)
        for i in range(20):
            plural = f"bolts{i}"
            self.assertEqual(self.server.post(DEFINITIONS, self.definition(plural, f"Bolt{i}")).status, 201)
            while True:
                seen = watch.next()["object"]
                conditions = {c["type"]: c["status"] for c in seen.get("status", {}).get("conditions") or []}
                if seen["metadata"]["name"].startswith(plural) and conditions.get("Established") == "True":
                    break
            made = self.server.post(self.path(plural), {
                "apiVersion": f"{self.GROUP}/v1", "kind": f"Bolt{i}", "metadata": {"name": "a"}, "spec": {"teeth": 3}})
            self.assertEqual(made.status, 201, made)
            self.assertIn(f'"{plural}"', self.server.get(f"/apis/{self.GROUP}/v1").text)


class CustomResourcesTest(harness.ServerTestCase):
    names = 0

    def setUp(self):
        type(self).names += 1
        self.group = f"g{self.names}.example.com"
        self.namespace = self.new_namespace().rsplit("/", 1)[1]

    def version(self, name="v1", schema=GEAR, storage=True, **more):
        return {"name": name, "served": True, "storage": storage, "schema": {"openAPIV3Schema": schema}, **more}

    def define(self, *versions, scope="Namespaced", plural="gears", kind="Gear", **spec):
        name = f"{plural}.{self.group}"
        made = self.server.post(DEFINITIONS, {
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": name},
            "spec": {"group": self.group, "scope": scope,
                     "names": {"plural": plural, "singular": plural[:-1], "kind": kind}, **spec,
                     "versions": list(versions) or [self.version(subresources={"status": {}})]}})
        self.assertEqual(made.status, 201, made)
        self.established(name)
        return name

    def conditions(self, name):
        status = self.server.get(f"{DEFINITIONS}/{name}").json().get("status", {})
        return {c["type"]: c["status"] for c in status.get("conditions") or []}

    def established(self, name):
        harness.wait_until(lambda: self.conditions(name).get("Established") == "True", f"{name} is established")

    def path(self, name="", version="v1", plural="gears"):
        path = f"/apis/{self.group}/{version}/namespaces/{self.namespace}/{plural}"
        return f"{path}/{name}" if name else path

    def gear(self, name="a", version="v1", **spec):
        return {"apiVersion": f"{self.group}/{version}", "kind": "Gear", "metadata": {"name": name},
                "spec": {"teeth": 4, **spec}}

    def make(self, name="a", **spec):
        made = self.server.post(self.path(), self.gear(name, **spec))
        self.assertEqual(made.status, 201, made)
        return made.json()

    def refused(self, message, **spec):
        self.assertStatus(self.server.post(self.path(), self.gear("bad", **spec)), 422, "Invalid", message)

    def changes(self, stream, count):
        return [(e["type"], e["object"]["metadata"]["name"]) for e in (stream.next() for _ in range(count))]

    # --- the verbs

    def test_objects_live_like_any_other(self):
        self.define()
        made = self.make()
        self.assertEqual(made["spec"], {"teeth": 4, "replicas": 1})
        self.assertEqual(made["metadata"]["generation"], 1)
        self.assertEqual(self.server.get(self.path("a")).json(), made)
        listed = self.server.get(self.path()).json()
        self.assertEqual((listed["kind"], listed["apiVersion"]), ("GearList", f"{self.group}/v1"))
        self.assertEqual([i["metadata"]["name"] for i in listed["items"]], ["a"])

        stream = self.server.watch(f"{self.path()}?watch=1&resourceVersion={listed['metadata']['resourceVersion']}")
        made["spec"]["teeth"] = 6
        updated = self.server.put(self.path("a"), made)
        self.assertEqual((updated.status, updated.json()["metadata"]["generation"]), (200, 2), updated)
        self.assertStatus(self.server.put(self.path("a"), made), 409, "Conflict")
        merged = self.server.patch(self.path("a"), {"spec": {"colour": "red"}}).json()
        self.assertEqual(merged["spec"], {"teeth": 6, "replicas": 1, "colour": "red"})
        patched = self.server.patch(self.path("a"), [{"op": "remove", "path": "/spec/colour"}],
                                    "application/json-patch+json").json()
        self.assertNotIn("colour", patched["spec"])
        self.assertStatus(self.server.patch(self.path("a"), {}, "application/strategic-merge-patch+json"), 415,
                          "UnsupportedMediaType", "application/apply-patch+yaml")
        self.assertEqual(self.server.delete(self.path("a")).status, 200)
        self.assertStatus(self.server.get(self.path("a")), 404, "NotFound", f'gears.{self.group} "a" not found')
        self.assertEqual(self.changes(stream, 4), [("MODIFIED", "a")] * 3 + [("DELETED", "a")])
        stream.close()

    def test_selectors_and_deletecollection(self):
        self.define(self.version(selectableFields=[{"jsonPath": ".spec.colour"}]))
        for name, colour in [("a", "red"), ("b", "blue"), ("c", "red")]:
            self.make(name, colour=colour)
        red = self.server.get(self.path() + "?fieldSelector=spec.colour%3Dred").json()["items"]
        self.assertEqual([i["metadata"]["name"] for i in red], ["a", "c"])
        self.assertStatus(self.server.get(self.path() + "?fieldSelector=spec.teeth%3D4"), 400, "BadRequest",
                          "field label not supported: spec.teeth")
        self.assertEqual(self.server.delete(self.path() + "?fieldSelector=spec.colour%3Dred").status, 200)
        self.assertEqual([i["metadata"]["name"] for i in self.server.get(self.path()).json()["items"]], ["b"])

    def test_status_is_written_apart(self):
        self.define()
        self.make()
        told = self.server.patch(self.path("a") + "/status", {"spec": {"teeth": 8}, "status": {"replicas": 2}}).json()
        self.assertEqual((told["spec"]["teeth"], told["status"], told["metadata"]["generation"]), (4, {"replicas": 2}, 1))
        kept = self.server.patch(self.path("a"), {"spec": {"teeth": 8}, "status": {"replicas": 5}}).json()
        self.assertEqual((kept["spec"]["teeth"], kept["status"]), (8, {"replicas": 2}))
        self.assertStatus(self.server.patch(self.path("a") + "/status", {"status": {"replicas": "x"}}), 422, "Invalid",
                          'status.replicas: Invalid value: "string": replicas in body must be of type integer: "string"')

    def test_scale_changes_the_replicas(self):
        self.define(self.version(subresources={"status": {}, "scale": {
            "specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas",
            "labelSelectorPath": ".status.selector"}}))
        self.make()
        self.server.patch(self.path("a") + "/status", {"status": {"replicas": 1, "selector": "x=y"}})
        scale = self.server.get(self.path("a") + "/scale").json()
        self.assertEqual((scale["kind"], scale["spec"], scale["status"]),
                         ("Scale", {"replicas": 1}, {"replicas": 1, "selector": "x=y"}))
        scale["spec"]["replicas"] = 7
        self.assertEqual(self.server.put(self.path("a") + "/scale", scale).status, 200)
        self.assertEqual(self.server.get(self.path("a")).json()["spec"]["replicas"], 7)

    def test_an_unknown_subresource_or_scope_is_not_found(self):
        self.define(self.version())
        self.make()
        for path in (self.path("a") + "/status", self.path("a") + "/nope", f"/apis/{self.group}/v2/gears"):
            self.assertEqual(self.server.get(path).status, 404, path)

    def test_a_status_cannot_be_created(self):
        self.define()
        self.make()
        self.assertStatus(self.server.post(self.path("a") + "/status", self.gear()), 405, "MethodNotAllowed")

    # --- schemas

    def test_objects_are_checked(self):
        self.define()
        self.refused("spec.teeth: Invalid value: 2: spec.teeth in body should be greater than or equal to 3", teeth=2)
        self.refused('spec.teeth: Invalid value: "string": spec.teeth in body must be of type integer: "string"', teeth="4")
        self.refused('spec.colour: Unsupported value: "green": supported values: "red", "blue"', colour="green")
        self.refused("spec.code: Invalid value: \"A\": spec.code in body should match '^[a-z]+$'", code="A")
        self.refused("spec.code: Too long: may not be more than 4 bytes", code="abcde")
        self.refused("spec.parts: Too many: 3: must have at most 2 items", parts=[{"name": n} for n in "abc"])
        self.refused("spec.parts[0].name: Required value", parts=[{}])
        self.refused('spec.parts[1]: Duplicate value: {"name":"a"}', parts=[{"name": "a"}, {"name": "a"}])
        self.refused('spec.tags[1]: Duplicate value: "x"', tags=["x", "x"])
        self.refused('spec.size: Invalid value: "boolean": spec.size in body must be of type integer,string: "boolean"',
                     size=True)
        self.refused("spec.template.apiVersion: Required value", template={"kind": "X"})
        bad = self.gear("bad")
        del bad["spec"]["teeth"]
        self.assertStatus(self.server.post(self.path(), bad), 422, "Invalid", "spec.teeth: Required value")

    def test_what_the_schema_does_not_know_goes(self):
        self.define()
        warned = self.server.post(self.path(), self.gear(nope=1, anything={"x": [1]}, labels={"a": "b"}))
        self.assertEqual(warned.headers.get_all("Warning"), ['299 - "unknown field \\"spec.nope\\""'])
        self.assertEqual(warned.json()["spec"],
                         {"teeth": 4, "replicas": 1, "anything": {"x": [1]}, "labels": {"a": "b"}})
        strict = self.path() + "?fieldValidation=Strict"
        self.assertStatus(self.server.post(strict, self.gear("b", nope=1)), 400, "BadRequest",
                          'strict decoding error: unknown field "spec.nope"')
        twice = json.dumps(self.gear("b")).replace('"teeth": 4', '"teeth": 4, "teeth": 5')
        self.assertStatus(self.server.request("POST", strict, twice, {"Content-Type": "application/json"}), 400,
                          "BadRequest", 'strict decoding error: duplicate field "spec.teeth"')
        odd = self.gear("b", template={"apiVersion": "v1", "kind": "Pod", "metadata": {"nope": 1}})
        odd["metadata"]["what"] = 1
        self.assertStatus(self.server.post(strict, odd), 400, "BadRequest",
                          'unknown field "metadata.what", unknown field "spec.template.metadata.nope"')

    def test_what_was_let_in_before_may_stay(self):
        name = self.define()
        self.make(code="abcd")
        definition = self.server.get(f"{DEFINITIONS}/{name}").json()
        spec = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
        spec["properties"]["code"]["maxLength"] = 2
        self.assertEqual(self.server.put(f"{DEFINITIONS}/{name}", definition).status, 200)
        harness.wait_until(lambda: self.server.post(self.path() + "?dryRun=All", self.gear("b", code="abc")).status == 422,
                           "the new schema counts")
        self.assertEqual(self.server.patch(self.path("a"), {"spec": {"teeth": 9}}).status, 200)
        self.assertStatus(self.server.patch(self.path("a"), {"spec": {"code": "xyz"}}), 422, "Invalid", "spec.code: Too long")

    def test_a_new_default_shows_in_what_is_stored(self):
        name = self.define()
        self.make()
        patch = [{"op": "add", "path": "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/colour/default",
                  "value": "blue"}]
        self.assertEqual(self.server.patch(f"{DEFINITIONS}/{name}", patch, "application/json-patch+json").status, 200)
        harness.wait_until(lambda: self.server.get(self.path("a")).json()["spec"].get("colour") == "blue", "the default shows")

    # --- applying

    def apply(self, manager, spec, name="a", query=""):
        config = {"apiVersion": f"{self.group}/v1", "kind": "Gear", "metadata": {"name": name}, "spec": spec}
        return self.server.patch(f"{self.path(name)}?fieldManager={manager}{query}", config, "application/apply-patch+yaml")

    # --- rules

    RULES = {"type": "object", "x-kubernetes-validations": [
                 {"rule": "self.metadata.name != 'forbidden'", "message": "choose another name"},
                 {"rule": "!has(self.status) || self.status.replicas <= self.spec.teeth",
                  "message": "more replicas than teeth", "fieldPath": ".status.replicas"}],
             "properties": {
                 "spec": {"type": "object", "properties": {
                     "teeth": {"type": "integer", "x-kubernetes-validations": [
                         {"rule": "self % 2 == 0", "messageExpression": "'odd: %d'.format([self])"}]},
                     "code": {"type": "string", "maxLength": 9, "x-kubernetes-validations": [
                         {"rule": "self == oldSelf", "message": "never changes", "reason": "FieldValueForbidden"}]},
                     "parts": {"type": "array", "maxItems": 9, "x-kubernetes-list-type": "map",
                               "x-kubernetes-list-map-keys": ["name"],
                               "items": {"type": "object", "required": ["name"],
                                         "properties": {"name": {"type": "string"}, "weight": {"type": "integer"}},
                                         "x-kubernetes-validations": [
                                             {"rule": "self.weight >= oldSelf.weight", "message": "lost weight"}]}}}},
                 "status": {"type": "object", "properties": {"replicas": {"type": "integer"}}}}}

    def test_rules_are_kept_by_every_write(self):
        self.define(self.version(schema=self.RULES, subresources={"status": {}}))
        self.refused('spec.teeth: Invalid value: 5: odd: 5', teeth=5)
        self.assertStatus(self.server.post(self.path(), self.gear("forbidden")), 422, "Invalid",
                          "<nil>: Invalid value: choose another name")
        self.make(code="a", parts=[{"name": "x", "weight": 3}])
        self.assertStatus(self.server.patch(self.path("a"), {"spec": {"teeth": 7}}), 422, "Invalid", "odd: 7")
        self.assertStatus(self.server.patch(self.path("a"), {"spec": {"code": "b"}}), 422, "Invalid",
                          "spec.code: Forbidden: never changes")
        applied = self.server.patch(self.path("a") + "?fieldManager=m&force=true", self.gear(teeth=9),
                                    "application/apply-patch+yaml")
        self.assertStatus(applied, 422, "Invalid", "odd: 9")
        lighter = {"spec": {"parts": [{"name": "new", "weight": 0}, {"name": "x", "weight": 2}]}}
        self.assertStatus(self.server.patch(self.path("a"), lighter), 422, "Invalid",
                          "spec.parts[1]: Invalid value: lost weight")
        self.assertStatus(self.server.patch(self.path("a") + "/status", {"status": {"replicas": 5}}), 422, "Invalid",
                          "status.replicas: Invalid value: more replicas than teeth")
        self.assertEqual(self.server.patch(self.path("a") + "/status", {"status": {"replicas": 4}}).status, 200)
        self.assertStatus(self.server.patch(self.path("a"), {"spec": {"teeth": 2}}), 422, "Invalid", "more replicas")
        self.assertEqual(self.server.get(self.path("a")).json()["spec"]["teeth"], 4)

    def test_a_rule_that_came_later_warns_of_what_stays(self):
        name = self.define(self.version(schema={"type": "object", "properties": {"spec": {
            "type": "object", "properties": {"teeth": {"type": "integer"}, "code": {"type": "string"}}}}}))
        self.make(teeth=5)
        rules = {"type": "object", "properties": {"spec": {"type": "object", "properties": {
            "teeth": {"type": "integer", "x-kubernetes-validations": [{"rule": "self % 2 == 0"}]},
            "code": {"type": "string"}}}}}
        self.server.patch(f"{DEFINITIONS}/{name}", [
            {"op": "replace", "path": "/spec/versions/0/schema/openAPIV3Schema", "value": rules}],
            "application/json-patch+json")
        harness.wait_until(lambda: self.server.post(self.path() + "?dryRun=All", self.gear("b", teeth=5)).status == 422,
                           "the rule holds")
        kept = self.server.patch(self.path("a"), {"spec": {"code": "x"}})
        self.assertEqual(kept.status, 200, kept)
        self.assertIn("spec.teeth: Invalid value: 5: failed rule: self % 2 == 0", kept.headers.get("Warning", ""))
        self.assertStatus(self.server.patch(self.path("a"), {"spec": {"teeth": 7}}), 422, "Invalid", "failed rule")

    def test_rules_and_defaults_that_cannot_be_are_refused(self):
        def refused(message, **schema):
            answer = self.server.post(DEFINITIONS, {
                "metadata": {"name": f"gears.{self.group}"}, "spec": {
                    "group": self.group, "scope": "Namespaced", "names": {"plural": "gears", "kind": "Gear"},
                    "versions": [self.version(schema={"type": "object", "properties": {"a": schema}})]}})
            self.assertStatus(answer, 422, "Invalid", message)
        rule = lambda text: {"x-kubernetes-validations": [{"rule": text}]}  # noqa: E731
        refused("undeclared reference to 'b'", type="string", **rule("b == self"))
        refused("must evaluate to a bool", type="string", **rule("self"))
        refused("exceeds budget by factor of more than 100x", type="array", items={"type": "string"},
                **rule("self.all(x, self.all(y, x == y))"))
        refused("in body must be of type integer", type="integer", default="x")
        refused("default: Invalid value: 3: failed rule: self > 3", type="integer", default=3, **rule("self > 3"))
        refused("must be a valid regular expression", type="string", pattern="[a")

    def test_apply_merges_by_the_schema(self):
        self.define()
        self.assertEqual(self.apply("one", {"teeth": 4, "parts": [{"name": "a", "weight": 1}], "tags": ["x"]}).status, 201)
        merged = self.apply("two", {"parts": [{"name": "b", "weight": 2}], "tags": ["y"]}).json()
        self.assertEqual(merged["spec"]["parts"], [{"name": "a", "weight": 1}, {"name": "b", "weight": 2}])
        self.assertEqual(sorted(merged["spec"]["tags"]), ["x", "y"])
        owned = {m["manager"]: m["fieldsV1"] for m in merged["metadata"]["managedFields"]}
        self.assertEqual(owned["two"], {"f:spec": {"f:parts": {'k:{"name":"b"}': {".": {}, "f:name": {}, "f:weight": {}}},
                                                   "f:tags": {'v:"y"': {}}}})
        self.assertStatus(self.apply("two", {"parts": [{"name": "a", "weight": 3}]}), 409, "Conflict",
                          'conflict with "one": .spec.parts[name="a"].weight')
        less = self.apply("one", {"teeth": 4, "tags": ["x"]}).json()
        self.assertEqual(less["spec"]["parts"], [{"name": "b", "weight": 2}])
        self.assertStatus(self.apply("one", {"teeth": 4, "nope": 1}), 500, None, ".spec.nope: field not declared in schema")

    # --- forms

    def test_tables_show_the_columns(self):
        self.define(self.version(additionalPrinterColumns=[
            {"name": "Teeth", "type": "integer", "jsonPath": ".spec.teeth"},
            {"name": "B", "type": "number", "jsonPath": '.spec.parts[?(@.name=="b")].weight'},
            {"name": "Tags", "type": "string", "jsonPath": ".spec.tags"}]))
        self.make(parts=[{"name": "a"}, {"name": "b", "weight": 1.5}], tags=["x"])
        self.make("b")
        table = self.server.get(self.path(), headers={"Accept": COLUMNS}).json()
        self.assertEqual([c["name"] for c in table["columnDefinitions"]], ["Name", "Teeth", "B", "Tags"])
        self.assertEqual([r["cells"] for r in table["rows"]], [["a", 4, 1.5, '["x"]'], ["b", 4, None, None]])

    def test_only_metadata_has_a_protobuf_form(self):
        self.define()
        self.make()
        protobuf = "application/vnd.kubernetes.protobuf"
        self.assertEqual(self.server.get(self.path("a"), headers={"Accept": protobuf}).status, 406)
        self.assertEqual(self.server.get(self.path("a"), headers={"Accept": protobuf + ", application/json"}).json()["kind"], "Gear")
        partial = self.server.get(self.path("a"), headers={"Accept": protobuf + ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1"})
        self.assertEqual(partial.status, 200)
        self.assertIn(b"PartialObjectMetadata", partial.body)

    def test_versions_show_the_same_objects(self):
        other = json.loads(json.dumps(GEAR))
        del other["properties"]["spec"]["properties"]["colour"]
        self.define(self.version("v1"), self.version("v2", storage=False), self.version("v3", schema=other, storage=False))
        self.make(colour="red")
        for version, spec in [("v2", {"colour": "red"}), ("v3", {})]:
            shown = self.server.get(self.path("a", version)).json()
            self.assertEqual(shown["apiVersion"], f"{self.group}/{version}")
            self.assertEqual(shown["spec"], {"teeth": 4, "replicas": 1, **spec})
        self.assertEqual(self.server.post(self.path("", "v2"), self.gear("b", "v2")).status, 201)
        self.assertEqual(self.server.get(self.path("b")).json()["apiVersion"], f"{self.group}/v1")
        changed = self.server.patch(self.path("b", "v2"), {"spec": {"teeth": 8}}).json()
        self.assertEqual((changed["apiVersion"], changed["spec"]["teeth"]), (f"{self.group}/v2", 8))
        self.assertStatus(self.server.post(self.path("", "v2"), self.gear("c", "v1")), 400, "BadRequest",
                          "does not match the expected API version")
        stream = self.server.watch(self.path("", "v2") + "?watch=1&resourceVersion=0")
        self.assertEqual(stream.next()["object"]["apiVersion"], f"{self.group}/v2")
        stream.close()

    # --- discovery

    def groups(self):
        return [g["name"] for g in self.server.get("/apis").json()["groups"]]

    def test_discovery_and_openapi_follow(self):
        before = self.server.get("/apis", headers={"Accept": AGGREGATED})
        name = self.define(self.version(subresources={"status": {}}))
        self.assertIn(self.group, self.groups())
        resources = self.server.get(f"/apis/{self.group}/v1").json()["resources"]
        self.assertEqual([r["name"] for r in resources], ["gears", "gears/status"])
        after = self.server.get("/apis", headers={"Accept": AGGREGATED})
        self.assertNotEqual(before.headers["ETag"], after.headers["ETag"])
        mine = [g for g in after.json()["items"] if g["metadata"]["name"] == self.group]
        self.assertEqual(mine[0]["versions"][0]["resources"][0]["responseKind"],
                         {"group": self.group, "version": "v1", "kind": "Gear"})
        document = self.server.get(f"/openapi/v3/apis/{self.group}/v1").json()
        model = ".".join(reversed(self.group.split("."))) + ".v1.Gear"
        self.assertIn("teeth", document["components"]["schemas"][model]["properties"]["spec"]["properties"])
        self.assertEqual(document["components"]["schemas"][model]["properties"]["spec"]["properties"]["replicas"]["default"], 1)
        v2 = self.server.get("/openapi/v2").json()["definitions"][model]
        self.assertNotIn("default", v2["properties"]["spec"]["properties"]["replicas"], "old clients took it for a value")
        self.server.delete(f"{DEFINITIONS}/{name}")
        harness.wait_until(lambda: self.group not in self.groups(), "the group is gone")
        self.assertEqual(self.server.get(f"/apis/{self.group}/v1").status, 404)
        self.assertNotIn(model, self.server.get("/openapi/v2").json()["definitions"])

    def test_a_definition_changes_under_those_who_use_it(self):
        name = self.define()
        self.make()
        streams = [self.server.watch(self.path() + "?watch=1") for _ in range(3)]
        for stream in streams:
            self.assertEqual(stream.next()["type"], "ADDED")
        done = threading.Event()
        codes = set()

        def use():
            while not done.is_set():
                codes.add(self.server.patch(self.path("a"), {"metadata": {"annotations": {"x": "y"}}}).status)
                codes.add(self.server.get(self.path()).status)

        users = [threading.Thread(target=use) for _ in range(3)]
        for user in users:
            user.start()
        for i in range(10):
            changed = self.server.patch(f"{DEFINITIONS}/{name}", {"spec": {"names": {"shortNames": [f"s{i}"]}}})
            self.assertEqual(changed.status, 200, changed)
        for stream in streams:
            self.assertTrue(stream.ended_cleanly())
            stream.close()
        done.set()
        for user in users:
            user.join()
        self.assertEqual(codes, {200})

    # --- ends

    def test_objects_go_before_their_definition(self):
        name = self.define()
        self.make()
        held = self.gear("held")
        held["metadata"]["finalizers"] = ["example.com/hold"]
        self.assertEqual(self.server.post(self.path(), held).status, 201)
        stream = self.server.watch(self.path() + "?watch=1")
        self.assertEqual(len(self.changes(stream, 2)), 2)
        marked = self.server.delete(f"{DEFINITIONS}/{name}").json()
        self.assertEqual(marked["metadata"]["finalizers"], ["customresourcecleanup.apiextensions.k8s.io"])
        harness.wait_until(lambda: self.server.get(self.path("a")).status == 404, "the first is gone")
        self.assertEqual(self.conditions(name)["Terminating"], "True")
        self.assertStatus(self.server.post(self.path(), self.gear("late")), 403, "Forbidden",
                          "create not allowed while custom resource definition is terminating")
        self.server.patch(self.path("held"), {"metadata": {"finalizers": None}})
        harness.wait_until(lambda: self.server.get(f"{DEFINITIONS}/{name}").status == 404, "the definition is gone")
        harness.wait_until(lambda: self.server.get(self.path()).status == 404, "nothing is served")
        self.assertTrue(stream.ended_cleanly())
        stream.close()
        self.define()
        self.assertEqual(self.server.get(self.path()).json()["items"], [])

    def test_namespaces_take_custom_objects_along(self):
        self.define()
        self.make()
        self.server.delete(f"/api/v1/namespaces/{self.namespace}")
        harness.wait_until(lambda: self.server.get(f"/api/v1/namespaces/{self.namespace}").status == 404, "it is gone")
        self.assertEqual(self.server.get(f"/apis/{self.group}/v1/gears").json()["items"], [])

    def test_owners_may_be_custom(self):
        self.define()
        owner = self.make()
        maps = f"/api/v1/namespaces/{self.namespace}/configmaps"
        self.server.post(maps, {"metadata": {"name": "child", "ownerReferences": [
            {"apiVersion": f"{self.group}/v1", "kind": "Gear", "name": "a", "uid": owner["metadata"]["uid"]}]}})
        mapped = self.server.get(maps + "/child").json()["metadata"]
        child = self.gear("child")
        child["metadata"]["ownerReferences"] = [{"apiVersion": "v1", "kind": "ConfigMap", "name": "child", "uid": mapped["uid"]}]
        self.assertEqual(self.server.post(self.path(), child).status, 201)
        self.server.delete(self.path("a"))
        harness.wait_until(lambda: self.server.get(self.path("child")).status == 404, "the grandchild is gone")

    def test_a_name_that_is_taken_waits(self):
        self.define()
        taken = self.server.post(DEFINITIONS, {
            "metadata": {"name": f"others.{self.group}"},
            "spec": {"group": self.group, "scope": "Namespaced", "versions": [self.version()],
                     "names": {"plural": "others", "singular": "other", "kind": "Gear"}}}).json()["metadata"]["name"]
        harness.wait_until(lambda: self.conditions(taken).get("NamesAccepted") == "False", "the conflict is told")
        self.assertEqual(self.server.get(self.path(plural="others")).status, 404)
        self.server.delete(f"{DEFINITIONS}/gears.{self.group}")
        self.established(taken)
        self.assertEqual(self.server.get(self.path(plural="others")).status, 200)


class RestartTest(unittest.TestCase):
    def test_a_restart_finds_everything(self):
        with harness.Server("--storage-backend=embedded", ready_client="admin") as server:
            test = CustomResourcesTest()
            test.server, test.group, test.namespace = server, "again.example.com", "default"
            test.define()
            made = test.make(colour="red")
            server.kill()
            server.start()
            self.assertEqual(server.get(test.path("a")).json(), made)
            self.assertEqual(server.patch(test.path("a"), {"spec": {"teeth": 5}}).status, 200)


if __name__ == "__main__":
    unittest.main()
