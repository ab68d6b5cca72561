"""Admission webhooks: what they are asked, what their answers do, and what a bad one does to everybody else."""

import base64
import socket
import threading
import time
import unittest

import admission_webhooks as hooks
import extension_server as ext
import harness
import identity

CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1/{}webhookconfigurations"
MAPS = hooks.rule("configmaps")


class WebhooksTestCase(harness.ServerTestCase):
    server_args = ("--storage-backend=memory",)

    @classmethod
    def setUpClass(cls):
        cls.authority = identity.Authority("hook-ca")
        cls.addClassCleanup(cls.authority.close)
        cls.bundle = base64.b64encode(cls.authority.certificate.read_bytes()).decode()
        super().setUpClass()

    def setUp(self):
        self.hook = self.serve()
        self.ns = self.new_namespace()
        # Each test's webhooks see its own namespace.
        self.selector = {"matchLabels": {"kubernetes.io/metadata.name": self.ns.rpartition("/")[2]}}

    def serve(self, **kwargs):
        hook = hooks.AdmissionServer(self.authority, **kwargs)
        self.addCleanup(hook.close)
        return hook

    def register(self, kind, *webhooks, name=None):
        path, body = hooks.configuration(kind, name or self.ns.rpartition("/")[2], *webhooks)
        made = self.server.post(path, body)
        self.assertEqual(made.status, 201, made)
        self.addCleanup(self.server.delete, f"{path}/{body['metadata']['name']}")

    def webhook(self, decide, rules=(MAPS,), name="a.example.com", hook=None, **more):
        hook = hook or self.hook
        hook.hooks["/" + name] = decide
        return hooks.webhook(name, {"url": f"{hook.url}/{name}", "caBundle": self.bundle}, list(rules),
                             **{"namespaceSelector": self.selector, **more})

    def create(self, name="m", query="", **more):
        return self.server.post(f"{self.ns}/configmaps{query}", {"metadata": {"name": name}, **more})

    def metric(self, line):
        return [l for l in self.server.get("/metrics").text.splitlines() if l.startswith(line)]


