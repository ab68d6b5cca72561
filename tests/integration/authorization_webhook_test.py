"""Authorization by webhooks: what they are asked, what their answers do, and configurations that change."""

import pathlib
import tempfile
import unittest

import harness
import identity

REVIEWS = "/apis/authorization.k8s.io/v1"
TOKENS = 'ann-token,ann,1,"devs"\nbob-token,bob,2\n'


class WebhookTestCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.authority = identity.Authority("hook-ca")
        cls.addClassCleanup(cls.authority.close)

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="keelson-authz-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "tokens.csv").write_text(TOKENS)
        self.config = self.folder / "authorization.json"

    def hook(self, decide=lambda spec: {"allowed": False}):
        hook = identity.AccessWebhook(self.authority, decide)
        self.addCleanup(hook.close)
        return hook

    def entry(self, hook, name="hook", **changes):
        return hook.config(self.folder, self.authority.certificate, name, **changes)

    def write(self, *authorizers):
        # In one step, so that nobody reads a part.
        text = self.folder / "new"
        text.write_text(identity.authorization_config(*authorizers))
        text.rename(self.config)

    def serve(self, *args):
        server = harness.Server("--storage-backend=memory", f"--token-auth-file={self.folder / 'tokens.csv'}", *args)
        self.addCleanup(server.close)
        server.start()
        self.server = server
        return server

    def serve_config(self, *authorizers):
        self.write(*authorizers)
        return self.serve(f"--authorization-config={self.config}")

    def ask(self, user, method, path, body=None):
        return self.server.request(method, path, body, client="anonymous",
                                   headers={"Authorization": f"Bearer {user}-token"})

    def maps(self, user="ann", query=""):
        return self.ask(user, "GET", "/api/v1/namespaces/default/configmaps" + query)

    def metric(self, line):
        return [l for l in self.server.get("/metrics").text.splitlines() if l.startswith(line)]


class FlagsTest(WebhookTestCase):
    def start(self, hook, *args):
        config = hook.kubeconfig(self.folder, self.authority.certificate)
        return self.serve("--authorization-mode=RBAC,Webhook", f"--authorization-webhook-config-file={config}", *args)

    def test_a_webhook_is_asked_about_what_roles_do_not_allow(self):
        hook = self.hook(lambda spec: {"allowed": spec["user"] == "ann", "reason": "only ann"})
        self.start(hook, "--authorization-webhook-version=v1")
        self.assertEqual(self.maps("ann", "?fieldSelector=metadata.name%3Da&labelSelector=x+in+(b,a),!y").status, 200)
        review = hook.reviews[-1]
        self.assertEqual(review["apiVersion"], "authorization.k8s.io/v1")
        self.assertEqual(review["spec"], {
            "resourceAttributes": {
                "namespace": "default", "verb": "list", "version": "v1", "resource": "configmaps", "name": "a",
                "fieldSelector": {"requirements": [{"key": "metadata.name", "operator": "In", "values": ["a"]}]},
                "labelSelector": {"requirements": [{"key": "x", "operator": "In", "values": ["a", "b"]},
                                                   {"key": "y", "operator": "DoesNotExist"}]}},
            "user": "ann", "uid": "1", "groups": ["devs", "system:authenticated"]})
        refused = self.maps("bob")
        self.assertEqual(refused.status, 403)
        self.assertEqual(refused.json()["message"],
                         'configmaps is forbidden: User "bob" cannot list resource "configmaps" in API group "" in '
                         'the namespace "default": only ann')
        self.assertEqual(self.ask("ann", "GET", "/metrics").status, 200)
        self.assertEqual(hook.reviews[-1]["spec"]["nonResourceAttributes"], {"path": "/metrics", "verb": "get"})

        asked = len(hook.reviews)
        self.assertEqual(self.maps("bob").status, 403)
        self.assertEqual(self.ask("ann", "GET", "/api").status, 200)
        self.assertEqual(self.server.get("/api/v1/secrets").status, 200)
        self.assertEqual(len(hook.reviews), asked, "answers are kept, roles and system:masters come first")

    def test_the_default_version_is_v1beta1(self):
        hook = self.hook(lambda spec: {"allowed": "devs" in spec["group"]})
        self.start(hook)
        self.assertEqual(self.maps().status, 200)
        self.assertEqual(hook.reviews[-1]["apiVersion"], "authorization.k8s.io/v1beta1")

    def test_reviews_ask_the_webhook_too(self):
        hook = self.hook(lambda spec: {"allowed": False, "denied": True, "reason": "never"})
        self.start(hook, "--authorization-webhook-version=v1")
        answer = self.ask("ann", "POST", REVIEWS + "/selfsubjectaccessreviews",
                          {"spec": {"resourceAttributes": {"verb": "get", "resource": "pods"}}})
        self.assertEqual(answer.json()["status"], {"allowed": False, "denied": True, "reason": "never"})
        spec = {"user": "eve", "uid": "9", "groups": ["g"], "extra": {"b": ["2", "1"], "a": []},
                "resourceAttributes": {"verb": "list", "resource": "pods", "version": "v1", "labelSelector": {
                    "requirements": [{"key": "x", "operator": "In", "values": ["b", "a"]}]}}}
        self.assertEqual(self.server.post(REVIEWS + "/subjectaccessreviews", {"spec": spec}).status, 201)
        self.assertEqual(hook.reviews[-1]["spec"], spec)
        rules = self.ask("ann", "POST", REVIEWS + "/selfsubjectrulesreviews", {"spec": {"namespace": "default"}})
        status = rules.json()["status"]
        self.assertTrue(status["incomplete"])
        self.assertEqual(status["evaluationError"], "webhook authorizer does not support user rule resolution")
        self.assertTrue(status["resourceRules"], "what the roles allow is told")

    def test_a_webhook_that_cannot_be_asked_allows_nothing(self):
        hook = self.hook()
        self.start(hook)
        hook.close()
        answer = self.maps()
        self.assertEqual(answer.status, 500)
        self.assertTrue(answer.text.startswith('Internal Server Error: "/api/v1/namespaces/default/configmaps": '),
                        answer.text)
        self.assertEqual(self.ask("ann", "GET", "/api").status, 200, "roles decide first")
        self.assertEqual(self.metric('apiserver_authorization_webhook_evaluations_fail_open_total'
                                     '{name="default",result="error"}')[0].split()[-1], "1")

    def test_a_webhook_with_a_certificate_of_somebody_else_is_not_asked(self):
        hook, other = self.hook(lambda spec: {"allowed": True}), identity.Authority("other-ca")
        self.addCleanup(other.close)
        config = hook.kubeconfig(self.folder, other.certificate)
        self.serve("--authorization-mode=RBAC,Webhook", f"--authorization-webhook-config-file={config}")
        self.assertEqual(self.maps().status, 500)
        self.assertEqual(hook.requests, [])


