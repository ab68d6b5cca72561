"""Admission policies: what they refuse, warn of and let pass, and in which words."""

import unittest

import harness

POLICIES = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies"
BINDINGS = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings"


def config_maps(operations=("CREATE", "UPDATE")):
    return {"resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": list(operations),
                               "resources": ["configmaps"]}]}


class PoliciesTest(harness.ServerTestCase):
    count = 0

    def setUp(self):
        path = self.new_namespace()
        self.ns = path.rsplit("/", 1)[1]
        self.maps = path + "/configmaps"

    def policy(self, validations, actions=("Deny",), binding=None, **spec):
        """A policy for the config maps of this test's namespace; its name."""
        PoliciesTest.count += 1
        name = f"policy-{PoliciesTest.count}"
        body = {"metadata": {"name": name},
                "spec": {"matchConstraints": config_maps(), "validations": validations, **spec}}
        made = self.server.post(POLICIES, body)
        self.assertEqual(made.status, 201, made)
        selector = {"matchLabels": {"kubernetes.io/metadata.name": self.ns}}
        made = self.server.post(BINDINGS, {
            "metadata": {"name": name + "-binding"},
            "spec": {"policyName": name, "validationActions": list(actions),
                     "matchResources": {"namespaceSelector": selector}, **(binding or {})}})
        self.assertEqual(made.status, 201, made)
        self.addCleanup(self.server.delete, f"{POLICIES}/{name}")
        self.addCleanup(self.server.delete, f"{BINDINGS}/{name}-binding")
        return name

    def create(self, name="a", **rest):
        return self.server.post(self.maps, {"metadata": {"name": name}, **rest})

    def refused(self, **rest):
        """The answer to a write, once the policy is at work."""
        return harness.wait_until(lambda: (got := self.create(name="refused", **rest)).status >= 400 and got
                                  or self.server.delete(self.maps + "/refused") and None, "a refusal")

    def test_a_refusal_names_policy_and_binding(self):
        name = self.policy([{"expression": "has(object.data) && size(object.data) <= 1"}])
        got = self.refused()
        message = (f"configmaps \"refused\" is forbidden: ValidatingAdmissionPolicy '{name}' with binding "
                   f"'{name}-binding' denied request: failed expression: has(object.data) && size(object.data) <= 1")
        self.assertStatus(got, 422, "Invalid", message)
        causes = got.json()["details"]["causes"]
        self.assertEqual([c["message"] for c in causes], [message.split("forbidden: ")[1]])
        self.assertEqual(self.create(data={"a": "b"}).status, 201)

    def test_messages_and_reasons(self):
        self.policy([{"expression": "object.metadata.name != 'refused'", "message": "not that name",
                      "reason": "Forbidden"}])
        got = self.refused()
        self.assertEqual((got.status, got.json()["reason"]), (403, "Forbidden"))
        self.assertTrue(got.json()["message"].endswith("denied request: not that name"), got)

    def test_a_computed_message_comes_first(self):
        self.policy([{"expression": "object.metadata.name != 'refused'", "message": "plain",
                      "messageExpression": "'no ' + object.kind + ' ' + object.metadata.name + ' in ' + "
                                           "namespaceObject.metadata.name"}])
        self.assertTrue(self.refused().json()["message"].endswith(f"no ConfigMap refused in {self.ns}"))

    def test_variables_build_on_each_other(self):
        self.policy([{"expression": "variables.ok", "messageExpression": "'name has ' + string(variables.n)"}],
                    variables=[{"name": "n", "expression": "size(object.metadata.name)"},
                               {"name": "ok", "expression": "variables.n < 5"}])
        self.assertTrue(self.refused().json()["message"].endswith("denied request: name has 7"))
        self.assertEqual(self.create().status, 201)

    def test_an_error_refuses_unless_it_is_ignored(self):
        self.policy([{"expression": "object.data.missing == 'x'"}])
        got = self.refused(data={"a": "b"})
        self.assertTrue(got.json()["message"].endswith(
            "denied request: expression 'object.data.missing == 'x'' resulted in error: no such key: missing"), got)

    def test_errors_can_be_ignored(self):
        self.policy([{"expression": "object.data.missing == 'x'"}, {"expression": "object.metadata.name != 'refused'"}],
                    failurePolicy="Ignore")
        self.assertTrue(self.refused(data={"a": "b"}).json()["message"].endswith(
            "failed expression: object.metadata.name != 'refused'"))

    def test_a_warning_lets_the_write_pass(self):
        name = self.policy([{"expression": "false", "message": "think twice"}], actions=("Warn", "Audit"))
        text = (f"Validation failed for ValidatingAdmissionPolicy '{name}' with binding '{name}-binding': think twice")

        def warned():
            got = self.server.post(self.maps, {"metadata": {"generateName": "w-"}})
            self.assertEqual(got.status, 201, got)
            return text in got.headers.get("Warning", "")

        harness.wait_until(warned, "a warning")

    def test_match_conditions_leave_requests_out(self):
        self.policy([{"expression": "false"}],
                    matchConditions=[{"name": "only", "expression": "object.metadata.name == 'refused'"},
                                     {"name": "users", "expression": "request.userInfo.username != ''"}])
        self.refused()
        self.assertEqual(self.create().status, 201)

    def test_old_objects_are_seen_on_update(self):
        self.policy([{"expression": "request.operation == 'CREATE' || object.data.a == oldObject.data.a",
                      "message": "a must stay"}])
        self.create(name="kept", data={"a": "1"})
        path = self.maps + "/kept"
        values = iter(range(10**6))
        got = harness.wait_until(
            lambda: (got := self.server.patch(path, {"data": {"a": f"v{next(values)}"}})).status >= 400 and got,
            "a refusal")
        self.assertTrue(got.json()["message"].endswith("a must stay"), got)
        self.assertEqual(self.server.patch(path, {"metadata": {"labels": {"x": "y"}}}).status, 200)

    def test_parameters_are_other_objects(self):
        self.create(name="limits", data={"max": "2"})
        self.policy([{"expression": "object.metadata.name == 'limits' || !has(object.data) || "
                                    "size(object.data) <= int(params.data.max)",
                      "messageExpression": "'at most ' + params.data.max"}],
                    paramKind={"apiVersion": "v1", "kind": "ConfigMap"},
                    binding={"paramRef": {"name": "limits", "namespace": self.ns, "parameterNotFoundAction": "Deny"}})
        harness.wait_until(lambda: self.refused(data={"a": "1", "b": "2", "c": "3"}).json()["message"].endswith(
            "denied request: at most 2"), "the parameter to be seen")
        self.assertEqual(self.create(data={"a": "1"}).status, 201)
        # One policy for both: kube-apiserver sees no parameters of a kind again once its last policy is gone.
        self.server.delete(self.maps + "/limits")
        harness.wait_until(lambda: self.refused().json()["message"].endswith(
            "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction"),
            "the parameter to be missed")

    def test_the_authorizer_is_asked(self):
        self.policy([{"expression": "authorizer.group('').resource('configmaps').namespace('default')"
                                    ".check('get').allowed() && object.metadata.name != 'refused'"}])
        self.refused()
        self.assertEqual(self.create().status, 201)

    def test_deletions_are_judged_by_the_old_object(self):
        self.create(name="kept", data={"keep": "yes"})
        self.create(name="other")
        self.policy([{"expression": "!has(oldObject.data) || !('keep' in oldObject.data)", "message": "is kept"}],
                    matchConstraints=config_maps(["DELETE"]))
        got = harness.wait_until(
            lambda: (got := self.server.delete(self.maps + "/kept")).status >= 400 and got
            or self.create(name="kept", data={"keep": "yes"}) and None, "a refusal")
        self.assertTrue(got.json()["message"].endswith("is kept"), got)
        self.assertEqual(self.server.delete(self.maps + "/other").status, 200)