class AnswersTest(WebhooksTestCase):
    def test_the_very_next_request_is_asked_about(self):
        self.register("validating", self.webhook(lambda _: hooks.deny("not here", code=403)))
        self.assertStatus(self.create(), 403, None, 'admission webhook "a.example.com" denied the request: not here')
        path, review = self.hook.reviews[-1]
        self.assertEqual(path, "/a.example.com?timeout=5s")
        self.assertEqual(review["request"]["object"]["kind"], "ConfigMap")
        self.assertEqual(review["request"]["userInfo"]["groups"], ["system:masters", "system:authenticated"])
        self.server.delete(CONFIGURATIONS.format("validating") + self.ns[self.ns.rindex("/"):])
        self.assertEqual(self.create().status, 201)

    def test_the_service_kubernetes_is_this_server(self):
        # The way of webhooks that are aggregated APIs.
        group = self.ns.rpartition("/")[2] + ".example.com"
        path = f"/apis/{group}/v1/reviews"
        self.hook.hooks[path] = lambda _: {"allowed": True, "warnings": ["asked by way of the aggregator"]}
        name = self.ns.rpartition("/")[2]
        self.assertEqual(self.server.post("/api/v1/namespaces/default/services", ext.service(name)).status, 201)
        registrations = "/apis/apiregistration.k8s.io/v1/apiservices"
        made = self.server.post(registrations, ext.api_service(self.hook.port, group=group, version="v1", name=name))
        self.assertEqual(made.status, 201, made)
        self.addCleanup(self.server.delete, f"{registrations}/v1.{group}")

        def available():
            conditions = self.server.get(f"{registrations}/v1.{group}").json().get("status", {}).get("conditions", [])
            return any(c["type"] == "Available" and c["status"] == "True" for c in conditions)
        harness.wait_until(available, "the API is available")
        webhook = self.webhook(lambda _: {"allowed": True})
        webhook["clientConfig"] = {"service": {"namespace": "default", "name": "kubernetes", "path": path}}
        self.register("validating", webhook)
        made = self.create()
        self.assertEqual(made.status, 201, made)
        self.assertIn("asked by way of the aggregator", made.headers["Warning"])
        asked = [headers for (where, review), headers in zip(
            [r for r in self.hook.reviews if r[1]], self.hook.headers) if where.startswith(path)]
        self.assertEqual(asked[-1]["X-Remote-User"], "system:apiserver")

    def test_mutating_webhooks_follow_each_other_by_name_and_are_asked_again(self):
        def mark(key):
            def decide(request):
                labels = request["object"]["metadata"].get("labels", {})
                if key in labels:
                    return {"allowed": True}
                value = {**labels, key: str(len(labels))}
                return hooks.patch({"op": "add", "path": "/metadata/labels", "value": value})
            return decide
        for name in ("b", "a"):
            self.register("mutating", self.webhook(mark(name), name=f"{name}.example.com", reinvocationPolicy="IfNeeded"),
                          name=f"{self.ns.rpartition('/')[2]}-{name}")
        made = self.create()
        self.assertEqual(made.json()["metadata"]["labels"], {"a": "0", "b": "1"})
        self.assertEqual([path[1] for path, _ in self.hook.reviews], ["a", "b", "a"])

    def test_connections_are_kept(self):
        self.register("validating", self.webhook(lambda _: {"allowed": True}))
        for i in range(20):
            self.assertEqual(self.create(f"m{i}").status, 201)
        self.assertEqual(len(self.hook.reviews), 20)
        self.assertLess(self.hook.connections, 10)  # one for each loop

    def test_validating_webhooks_are_asked_at_once(self):
        both = threading.Barrier(2, timeout=20)

        def meet(_):
            both.wait()
            return {"allowed": True}
        self.register("validating", self.webhook(meet), self.webhook(meet, name="b.example.com"))
        self.assertEqual(self.create().status, 201)

    def test_a_connection_is_asked_about(self):
        self.register("validating", self.webhook(lambda _: hooks.deny("no shells"), rules=[
            hooks.rule("pods/exec", operations=["CONNECT"])]))
        self.server.post(f"{self.ns}/pods", {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}})
        refused = self.server.post(f"{self.ns}/pods/p/exec?command=ls", {})
        self.assertStatus(refused, 400, None, "no shells")
        self.assertEqual(self.hook.reviews[-1][1]["request"]["object"]["command"], ["ls"])

    def test_services_are_reached_by_name_and_checked_by_it(self):
        address = address_of_this_machine()
        if not address:
            self.skipTest("this machine has loopback addresses only, which no endpoint may have")
        server = harness.Server("--storage-backend=memory", "--enable-aggregator-routing", ready_client="admin")
        self.addCleanup(server.close)
        server.start()
        named = self.serve(names="DNS:hook.default.svc", host="0.0.0.0")
        self.assertEqual(server.post("/api/v1/namespaces/default/services", {
            "metadata": {"name": "hook"}, "spec": {"ports": [{"name": "https", "port": 443}]}}).status, 201)
        server.post("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", {
            "metadata": {"name": "hook", "labels": {"kubernetes.io/service-name": "hook"}}, "addressType": "IPv4",
            "endpoints": [{"addresses": [address]}], "ports": [{"name": "https", "port": named.port}]})
        webhook = self.webhook(lambda _: {"allowed": True, "warnings": ["asked"]}, hook=named, namespaceSelector={})
        webhook["clientConfig"] = {"service": {"namespace": "default", "name": "hook", "path": "/a.example.com"},
                                   "caBundle": self.bundle}
        path, body = hooks.configuration("validating", "service", webhook)
        self.assertEqual(server.post(path, body).status, 201)
        made = server.post("/api/v1/namespaces/default/configmaps", {"metadata": {"name": "m"}})
        self.assertEqual(made.status, 201, made)
        self.assertIn("asked", made.headers["Warning"])