class ConfigurationTest(WebhookTestCase):
    def test_conditions_and_failure_policies(self):
        first = self.hook(lambda spec: (403, "no"))
        second = self.hook(lambda spec: {"allowed": True})
        self.serve_config(
            self.entry(first, "first", failurePolicy="Deny", matchConditions=[
                {"expression": "request.user == 'bob'"},
                {"expression": "has(request.resourceAttributes) && request.resourceAttributes.verb == 'list'"}]),
            "Node", "RBAC",
            self.entry(second, "second", matchConditions=[
                {"expression": "request.resourceAttributes.namespace == 'default'"}]))
        self.assertEqual(self.maps("ann").status, 200)
        self.assertEqual(first.reviews, [], "its conditions exclude ann")
        self.assertEqual(self.maps("bob").status, 500, "the first denies where it fails")
        self.assertEqual(len(second.reviews), 1)
        self.assertEqual(self.ask("ann", "GET", "/api/v1/secrets").status, 403)
        failed = self.ask("ann", "GET", "/metrics")
        self.assertEqual(failed.status, 500, "a condition that cannot be evaluated is an error")
        self.assertIn("no such key: resourceAttributes", failed.text)
        for line in ('apiserver_authorization_decisions_total{type="Webhook",name="second",decision="allowed"} 1',
                     'apiserver_authorization_decisions_total{type="Webhook",name="first",decision="denied"} 1',
                     'apiserver_authorization_match_condition_evaluation_errors_total{type="Webhook",name="second"} 1'):
            self.assertTrue(self.metric(line), line)

    def test_a_changed_file_is_used_and_a_bad_one_is_not(self):
        old, new = self.hook(lambda spec: {"allowed": True}), self.hook(lambda spec: {"denied": True})
        self.serve_config("Node", "RBAC", self.entry(old, "old"))
        self.assertEqual(self.maps().status, 200)
        first = self.metric("apiserver_authorization_config_controller_last_config_info")

        def reloads(status):
            (line,) = [line for line in self.metric("apiserver_authorization_config_controller_automatic_reloads_total")
                       if f'status="{status}"' in line]
            self.assertRegex(line, r'apiserver_id_hash="sha256:[0-9a-f]{64}"')
            return int(line.split()[-1])

        for number, bad in enumerate((("RBAC",), ("Node", "RBAC", "ABAC"), ("Node", "RBAC", "RBAC"),
                                      ("Node", "RBAC", self.entry(new, "new", timeout="1h"))), 1):
            self.write(*bad)
            harness.wait_until(lambda n=number: reloads("failure") == n, f"{bad} is refused", seconds=60)
            self.assertEqual(self.maps().status, 200, "the old configuration stays")
        self.assertEqual(reloads("success"), 0)

        self.write(self.entry(new, "new"), "Node", "RBAC")
        harness.wait_until(lambda: reloads("success") == 1, "the new file is used", seconds=60)
        self.assertEqual(self.maps().status, 403)
        self.assertEqual(len(new.reviews), 1)
        now = self.metric("apiserver_authorization_config_controller_last_config_info")
        self.assertEqual((len(first), len(now)), (1, 1))
        self.assertNotEqual(first, now)

    def test_bad_configurations_end_the_start_with_upstreams_words(self):
        hook = self.hook()
        for authorizers, expected in (
                ((), "authorizers: Required value: at least one authorization mode must be defined"),
                (("RBAC", {"type": "Foo", "name": "foo"}),
                 'authorizers[1].type: Unsupported value: "Foo": supported values: "ABAC", "AlwaysAllow", '
                 '"AlwaysDeny", "Node", "RBAC", "Webhook"'),
                ((self.entry(hook, matchConditions=[{"expression": "1"}]),),
                 'authorizers[0].matchConditions[0].expression: Invalid value: "1": must evaluate to bool but got '
                 'int')):
            with self.assertRaises(Exception) as raised:
                self.serve_config(*authorizers)
            self.assertIn(expected, str(raised.exception).replace('\\"', '"'))

    def test_the_file_and_the_flags_exclude_each_other(self):
        self.write("RBAC")
        with self.assertRaises(Exception) as raised:
            self.serve(f"--authorization-config={self.config}", "--authorization-mode=RBAC")
        self.assertIn("--authorization-config can not be specified when --authorization-mode or "
                      "--authorization-webhook-* flags are defined", str(raised.exception))


if __name__ == "__main__":
    unittest.main()
