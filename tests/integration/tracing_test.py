"""Spans of requests, as a collector gets them: names, parents, attributes; who may decide what is recorded."""

import base64
import pathlib
import tempfile
import unittest

import admission_webhooks as hooks
import etcd
import harness
import identity
import otlp_collector

MAPS = "/api/v1/namespaces/default/configmaps"
A_MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "traced"}, "data": {"a": "b"}}
TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
FILTERS = ["audit", "constrainedimpersonation", "priorityandfairness", "authorization"]


def parent(sampled=True):
    return {"traceparent": f"00-{TRACE}-{SPAN}-{'01' if sampled else '00'}"}


class TracingTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tracing-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.collector = otlp_collector.Collector()
        self.addCleanup(self.collector.close)

    def start(self, rate=None, store=("--storage-backend=memory",)):
        server = harness.Server(*store, "--tracing-config-file", str(self.collector.config(self.folder, rate)))
        self.addCleanup(server.close)
        return server.start()

    def path(self, spans, name):
        """The names from the span `name` out to the one whose parent is not among them."""
        by_id = {span.id: span for span in spans}
        span = next(span for span in spans if span.name == name)
        names = []
        while span:
            names.append(span.name)
            span = by_id.get(span.parent)
        return names

    def test_a_read_has_the_spans_of_its_filters_and_of_its_steps(self):
        server = self.start(1000000)
        server.get(MAPS + "/none", headers={"Audit-ID": "read"})
        spans = self.collector.trace_of("read", 9)
        own = "GET /api/v1/namespaces/{:namespace}/configmaps/{:name}"
        self.assertEqual(self.path(spans, "cacher.Get"),
                         ["cacher.Get", "Get", *reversed(FILTERS), own, "authentication"])
        self.assertEqual(self.path(spans, "SerializeObject")[:2], ["SerializeObject", "Get"])
        span = next(s for s in spans if s.name == own)
        self.assertEqual(span.kind, "server")
        self.assertEqual(span.resource["service.name"], "apiserver")
        self.assertRegex(span.resource["service.instance.id"], r"^apiserver-[a-z2-7]+$")
        self.assertEqual(span.attributes["http.response.status_code"], 404)
        self.assertEqual(span.attributes["http.target"], MAPS + "/none")
        self.assertFalse(span.failed)
        for one in spans:
            self.assertLessEqual(one.start, one.end)
            self.assertEqual(one.trace, span.trace)
        get = next(s for s in spans if s.name == "Get")
        self.assertEqual({name: get.attributes[name] for name in (
            "api-group", "api-version", "name", "namespace", "resource", "scope", "subresource", "url", "verb")},
            {"api-group": "", "api-version": "v1", "name": "none", "namespace": "default", "resource": "configmaps",
             "scope": "resource", "subresource": "", "url": MAPS + "/none", "verb": "GET"})

    def test_writes_tell_of_the_store(self):
        server = self.start(1000000)
        server.post(MAPS, A_MAP, headers={"Audit-ID": "create"})
        spans = self.collector.trace_of("create", 9)
        self.assertEqual(self.path(spans, "Create etcd3")[:3], ["Create etcd3", "Create", "authorization"])
        stored = next(s for s in spans if s.name == "Create etcd3")
        self.assertEqual(stored.attributes, {"audit-id": "create", "key": "/configmaps/default/traced", "group": "",
                                             "resource": "configmaps"})
        own = next(s for s in spans if s.kind == "server")
        self.assertGreater(own.attributes["http.request.body.size"], 50)
        self.assertGreater(own.attributes["http.response.body.size"], 50)
        for audit_id, ask, step in (
                ("update", lambda h: server.put(MAPS + "/traced", A_MAP, headers=h), "GuaranteedUpdate etcd3"),
                ("list", lambda h: server.get(MAPS, headers=h), "cacher.GetList"),
                ("delete", lambda h: server.delete(MAPS + "/traced", headers=h), "SerializeObject")):
            self.assertEqual(ask({"Audit-ID": audit_id}).status, 200)
            spans = self.collector.trace_of(audit_id, 8)
            self.assertEqual(self.path(spans, step)[1], audit_id.capitalize())

    def test_a_write_to_etcd_is_a_call(self):
        with etcd.Etcd() as store:
            server = self.start(store=("--storage-backend=etcd3", f"--etcd-servers={store.url}"))
            self.assertEqual(server.post(MAPS, A_MAP, headers={"Audit-ID": "etcd", **parent()}).status, 201)
            spans = self.collector.trace_of("etcd", 9)
            self.assertEqual(self.path(spans, "etcdserverpb.KV/Txn")[:2], ["etcdserverpb.KV/Txn", "Create etcd3"])
            call = next(s for s in spans if s.name == "etcdserverpb.KV/Txn")
            self.assertEqual(call.kind, "client")
            self.assertEqual(call.attributes, {"rpc.method": "etcdserverpb.KV/Txn", "rpc.system.name": "grpc",
                                               "rpc.response.status_code": "OK"})

    def test_a_privileged_client_decides_and_nobody_else_does(self):
        server = self.start()
        server.get(MAPS, headers={"Audit-ID": "chosen", **parent()})
        server.get(MAPS, headers={"Audit-ID": "refused", **parent(sampled=False)})
        server.get(MAPS, headers={"Audit-ID": "unasked"})
        server.get("/version", client="anonymous", headers={"Audit-ID": "stranger", **parent()})
        server.get(MAPS, headers={"Audit-ID": "last", **parent()})
        self.collector.trace_of("last")
        spans = self.collector.spans
        own = {s.attributes["audit-id"]: s for s in spans if s.kind == "server"}
        self.assertEqual(set(own), {"chosen", "last"})
        self.assertEqual((own["chosen"].trace, own["chosen"].parent), (TRACE, SPAN))
        self.assertNotIn("authentication", {s.name for s in spans})

    def test_a_strangers_trace_is_a_link(self):
        server = self.start(1000000)
        server.get("/version", client="anonymous", headers={"Audit-ID": "stranger", **parent()})
        own = next(s for s in self.collector.trace_of("stranger") if s.kind == "server")
        self.assertNotEqual(own.trace, TRACE)
        self.assertEqual((own.name, own.parent, own.links), ("GET", "", [(TRACE, SPAN)]))

    def test_webhooks_are_told_of_the_trace(self):
        authority = identity.Authority("hook-ca")
        self.addCleanup(authority.close)
        hook = hooks.AdmissionServer(authority)
        self.addCleanup(hook.close)
        hook.hooks["/check"] = lambda request: {"allowed": True}
        bundle = base64.b64encode(authority.certificate.read_bytes()).decode()
        server = self.start(1000000)
        path, configuration = hooks.configuration("validating", "c", hooks.webhook(
            "check.example.com", {"url": hook.url + "/check", "caBundle": bundle}, [hooks.rule("configmaps")]))
        self.assertEqual(server.post(path, configuration).status, 201)
        harness.wait_until(lambda: server.post(MAPS + "?dryRun=All", A_MAP).status == 201 and hook.reviews, "the webhook")
        hook.headers.clear()
        server.post(MAPS, A_MAP, headers={"Audit-ID": "hooked"})
        spans = self.collector.trace_of("hooked", 11)
        self.assertEqual(self.path(spans, "HTTP POST")[:3], ["HTTP POST", "Call validating webhook", "Create"])
        call = next(s for s in spans if s.name == "HTTP POST")
        self.assertEqual(call.kind, "client")
        self.assertEqual(call.attributes["http.response.status_code"], 200)
        self.assertEqual(hook.headers[-1]["traceparent"], f"00-{call.trace}-{call.id}-01")
        review = next(s for s in spans if s.name == "Call validating webhook")
        self.assertEqual(review.attributes["configuration"], "c")
        self.assertEqual(review.attributes["resource"], "/v1, Resource=configmaps")

    def test_spans_are_sent_at_the_end_and_a_collector_that_is_gone_costs_nothing(self):
        server = self.start(1000000)
        server.get(MAPS, headers={"Audit-ID": "at-the-end"})
        self.assertEqual(server.stop(), 0)
        self.assertTrue(self.collector.trace_of("at-the-end"))

        self.collector.close()
        server = self.start(1000000)
        for _ in range(400):  # more spans than are queued
            self.assertEqual(server.get(MAPS).status, 200)
        dropped = harness.wait_until(
            lambda: [line for line in server.get("/metrics").text.splitlines()
                     if line.startswith('keelson_tracing_spans_dropped_total{reason="queue_full"}')], "the metric")
        self.assertGreater(float(dropped[0].split()[-1]), 0)
        self.assertEqual(server.stop(), 0)
        self.assertIn("spans were dropped", server.log())

    def test_a_wrong_file_is_refused_by_name(self):
        file = self.folder / "wrong.yaml"
        for text, why in (("kind: TracingConfiguration\napiVersion: apiserver.config.k8s.io/v1\n"
                           "samplingRatePerMillion: -1\n", "sampling rate must be positive"),
                          ("kind: TracingConfiguration\napiVersion: apiserver.config.k8s.io/v1\nx: 1\n",
                           'unknown field "x"')):
            file.write_text(text)
            server = harness.Server("--storage-backend=memory", "--tracing-config-file", str(file))
            self.addCleanup(server.close)
            with self.assertRaises(AssertionError) as failed:
                server.start()
            self.assertIn(why, str(failed.exception))


if __name__ == "__main__":
    unittest.main()