def address_of_this_machine():
    """One that endpoints may have: not a loopback address. None: there is none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            return probe.getsockname()[0]
        except OSError:
            return None


class FaultsTest(WebhooksTestCase):
    """Each fault fails the requests that must ask, lets those pass that may, and is nobody else's business."""

    def check(self, decide, why, hook=None, **more):
        self.register("validating", self.webhook(decide, hook=hook, **more))
        failed = []
        waiting = threading.Thread(target=lambda: failed.append(self.create("failed")))
        waiting.start()
        # Unrelated requests do not notice, reads and writes, while it waits and afterwards.
        began = time.monotonic()
        for i in range(20):
            self.assertEqual(self.server.get("/api/v1/namespaces/default").status, 200)
            made = self.server.post("/api/v1/namespaces/default/configmaps", {"metadata": {"generateName": "unrelated-"}})
            self.assertEqual(made.status, 201, made)
        self.assertLess(time.monotonic() - began, 10)
        waiting.join()
        message = self.assertStatus(failed[0], 500, "InternalError")["message"]
        self.assertRegex(message, r'^Internal error occurred: failed calling webhook "a\.example\.com": ' + why)
        path = CONFIGURATIONS.format("validating") + self.ns[self.ns.rindex("/"):]
        ignoring = self.server.patch(path, [{"op": "replace", "path": "/webhooks/0/failurePolicy", "value": "Ignore"}],
                                     content_type="application/json-patch+json")
        self.assertEqual(ignoring.status, 200, ignoring)  # the configuration itself can always be written
        self.assertEqual(self.create("ignored").status, 201)

    def test_hangs(self):
        self.check(lambda _: hooks.HANG, r'failed to call webhook: Post "https://127\.0\.0\.1:\d+/a\.example\.com\?timeout=1s": '
                                         r"context deadline exceeded$", timeoutSeconds=1)

    def test_resets(self):
        self.check(lambda _: hooks.RESET, r'failed to call webhook: Post "https://.*": ')

    def test_answers_garbage(self):
        self.check(lambda _: hooks.Raw("\0garbage"), r"failed to call webhook: couldn't get version/kind; json parse error: ")

    def test_answers_10_megabytes(self):
        self.check(lambda _: hooks.Raw(b"x" * 10_000_000), r"failed to call webhook: .* longer than 8388608 bytes$")

    def test_answers_another_review(self):
        self.check(lambda _: {"allowed": True, "uid": "other"},
                   r'received invalid webhook response: expected response\.uid="[0-9a-f-]{36}", got "other"$')

    def test_has_an_expired_certificate(self):
        expired = self.authority.issue_between("/CN=localhost", "20200101000000Z", "20200102000000Z", "serverAuth",
                                               "IP:127.0.0.1")
        self.check(lambda _: {"allowed": True}, r'failed to call webhook: Post "https://.*": tls: .*expired',
                   hook=self.serve(certificate=expired))

    def test_has_a_certificate_that_names_it_as_its_subject_only(self):
        certificate = self.authority.issue("/CN=127.0.0.1", "serverAuth")
        self.check(lambda _: {"allowed": True}, r'failed to call webhook: Post "https://.*": tls: failed to verify certificate: '
                   r"x509: certificate relies on legacy Common Name field, use SANs instead$", hook=self.serve(certificate=certificate))

    def test_redirects(self):
        self.check(lambda _: hooks.Raw("", 307, {"Location": self.hook.url + "/elsewhere"}),
                   r"failed to call webhook: the server responded with the status code 307 but did not return more information$")
        self.assertFalse([path for path, _ in self.hook.reviews if path.startswith("/elsewhere")])

    def test_is_not_there(self):
        gone = hooks.AdmissionServer(self.authority)
        gone.close()
        self.check(lambda _: {"allowed": True}, r'failed to call webhook: Post "https://.*": dial tcp 127\.0\.0\.1:\d+: connect: '
                                                r"connection refused$", hook=gone)


class Http2FaultsTest(FaultsTest):
    """The same over HTTP/2, and what that alone has."""

    def serve(self, **kwargs):
        return super().serve(http2=True, **kwargs)

    def tearDown(self):
        if self.hook.reviews:
            self.assertGreater(self.hook.http2_connections, 0)

    def test_refuses(self):
        self.check(lambda _: hooks.REFUSE, r'failed to call webhook: Post "https://.*": stream error: stream ID \d+; '
                                           r"REFUSED_STREAM; received from peer$", timeoutSeconds=1)


