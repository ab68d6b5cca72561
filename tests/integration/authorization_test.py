"""Who may do what: roles, bindings, escalation, reviews, and how soon a change counts."""

import tempfile
import unittest

import harness

RBAC = "/apis/rbac.authorization.k8s.io/v1"
REVIEWS = "/apis/authorization.k8s.io/v1"
GROUP = "rbac.authorization.k8s.io"
USERS = ("ann", "bob", "carl")
TOKENS = 'ann-token,ann,1,"devs"\nbob-token,bob,2,"devs,ops"\ncarl-token,carl,3\n'


def rule(verbs, resources, groups=("",), names=()):
    made = {"verbs": list(verbs), "apiGroups": list(groups), "resources": list(resources)}
    return {**made, "resourceNames": list(names)} if names else made


class AuthorizationTest(harness.ServerTestCase):
    @classmethod
    def setUpClass(cls):
        tokens = tempfile.NamedTemporaryFile("w", suffix=".csv")
        cls.addClassCleanup(tokens.close)
        tokens.write(TOKENS)
        tokens.flush()
        cls.server_args = ("--storage-backend=memory", f"--token-auth-file={tokens.name}",
                           "--controllers=clusterrole-aggregation-controller,namespace-controller")
        super().setUpClass()

    def setUp(self):
        self.path = self.new_namespace()
        self.ns = self.path.rsplit("/", 1)[1]
        self.rbac = f"{RBAC}/namespaces/{self.ns}"

    def ask(self, user, method, path, body=None, **kwargs):
        headers = {"Authorization": f"Bearer {user}-token", **kwargs.pop("headers", {})}
        return self.server.request(method, path, body, client="anonymous", headers=headers, **kwargs)

    def made(self, path, body):
        answer = self.server.post(path, body)
        self.assertEqual(answer.status, 201, answer)
        return answer.json()

    def role(self, name, *rules):
        return self.made(self.rbac + "/roles", {"metadata": {"name": name}, "rules": list(rules)})

    def bind(self, name, role, *subjects, kind="Role"):
        return self.made(self.rbac + "/rolebindings", {
            "metadata": {"name": name}, "roleRef": {"apiGroup": GROUP, "kind": kind, "name": role},
            "subjects": [{"kind": k, "name": n, "apiGroup": GROUP} for k, n in subjects]})

    def test_nobody_may_do_more_than_they_are_bound_to(self):
        maps = self.path + "/configmaps"
        self.assertStatus(self.ask("ann", "GET", maps), 403, "Forbidden",
                          f'configmaps is forbidden: User "ann" cannot list resource "configmaps" in API group "" in '
                          f'the namespace "{self.ns}"')
        self.role("reader", rule(("get", "list"), ("configmaps",)))
        self.bind("readers", "reader", ("Group", "devs"))
        self.assertEqual(self.ask("ann", "GET", maps).status, 200)
        self.assertEqual(self.ask("bob", "GET", maps).status, 200)
        self.assertEqual(self.ask("carl", "GET", maps).status, 403)
        self.assertEqual(self.ask("ann", "POST", maps, {"metadata": {"name": "a"}}).status, 403)
        self.assertEqual(self.ask("ann", "GET", "/api/v1/configmaps").status, 403)

    def test_names_and_subresources(self):
        self.role("some", rule(("get",), ("configmaps",), names=("mine",)), rule(("get",), ("pods/log",)))
        self.bind("some", "some", ("User", "carl"))
        self.assertEqual(self.ask("carl", "GET", self.path + "/configmaps/mine").status, 404)
        self.assertEqual(self.ask("carl", "GET", self.path + "/configmaps/other").status, 403)
        self.assertEqual(self.ask("carl", "GET", self.path + "/configmaps?fieldSelector=metadata.name%3Dmine").status,
                         403, "get is not list")
        self.assertEqual(self.ask("carl", "GET", self.path + "/pods/p").status, 403)
        self.assertEqual(self.ask("carl", "GET", self.path + "/pods/p/log").status, 404)

    def test_discovery_and_health_are_open(self):
        for path in ("/api", "/apis", "/healthz", "/version", "/openapi/v2"):
            self.assertEqual(self.ask("carl", "GET", path).status, 200, path)
        self.assertEqual(self.server.get("/healthz", client="anonymous").status, 200)
        self.assertEqual(self.server.get("/api", client="anonymous").status, 403)
        self.assertEqual(self.ask("carl", "GET", "/metrics").status, 403)

    def test_a_revocation_counts_for_the_next_request(self):
        maps = self.path + "/configmaps"
        self.role("reader", rule(("list",), ("configmaps",)))
        kept = self.server.connect("anonymous")
        self.addCleanup(kept.close)
        headers = {"Authorization": "Bearer ann-token"}
        for _ in range(50):
            self.bind("readers", "reader", ("User", "ann"))
            kept.request("GET", maps, headers=headers)
            answer = kept.getresponse()
            answer.read()
            self.assertEqual(answer.status, 200)
            self.assertEqual(self.server.delete(self.rbac + "/rolebindings/readers").status, 200)
            kept.request("GET", maps, headers=headers)
            answer = kept.getresponse()
            answer.read()
            self.assertEqual(answer.status, 403)

    def test_a_missing_role_is_told(self):
        self.bind("lost", "nowhere", ("User", "ann"))
        self.assertStatus(self.ask("ann", "GET", self.path + "/pods"), 403, "Forbidden",
                          ': RBAC: role.rbac.authorization.k8s.io "nowhere" not found')

    def bind_admin(self, user):
        """Makes `user` an admin of the namespace; a controller gives that role its rules after the start."""
        self.bind("admins", "admin", ("User", user), kind="ClusterRole")
        harness.wait_until(lambda: self.ask(user, "GET", self.rbac + "/roles").status == 200, "admins may read roles")

    def test_nobody_can_grant_what_they_do_not_have(self):
        self.bind_admin("bob")
        roles, bindings = self.rbac + "/roles", self.rbac + "/rolebindings"
        granted = {"metadata": {"name": "own"}, "rules": [rule(("get",), ("pods",))]}
        self.assertEqual(self.ask("bob", "POST", roles, granted).status, 201)
        more = {"metadata": {"name": "more"},
                "rules": [rule(("get", "delete"), ("nodes",)), rule(("get",), ("pods",)),
                          rule(("bind",), ("clusterroles",), (GROUP,), ("x",))]}
        self.assertStatus(self.ask("bob", "POST", roles, more), 403, "Forbidden",
                          'roles.rbac.authorization.k8s.io "more" is forbidden: user "bob" '
                          '(groups=["devs" "ops" "system:authenticated"]) is attempting to grant RBAC permissions not '
                          'currently held:\n{APIGroups:[""], Resources:["nodes"], Verbs:["get" "delete"]}\n'
                          '{APIGroups:["rbac.authorization.k8s.io"], Resources:["clusterroles"], '
                          'ResourceNames:["x"], Verbs:["bind"]}')
        binding = {"metadata": {"name": "rise"}, "subjects": [{"kind": "User", "name": "bob", "apiGroup": GROUP}],
                   "roleRef": {"apiGroup": GROUP, "kind": "ClusterRole", "name": "cluster-admin"}}
        self.assertStatus(self.ask("bob", "POST", bindings, binding), 403, "Forbidden",
                          'rolebindings.rbac.authorization.k8s.io "rise" is forbidden: user "bob"')
        binding["roleRef"]["name"] = "nowhere"
        self.assertStatus(self.ask("bob", "POST", bindings, binding), 404, "NotFound",
                          'rolebindings.rbac.authorization.k8s.io "nowhere" not found')
        # What cannot be had can be bound by whoever is allowed to.
        self.role("binder", rule(("bind",), ("clusterroles",), (GROUP,), ("cluster-admin",)))
        self.bind("binders", "binder", ("User", "bob"))
        binding["roleRef"]["name"] = "cluster-admin"
        self.assertEqual(self.ask("bob", "POST", bindings, binding).status, 201)
        self.assertEqual(self.ask("bob", "DELETE", self.path + "/secrets").status, 200)

    def test_an_update_may_not_escalate_either(self):
        self.bind_admin("bob")
        self.role("much", rule(("*",), ("*",), ("*",)))
        path = self.rbac + "/roles/much"
        refused = self.ask("bob", "PATCH", path, '{"metadata":{"labels":{"a":"b"}}}',
                           headers={"Content-Type": "application/merge-patch+json"})
        self.assertStatus(refused, 403, "Forbidden", "is attempting to grant RBAC permissions not currently held")
        # What only garbage collection needs is nobody's grant.
        allowed = self.ask("bob", "PATCH", path, '{"metadata":{"finalizers":["example.com/f"]}}',
                           headers={"Content-Type": "application/merge-patch+json"})
        self.assertEqual(allowed.status, 200, allowed)
        self.server.patch(path, {"metadata": {"finalizers": []}})

    def test_reviews_ask_the_same_authorizer(self):
        self.role("reader", rule(("get",), ("configmaps",)))
        self.bind("readers", "reader", ("User", "ann"))
        spec = {"user": "ann", "groups": ["devs"],
                "resourceAttributes": {"namespace": self.ns, "verb": "get", "resource": "configmaps"}}
        status = self.made(REVIEWS + "/subjectaccessreviews", {"spec": spec})["status"]
        self.assertEqual(status, {"allowed": True, "reason": f'RBAC: allowed by RoleBinding "readers/{self.ns}" of Role '
                                                             '"reader" to User "ann"'})
        spec["resourceAttributes"]["verb"] = "delete"
        self.assertEqual(self.made(REVIEWS + "/subjectaccessreviews", {"spec": spec})["status"], {"allowed": False})
        mine = self.ask("ann", "POST", REVIEWS + "/selfsubjectaccessreviews", {
            "spec": {"resourceAttributes": {**spec["resourceAttributes"], "verb": "get"}}})
        self.assertTrue(mine.json()["status"]["allowed"])
        rules = self.ask("ann", "POST", REVIEWS + "/selfsubjectrulesreviews", {"spec": {"namespace": self.ns}}).json()
        self.assertIn({"verbs": ["get"], "apiGroups": [""], "resources": ["configmaps"]},
                      rules["status"]["resourceRules"])
        self.assertFalse(rules["status"]["incomplete"])
        # Asking about others is not for everybody.
        self.assertEqual(self.ask("ann", "POST", REVIEWS + "/subjectaccessreviews", {"spec": spec}).status, 403)

    def test_impersonation_is_a_permission(self):
        got = self.ask("ann", "GET", self.path + "/pods", headers={"Impersonate-User": "bob"})
        self.assertStatus(got, 403, "Forbidden", 'User "ann" cannot impersonate')


if __name__ == "__main__":
    unittest.main()