class MutatingPoliciesTest(harness.ServerTestCase):
    count = 0

    def setUp(self):
        path = self.new_namespace()
        self.ns, self.maps = path.rsplit("/", 1)[1], path + "/configmaps"

    def policy(self, *mutations, **spec):
        MutatingPoliciesTest.count += 1
        name = f"mutation-{MutatingPoliciesTest.count}"
        group = "/apis/admissionregistration.k8s.io/v1/"
        body = {"metadata": {"name": name}, "spec": {
            "matchConstraints": config_maps(), "reinvocationPolicy": "IfNeeded", "failurePolicy": "Fail",
            "mutations": [{"patchType": kind, kind[0].lower() + kind[1:] if kind != "JSONPatch" else "jsonPatch":
                           {"expression": expression}} for kind, expression in mutations], **spec}}
        made = self.server.post(group + "mutatingadmissionpolicies", body)
        self.assertEqual(made.status, 201, made)
        selector = {"matchLabels": {"kubernetes.io/metadata.name": self.ns}}
        made = self.server.post(group + "mutatingadmissionpolicybindings", {
            "metadata": {"name": name + "-binding"},
            "spec": {"policyName": name, "matchResources": {"namespaceSelector": selector}}})
        self.assertEqual(made.status, 201, made)
        self.addCleanup(self.server.delete, f"{group}mutatingadmissionpolicies/{name}")
        self.addCleanup(self.server.delete, f"{group}mutatingadmissionpolicybindings/{name}-binding")
        return name

    def created(self, until, **rest):
        """What was stored, once the policy is at work."""
        def create():
            got = self.server.post(self.maps, {"metadata": {"generateName": "m-"}, **rest})
            return got if until(got) else None
        return harness.wait_until(create, "a mutation")

    def test_a_configuration_is_merged(self):
        self.policy(("ApplyConfiguration",
                     "Object{metadata: Object.metadata{labels: Object.metadata.labels{added: object.kind}}, "
                     "data: Object.data{b: '2'}}"))
        got = self.created(lambda got: "b" in got.json().get("data", {}), data={"a": "1"}).json()
        self.assertEqual(got["data"], {"a": "1", "b": "2"})
        self.assertEqual(got["metadata"]["labels"], {"added": "ConfigMap"})

    def test_patches_are_applied(self):
        self.policy(("JSONPatch", "[JSONPatch{op: 'add', path: '/metadata/annotations', value: {'a': 'b'}}, "
                                  "JSONPatch{op: 'add', path: '/metadata/annotations/' + jsonpatch.escapeKey('x/y'), "
                                  "value: 'z'}, JSONPatch{op: 'remove', path: '/data/a'}]"),
                    matchConditions=[{"name": "has", "expression": "has(object.data) && 'a' in object.data"}])
        got = self.created(lambda got: "a" not in got.json().get("data", {}), data={"a": "1", "k": "v"}).json()
        self.assertEqual((got["data"], got["metadata"]["annotations"]), ({"k": "v"}, {"a": "b", "x/y": "z"}))

    def test_one_mutation_sees_what_the_other_did(self):
        self.policy(("ApplyConfiguration", "Object{data: Object.data{n: '1'}}"),
                    ("ApplyConfiguration", "Object{data: Object.data{seen: object.data.n}}"))
        got = self.created(lambda got: "data" in got.json()).json()
        self.assertEqual(got["data"], {"n": "1", "seen": "1"})

    def test_an_error_refuses(self):
        name = self.policy(("ApplyConfiguration", "Object{data: Object.data{n: object.data.missing}}"))
        got = self.created(lambda got: got.status >= 400)
        expression = "Object{data: Object.data{n: object.data.missing}}"
        self.assertStatus(got, 403, "Invalid", f"policy '{name}' with binding '{name}-binding' denied request: "
                          f"expression '{expression}' resulted in error: no such key: data")


if __name__ == "__main__":
    unittest.main()