class Http2Test(WebhooksTestCase):
    def serve(self, **kwargs):
        return super().serve(http2=True, **kwargs)

    def test_a_webhook_at_a_url_of_this_machine_is_asked_over_it(self):
        for round, host in enumerate(("127.0.0.1", "localhost", "LOCALHOST")):
            hook = self.serve()
            hook.url = f"https://{host}:{hook.port}"
            warning = f"asked at {host}"
            self.register("validating", self.webhook(lambda _: {"allowed": True, "warnings": [warning]}, hook=hook),
                          name=f"{self.ns.rpartition('/')[2]}-{round}")
            for i in range(10):
                made = self.create(f"m-{round}-{i}")
                self.assertEqual(made.status, 201, made)
                self.assertIn(warning, made.headers["Warning"])
            self.assertEqual(hook.http2_connections, hook.connections)
            self.assertLess(hook.connections, 10)  # one for each loop

    def test_calls_share_a_connection(self):
        together = threading.Barrier(16, timeout=20)

        def meet(_):
            together.wait()
            return {"allowed": True}
        self.register("validating", *(self.webhook(meet, name=f"{c}.example.com") for c in "abcdefghijklmnop"))
        self.assertEqual(self.create().status, 201)
        self.assertEqual(self.hook.http2_connections, 1)

    def test_a_large_review_and_a_large_answer_pass(self):
        text = "x" * 900_000
        self.register("mutating", self.webhook(lambda _: hooks.patch(
            {"op": "add", "path": "/data/b", "value": text[:100_000]})))
        made = self.create(data={"a": text})
        self.assertEqual(made.status, 201, made)
        self.assertEqual(made.json()["data"], {"a": text, "b": text[:100_000]})
        self.assertEqual(self.hook.reviews[0][1]["request"]["object"]["data"]["a"], text)

    def check_sent_again(self, unwilling, connections):
        answers = [unwilling, {"allowed": True, "warnings": ["asked"]}]
        self.register("validating", self.webhook(lambda _: answers.pop(0)))
        made = self.create()
        self.assertEqual(made.status, 201, made)
        self.assertIn("asked", made.headers["Warning"])
        self.assertEqual(len(self.hook.reviews), 2)
        self.assertEqual(self.hook.http2_connections, connections)

    def test_a_call_that_is_refused_is_sent_again(self):
        self.check_sent_again(hooks.REFUSE, connections=1)

    def test_a_call_to_a_webhook_that_leaves_is_sent_again_elsewhere(self):
        self.check_sent_again(hooks.LEAVE, connections=2)

    def test_webhooks_elsewhere_are_asked_over_http11(self):
        address = address_of_this_machine()
        if not address:
            self.skipTest("this machine has loopback addresses only")
        hook = self.serve(names=f"IP:{address}", host="0.0.0.0")
        hook.url = f"https://{address}:{hook.port}"
        self.register("validating", self.webhook(lambda _: {"allowed": True, "warnings": ["asked"]}, hook=hook))
        made = self.create()
        self.assertIn("asked", made.headers["Warning"])
        self.assertEqual((hook.connections, hook.http2_connections), (1, 0))


class DeadlineTest(WebhooksTestCase):
    def test_the_deadline_of_the_request_shortens_the_timeout(self):
        for policy in ("Fail", "Ignore"):
            for kind in ("validating", "mutating"):
                with self.subTest(policy=policy, kind=kind):
                    name = f"{kind}-{policy.lower()}.example.com"
                    self.register(kind, self.webhook(lambda _: hooks.HANG, name=name, failurePolicy=policy, timeoutSeconds=30),
                                  name=f"{self.ns.rpartition('/')[2]}-{name}")
                    late = self.create("late", "?timeout=1500ms")
                    self.assertEqual(late.status, 504, late)
                    self.assertEqual((late.json()["reason"], late.json()["message"]),
                                     ("Timeout", "Timeout: request did not complete within the allotted timeout"))
                    self.assertIn(f"/{name}?timeout=2s", [path for path, _ in self.hook.reviews])
                    self.server.delete(f"{CONFIGURATIONS.format(kind)}/{self.ns.rpartition('/')[2]}-{name}")
        self.assertEqual(self.create("late").status, 201, "nothing was written after the deadline")

    def test_a_webhook_is_told_its_own_timeout_where_that_is_shorter(self):
        self.register("validating", self.webhook(lambda _: {"allowed": True}, timeoutSeconds=3))
        self.assertEqual(self.create(query="?timeout=20s").status, 201)
        self.assertEqual(self.hook.reviews[-1][0], "/a.example.com?timeout=3s")


class BreakerTest(WebhooksTestCase):
    def test_a_webhook_that_keeps_timing_out_is_spared_until_it_answers(self):
        silent = threading.Event()

        def decide(_):
            return {"allowed": True} if silent.is_set() else hooks.HANG
        self.register("validating", self.webhook(decide, timeoutSeconds=1, failurePolicy="Ignore"))
        threads = [threading.Thread(target=self.create, args=(f"m{i}",)) for i in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        spared = []

        def is_spared():
            spared.append(self.create(f"s{len(spared)}"))
            return "keeps timing out" in spared[-1].headers.get("Warning", "")
        harness.wait_until(is_spared, "the breaker opens")
        self.assertEqual(spared[-1].status, 201)
        self.assertTrue(self.breaker_gauge().endswith(" 1"))
        self.wait_for_event("Warning", "WebhookTimingOut", "timed out 5 times in a row")
        silent.set()

        def is_asked():
            before = len(self.hook.reviews)
            self.create(f"t{time.monotonic()}".replace(".", "-"))
            return len(self.hook.reviews) > before
        harness.wait_until(is_asked, "the webhook is asked again")
        harness.wait_until(lambda: self.breaker_gauge().endswith(" 0"), "it is closed")
        self.wait_for_event("Normal", "WebhookAnswering", "answers again")

    def breaker_gauge(self):
        name = self.ns.rpartition("/")[2]
        line, = self.metric(f'keelson_admission_webhook_breaker_open{{configuration="{name}"')
        return line

    def wait_for_event(self, kind, reason, message):
        """About the configuration of this test."""
        name = self.ns.rpartition("/")[2]
        configuration = self.server.get(CONFIGURATIONS.format("validating") + "/" + name).json()

        def told():
            events = self.server.get("/api/v1/namespaces/default/events?fieldSelector=involvedObject.name=" + name).json()
            return [e for e in events["items"] if e["reason"] == reason and e["type"] == kind
                    and message in e["message"] and 'Webhook "a.example.com"' in e["message"]
                    and e["involvedObject"]["uid"] == configuration["metadata"]["uid"]]
        harness.wait_until(told, f"an event of {reason}")
        self.assertEqual(told()[0]["count"], 1)

    def test_a_webhook_for_everything_that_hangs_does_not_hide_itself(self):
        self.register("validating", self.webhook(lambda _: hooks.HANG, timeoutSeconds=1, rules=[
            hooks.rule(["configmaps", "events"])], namespaceSelector={"matchExpressions": [
                {"key": "kubernetes.io/metadata.name", "operator": "In", "values": [
                    "default", self.ns.rpartition("/")[2]]}]}))
        threads = [threading.Thread(target=self.create, args=(f"m{i}",)) for i in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.wait_for_event("Warning", "WebhookTimingOut", "timed out 5 times in a row")

    def test_leases_pass_whatever_becomes_of_the_webhook(self):
        self.register("validating", self.webhook(lambda _: hooks.Raw("no", 500), rules=[
            hooks.rule("*", ["*"], ["*"])]))
        lease = self.server.post(f"/apis/coordination.k8s.io/v1/namespaces/{self.ns.rpartition('/')[2]}/leases",
                                 {"metadata": {"name": "l"}})
        self.assertEqual(lease.status, 201, lease)
        self.assertIn("failed calling webhook", lease.headers["Warning"])
        self.assertEqual(self.create().status, 500)


class MetricsTest(WebhooksTestCase):
    def test_calls_are_counted(self):
        name = self.ns.rpartition("/")[2] + ".example.com"
        self.register("validating", self.webhook(lambda _: hooks.deny("no", code=418), name=name))
        self.create()
        labels = f'code="418",name="{name}",operation="CREATE",rejected="true",type="validating"'
        self.assertEqual(self.metric("apiserver_admission_webhook_request_total{" + labels),
                         ["apiserver_admission_webhook_request_total{" + labels + "} 1"])

    def test_plugins_and_steps_are_timed(self):
        self.assertEqual(self.create().status, 201)
        for line in ('controller_admission_duration_seconds_count{name="NamespaceLifecycle",operation="CREATE",'
                     'rejected="false",type="admit"}',
                     'step_admission_duration_seconds_count{operation="CREATE",rejected="false",type="validate"}'):
            self.assertTrue(self.metric("apiserver_admission_" + line), line)


if __name__ == "__main__":
    unittest.main()
