"""Aggregated APIs: what their backends are sent, what comes back, and what a bad one does to everybody else."""

import json
import time
import unittest

import extension_server as ext
import harness
import identity

SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices"
OBJECT = f"{SERVICES}/{ext.VERSION}.{ext.GROUP}"
FLUNDERS = ext.BASE + "/namespaces/default/flunders"


class AggregationTestCase(harness.ServerTestCase):
    @classmethod
    def setUpClass(cls):
        cls.authority = identity.Authority("wardle-ca")
        cls.addClassCleanup(cls.authority.close)
        cls.proxies = identity.Authority("proxy-ca")
        cls.addClassCleanup(cls.proxies.close)
        certificate, key = cls.proxies.issue("/CN=front-proxy")
        cls.server_args = ("--storage-backend=memory", f"--proxy-client-cert-file={certificate}",
                           f"--proxy-client-key-file={key}", f"--requestheader-client-ca-file={cls.proxies.certificate}",
                           "--requestheader-allowed-names=front-proxy", "--requestheader-username-headers=X-Remote-User",
                           "--requestheader-group-headers=X-Remote-Group",
                           "--requestheader-extra-headers-prefix=X-Remote-Extra-")
        super().setUpClass()

    def setUp(self):
        self.backend = self.serve()

    def serve(self, **kwargs):
        backend = ext.ExtensionServer(self.authority, **{"client_ca": self.proxies.certificate, **kwargs})
        self.addCleanup(backend.close)
        return backend

    def register(self, backend=None, available=True, server=None, **kwargs):
        server = server or self.server
        backend = backend or self.backend
        server.post("/api/v1/namespaces/default/services", ext.service())
        self.addCleanup(server.delete, "/api/v1/namespaces/default/services/wardle")
        body = ext.api_service(backend.port, **{"bundle": self.authority.certificate.read_bytes(), **kwargs})
        made = server.post(SERVICES, body)
        self.assertEqual(made.status, 201, made)
        path = f"{SERVICES}/{body['metadata']['name']}"
        self.addCleanup(server.delete, path)
        if available:
            self.condition("Passed", path, server)
            harness.wait_until(lambda: server.get(ext.BASE).status != 503, "the route is open")

    def condition(self, reason, path=OBJECT, server=None):
        """Waits until the condition Available has that reason, and gives it."""
        def found():
            status = (server or self.server).get(path).json().get("status", {})
            return next((c for c in status.get("conditions", []) if c["reason"] == reason), None)
        return harness.wait_until(found, reason)

    def aggregated(self, group=ext.GROUP):
        answer = self.server.get("/apis", headers={"Accept": ext.V2}).json()
        return next((g for g in answer["items"] if g["metadata"]["name"] == group), None)

    def assertOthersAreServed(self):
        began = time.monotonic()
        self.assertEqual(self.server.get("/api/v1/namespaces/default").status, 200)
        self.assertEqual(self.server.get("/apis").status, 200)
        self.assertEqual(self.server.get("/openapi/v3").status, 200)
        self.assertLess(time.monotonic() - began, 3)


class ProxyTest(AggregationTestCase):
    def test_a_request_is_passed_on_for_its_user(self):
        self.register()
        self.backend.prefixes[FLUNDERS] = lambda r: ext.as_json({"kind": "Flunder", "got": r.body.decode()})
        headers = {"X-Remote-User": "mallory", "X-Remote-Group": "system:masters", "X-Remote-Uid": "7",
                   "X-Remote-Extra-Evil": "yes", "Impersonate-User": "ann",
                   "Impersonate-Group": "dev", "Impersonate-Extra-Example.com%2fteam": "red", "X-Other": "kept"}
        self.allow("ann")
        for method, body in (("POST", '{"a": 1}'), ("PUT", "x" * 200000), ("PATCH", "{}"), ("DELETE", None), ("GET", None)):
            answer = self.server.request(method, FLUNDERS + "/f%20x?b=2&a=1&a=%2F", body, headers=headers)
            self.assertEqual(answer.status, 200, answer)
            self.assertEqual(answer.json()["got"], body or "")
            got_method, path, got, _ = self.backend.seen(FLUNDERS + "/f%20x")[-1]
            self.assertEqual((got_method, path), (method, FLUNDERS + "/f%20x?b=2&a=1&a=%2F"))
            self.assertEqual(got.get_all("X-Remote-User"), ["ann"])
            self.assertEqual(got.get_all("X-Remote-Group"), ["dev", "system:authenticated"])
            self.assertIsNone(got.get_all("X-Remote-Extra-Evil"))
            self.assertIsNone(got.get_all("X-Remote-Uid"))
            self.assertEqual(got["X-Remote-Extra-Example.com%2fteam"], "red")
            self.assertEqual(got["X-Other"], "kept")
            self.assertIsNone(got["Authorization"])
            self.assertIsNone(got["Impersonate-User"])
            self.assertEqual(got["X-Forwarded-Uri"], FLUNDERS + "/f%20x")
        self.assertIn((("commonName", "front-proxy"),), self.backend.peers[-1]["subject"])

    def allow(self, user):
        for path, body in (("clusterroles", {"rules": [{"apiGroups": [ext.GROUP], "resources": ["*"], "verbs": ["*"]}]}),
                           ("clusterrolebindings", {"roleRef": {"apiGroup": "rbac.authorization.k8s.io",
                                                                "kind": "ClusterRole", "name": "wardle"},
                                                    "subjects": [{"kind": "User", "name": user}]})):
            path = f"/apis/rbac.authorization.k8s.io/v1/{path}"
            self.server.post(path, {"metadata": {"name": "wardle"}, **body})
            self.addCleanup(self.server.delete, f"{path}/wardle")

    def test_who_may_not_is_refused_here(self):
        self.register()
        refused = self.server.get(FLUNDERS, headers={"Impersonate-User": "nobody"})
        self.assertStatus(refused, 403, "Forbidden",
                          'flunders.wardle.example.com is forbidden: User "nobody" cannot list resource "flunders"')
        self.assertEqual(self.backend.seen(FLUNDERS), [])
        self.assertEqual(self.server.get(FLUNDERS, client="anonymous").status, 403)

    def test_answers_come_as_they_are(self):
        self.register()
        self.backend.prefixes[FLUNDERS] = ext.Raw(b"\x00\x01", 418, {"Content-Type": "application/x", "X-Own": "1"})
        answer = self.server.get(FLUNDERS)
        self.assertEqual((answer.status, answer.body, answer.headers["X-Own"], answer.headers["Content-Type"]),
                         (418, b"\x00\x01", "1", "application/x"))

    def test_a_watch_is_streamed_and_ends_with_its_client(self):
        self.register()
        ended = []

        def events(handler):
            yield b'{"n": 1}\n'
            n = 2
            while not self.backend.wait_ended(0.05):
                try:
                    yield b'{"n": %d}\n' % n
                except GeneratorExit:
                    ended.append(True)
                    raise
                n += 1
        self.backend.prefixes[FLUNDERS] = ext.stream(events)
        watch = self.server.watch(FLUNDERS + "?watch=true")
        for n in (1, 2, 3):
            self.assertEqual(watch.next()["n"], n)
        watch.close()
        harness.wait_until(lambda: ended, "the backend is told that nobody listens")

    def test_an_upgrade_becomes_a_tunnel(self):
        self.register()
        self.backend.prefixes[FLUNDERS] = ext.echo_upgrade
        for protocol in ("websocket", "SPDY/3.1"):
            connection = self.server.connect()
            connection.connect()
            sock = connection.sock
            sock.sendall((f"POST {FLUNDERS}/f/exec HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: {protocol}\r\n"
                          "X-Remote-User: mallory\r\n\r\n").encode())
            head = b""
            while b"\r\n\r\n" not in head:
                head += sock.recv(1)
            self.assertIn(b" 101 ", head.split(b"\r\n")[0])
            self.assertIn(f"upgrade: {protocol}".lower().encode(), head.lower())
            sock.sendall(b"hello")
            self.assertEqual(sock.recv(5), b"HELLO")
            self.assertEqual(self.backend.seen(f"{FLUNDERS}/f/exec")[-1][2].get_all("X-Remote-User"), ["kubernetes-admin"])
            sock.close()

    def test_redirects_are_refused(self):
        self.register()
        self.backend.prefixes[FLUNDERS] = ext.Raw("", 302, {"Location": "https://example.com/"})
        answer = self.server.get(FLUNDERS)
        self.assertEqual((answer.status, answer.text),
                         (502, "the backend attempted to redirect this request, which is not permitted"))
        self.assertIsNone(answer.headers["Location"])

    def test_an_api_goes_with_its_object(self):
        self.register()
        self.assertEqual(self.server.get(ext.BASE).json()["kind"], "APIResourceList")
        self.server.delete(OBJECT)
        harness.wait_until(lambda: self.server.get(ext.BASE).status == 404, "not served")
        self.assertEqual(self.server.get(ext.BASE).text, "404 page not found\n")
        harness.wait_until(lambda: not self.aggregated(), "not in discovery")
        self.assertEqual(self.server.get(f"/apis/{ext.GROUP}").status, 404)

    def test_the_certificate_is_read_anew(self):
        authority = identity.Authority("other-proxies")
        self.addCleanup(authority.close)
        first, second = self.proxies.issue("/CN=first"), self.proxies.issue("/CN=second")
        current = authority.folder / "current.crt", authority.folder / "current.key"
        for target, source in zip(current, first):
            target.write_bytes(source.read_bytes())
        server = harness.Server("--storage-backend=memory", f"--proxy-client-cert-file={current[0]}",
                                f"--proxy-client-key-file={current[1]}", ready_client="admin")
        self.addCleanup(server.close)
        server.start()
        self.register(server=server)
        self.assertIn((("commonName", "first"),), self.backend.peers[-1]["subject"])
        for target, source in zip(current, second):
            target.write_bytes(source.read_bytes())

        def second_is_used():
            server.get(ext.BASE)
            return (("commonName", "second"),) in self.backend.peers[-1]["subject"]
        harness.wait_until(second_is_used, "the new certificate")


class AvailabilityTest(AggregationTestCase):
    def unavailable(self, reason, message):
        self.assertEqual(self.condition(reason)["message"], message)
        answer = self.server.get(FLUNDERS)
        self.assertEqual((answer.status, answer.text), (503, "service unavailable\n"))

    def test_what_is_missing_is_named(self):
        self.register(available=False, bundle=None)
        self.server.delete("/api/v1/namespaces/default/services/wardle")
        self.unavailable("ServiceNotFound", 'service/wardle in "default" is not present')
        services = "/api/v1/namespaces/default/services"
        self.server.post(services, ext.service(ports=[{"name": "https", "port": 1}]))
        self.unavailable("ServicePortError",
                         f'service/wardle in "default" is not listening on port {self.backend.port}')
        self.server.delete(services + "/wardle")
        self.server.post(services, ext.service(ports=[{"name": "https", "port": self.backend.port}]))
        self.unavailable("EndpointsNotFound", 'cannot find endpointslices for service/wardle in "default"')
        slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices"
        body = {"metadata": {"name": "wardle", "labels": {"kubernetes.io/service-name": "wardle"}}, "addressType": "IPv4",
                "endpoints": [{"addresses": ["192.0.2.1"], "conditions": {"ready": False}}],
                "ports": [{"name": "https", "port": 443}]}
        self.assertEqual(self.server.post(slices, body).status, 201)
        self.addCleanup(self.server.delete, slices + "/wardle")
        self.unavailable("MissingEndpoints", 'endpointslices for service/wardle in "default" have no addresses with '
                                             'port name "https"')
        self.server.delete(services + "/wardle")
        self.server.post(services, ext.service())
        self.condition("Passed")
        metrics = self.server.get("/metrics").text
        self.assertIn('aggregator_unavailable_apiservice{name="v1alpha1.wardle.example.com"} 0\n', metrics)
        self.assertIn('aggregator_unavailable_apiservice{name="v1.apps"} 0\n', metrics)

    def test_a_backend_that_dies_is_noticed_and_one_that_comes_back(self):
        self.register()
        before = self.server.get(OBJECT).json()["metadata"]["resourceVersion"]
        self.backend.close()
        self.server.patch(OBJECT, {"spec": {"versionPriority": 16}})  # it is looked at again
        failed = self.condition("FailedDiscoveryCheck")
        self.assertIn(f"failing or missing response from https://localhost:{self.backend.port}{ext.BASE}: Get ",
                      failed["message"])
        self.assertIn("connect: connection refused", failed["message"])
        self.assertNotEqual(before, self.server.get(OBJECT).json()["metadata"]["resourceVersion"])
        self.assertIn('aggregator_unavailable_apiservice_total{name="v1alpha1.wardle.example.com",'
                      'reason="FailedDiscoveryCheck"} 1\n', self.server.get("/metrics").text)
        self.serve(port=self.backend.port)
        self.condition("Passed")

    def test_local_ones_are_always_available(self):
        found = self.server.get(SERVICES + "/v1.apps").json()["status"]["conditions"][0]
        self.assertEqual((found["status"], found["reason"]), ("True", "Local"))

    def test_backends_are_told_whom_to_believe(self):
        path = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication"
        data = harness.wait_until(lambda: self.found(path), "written")["data"]
        lists = {"requestheader-allowed-names": ["front-proxy"], "requestheader-username-headers": ["X-Remote-User"],
                 "requestheader-group-headers": ["X-Remote-Group"], "requestheader-extra-headers-prefix": ["X-Remote-Extra-"]}
        self.assertEqual({k: json.loads(v) for k, v in data.items() if not k.endswith("-ca-file")}, lists)
        self.assertEqual(data["requestheader-client-ca-file"], self.proxies.certificate.read_text())
        self.assertEqual(data["client-ca-file"], (self.server.data_dir / "pki" / "ca.crt").read_text())
        # What another server added stays; what is not a part of it, and what has expired, goes.
        expired, _ = self.authority.issue_between("/CN=old", "20200101000000Z", "20200102000000Z")
        self.server.patch(path, {"data": {
            "requestheader-allowed-names": '["other"]', "extra": "1",
            "requestheader-client-ca-file": self.authority.certificate.read_text() + expired.read_text()}})

        def combined():
            now = self.found(path)["data"]
            return now if "extra" not in now and "front-proxy" in now["requestheader-allowed-names"] else None
        now = harness.wait_until(combined, "combined")
        self.assertEqual(json.loads(now["requestheader-allowed-names"]), ["other", "front-proxy"])
        self.assertEqual(now["requestheader-client-ca-file"],
                         self.authority.certificate.read_text() + self.proxies.certificate.read_text())
        self.server.delete(path)
        harness.wait_until(lambda: self.found(path), "written again")

    def test_definitions_are_registered_and_go(self):
        group = "registered.example.com"
        crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}
        self.server.post(crds, {"metadata": {"name": f"things.{group}"}, "spec": {
            "group": group, "scope": "Cluster", "names": {"plural": "things", "kind": "Thing"},
            "versions": [version, {**version, "name": "v2", "storage": False}]}})
        for name in ("v1", "v2"):
            made = harness.wait_until(lambda: self.found(f"{SERVICES}/{name}.{group}"), "registered")
            self.assertEqual(made["spec"], {"group": group, "version": name, "groupPriorityMinimum": 1000,
                                            "versionPriority": 100})
            self.assertEqual(made["metadata"]["labels"], {"kube-aggregator.kubernetes.io/automanaged": "true"})
        self.server.delete(f"{SERVICES}/v2.{group}")
        harness.wait_until(lambda: self.found(f"{SERVICES}/v2.{group}"), "registered again")
        self.server.patch(f"{SERVICES}/v1.{group}", {"spec": {"groupPriorityMinimum": 5}})
        harness.wait_until(lambda: self.found(f"{SERVICES}/v1.{group}")["spec"]["groupPriorityMinimum"] == 1000, "reset")
        self.server.delete(f"{crds}/things.{group}")
        for name in ("v1", "v2"):
            harness.wait_until(lambda: not self.found(f"{SERVICES}/{name}.{group}"), "gone")

    def found(self, path):
        answer = self.server.get(path)
        return answer.json() if answer.status == 200 else None


class DiscoveryTest(AggregationTestCase):
    def test_an_aggregated_group_is_in_every_document(self):
        for aggregated in (True, False):
            with self.subTest(aggregated=aggregated):
                self.backend.aggregated = aggregated
                self.register()
                group = harness.wait_until(lambda: (g := self.aggregated()) and g["versions"][0].get("resources") and g,
                                           "resources in discovery")
                version = group["versions"][0]
                self.assertEqual((version["version"], version["freshness"]), (ext.VERSION, "Current"))
                resource = version["resources"][0]
                self.assertEqual((resource["resource"], resource["scope"], resource["verbs"], resource["shortNames"]),
                                 ("flunders", "Namespaced", ext.VERBS, ["fl"]))
                self.assertEqual(resource["subresources"][0]["subresource"], "status")
                listed = self.server.get("/apis").json()["groups"]
                mine = next(g for g in listed if g["name"] == ext.GROUP)
                self.assertEqual(mine, {k: v for k, v in self.server.get(f"/apis/{ext.GROUP}").json().items()
                                        if k not in ("kind", "apiVersion")})
                self.assertEqual(listed[0]["name"], "apiregistration.k8s.io")
                self.doCleanups()
                self.setUp()

    def test_priorities_order_groups(self):
        self.register(priority=(17900, 15))
        names = [g["name"] for g in self.server.get("/apis").json()["groups"]]
        self.assertEqual(names[:3], ["apiregistration.k8s.io", ext.GROUP, "apps"])
        items = self.server.get("/apis", headers={"Accept": ext.V2}).json()["items"]
        self.assertEqual([g["metadata"]["name"] for g in items][:3], names[:3])

    def test_a_group_can_be_local_and_aggregated(self):
        self.register(group="apps", version="v9", available=False)
        harness.wait_until(lambda: len(self.server.get("/apis/apps").json()["versions"]) == 2, "merged")
        self.assertEqual([v["version"] for v in self.server.get("/apis/apps").json()["versions"]], ["v9", "v1"])
        self.assertEqual(self.server.get("/apis/apps/v1/namespaces/default/deployments").status, 200)
        self.assertEqual([v["version"] for v in self.aggregated("apps")["versions"]], ["v9", "v1"])

    def test_what_a_dead_backend_served_is_stale(self):
        self.register()
        fresh = harness.wait_until(lambda: (g := self.aggregated()) and g["versions"][0]["freshness"] == "Current" and g,
                                   "current")
        etag = self.server.get("/apis", headers={"Accept": ext.V2}).headers["ETag"]
        self.assertEqual(self.server.get("/apis", headers={"Accept": ext.V2, "If-None-Match": etag}).status, 304)
        self.backend.close()
        self.server.patch(OBJECT, {"spec": {"versionPriority": 17}})
        stale = harness.wait_until(lambda: (g := self.aggregated())["versions"][0]["freshness"] == "Stale" and g, "stale")
        self.assertEqual(stale["versions"][0]["resources"], fresh["versions"][0]["resources"])
        self.assertNotEqual(self.server.get("/apis", headers={"Accept": ext.V2}).headers["ETag"], etag)
        self.assertOthersAreServed()


class OpenApiTest(AggregationTestCase):
    def test_the_index_names_the_documents_of_backends_and_they_are_passed_on(self):
        key = ext.BASE[1:]
        url = f"/openapi/v3/{key}?hash=AB"
        self.backend.routes["/openapi/v3"] = {"paths": {key: {"serverRelativeURL": url}, "apis/apps/v1": {
            "serverRelativeURL": "/openapi/v3/apis/apps/v1?hash=evil"}}}
        self.backend.routes[f"/openapi/v3/{key}"] = {"openapi": "3.0.0", "own": True}
        self.register()
        harness.wait_until(lambda: self.index().get(key) == {"serverRelativeURL": url}, "in the index")
        self.assertNotIn("evil", self.index()["apis/apps/v1"]["serverRelativeURL"])
        self.assertEqual(self.server.get(url).json(), {"openapi": "3.0.0", "own": True})
        self.backend.close()
        self.server.patch(OBJECT, {"spec": {"versionPriority": 18}})
        self.condition("FailedDiscoveryCheck")
        self.assertIn(key, self.index())
        self.assertEqual(self.server.get(url).status, 503)
        self.server.delete(OBJECT)
        harness.wait_until(lambda: key not in self.index(), "gone")

    def index(self):
        return self.server.get("/openapi/v3").json()["paths"]

    def test_v2_has_what_backends_describe(self):
        path = ext.BASE + "/flunders"
        metadata = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
        flunder = {"type": "object", "description": "A flunder.",
                   "properties": {"metadata": {"$ref": f"#/definitions/{metadata}"}},
                   "x-kubernetes-group-version-kind": [{"group": ext.GROUP, "kind": "Flunder", "version": ext.VERSION}]}
        document = {"swagger": "2.0", "info": {"title": "Wardle", "version": "1"},
                    "parameters": {"pretty-x": {"in": "query", "name": "pretty", "type": "string"}},
                    "paths": {path: {"parameters": [{"$ref": "#/parameters/pretty-x"}],
                                     "get": {"responses": {"200": {"schema": {"$ref": "#/definitions/Flunder"}}}}},
                              "/api/v1/pods": {"get": {"operationId": "evil"}}, "/wardle": {"get": {}}},
                    "definitions": {"Flunder": flunder, metadata: {"type": "object", "description": "Of wardle."}}}
        self.backend.routes["/openapi/v2"] = lambda request: (
            ext.Raw("", 304) if request.headers.get("If-None-Match") == '"7"' else ext.as_json(document, ETag='"7"'))
        before = self.server.get("/openapi/v2").headers["ETag"]
        self.register()
        merged = harness.wait_until(lambda: (d := self.server.get("/openapi/v2").json()) and path in d["paths"] and d,
                                    "in the document")
        self.assertEqual(merged["paths"][path]["parameters"], [document["parameters"]["pretty-x"]])
        self.assertNotIn("/wardle", merged["paths"])
        self.assertNotEqual(merged["paths"]["/api/v1/pods"]["get"]["operationId"], "evil")
        renamed = {"$ref": f"#/definitions/{metadata}_v2"}
        self.assertEqual(merged["definitions"]["Flunder"], {**flunder, "properties": {"metadata": renamed}})
        self.assertEqual(merged["definitions"][metadata + "_v2"], document["definitions"][metadata])
        answer = self.server.get("/openapi/v2")
        self.assertNotEqual(answer.headers["ETag"], before)
        protobuf = self.server.get("/openapi/v2", headers={
            "Accept": "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"})
        self.assertIn(path.encode(), protobuf.body)
        self.assertEqual(protobuf.headers["ETag"], answer.headers["ETag"])
        # The same document is not sent again, and stays while the backend is away.
        asked = len(self.backend.seen("/openapi/v2"))
        self.server.patch(OBJECT, {"spec": {"versionPriority": 16}})
        harness.wait_until(lambda: len(self.backend.seen("/openapi/v2")) > asked, "asked again")
        self.assertEqual(self.backend.seen("/openapi/v2")[-1][2]["If-None-Match"], '"7"')
        self.backend.close()
        self.server.patch(OBJECT, {"spec": {"versionPriority": 18}})
        self.condition("FailedDiscoveryCheck")
        self.assertEqual(self.server.get("/openapi/v2").headers["ETag"], answer.headers["ETag"])
        self.assertOthersAreServed()
        self.server.delete(OBJECT)
        harness.wait_until(lambda: self.server.get("/openapi/v2").headers["ETag"] == before, "gone")

    def test_documents_that_cannot_be_used_change_nothing(self):
        before = self.server.get("/openapi/v2").headers["ETag"]
        path = ext.BASE + "/flunders"
        for bad in (ext.Raw("{"), ext.Raw("[" * 100000), {"swagger": "2.0", "paths": {path: 7}},
                    {"swagger": "2.0", "paths": {path: {"get": {"schema": {"$ref": "#/definitions/None"}}}}},
                    ext.Raw(b"x" * (9 << 20)), ext.RESET):
            self.backend.routes["/openapi/v2"] = bad
            asked = len(self.backend.seen("/openapi/v2"))
            self.register()
            harness.wait_until(lambda: len(self.backend.seen("/openapi/v2")) > asked + 1, "asked, and again")
            self.assertEqual(self.server.get("/openapi/v2").headers["ETag"], before)
            self.assertOthersAreServed()
            self.doCleanups()
            self.setUp()


class Flunders:
    """Flunders that a backend keeps, as far as controllers use them."""

    def __init__(self, backend):
        self.objects, self._backend = {}, backend
        backend.prefixes[ext.BASE + "/"] = self._answer

    def put(self, namespace, name, **metadata):
        self.objects[namespace, name] = {"kind": "Flunder", "metadata": {
            "name": name, "namespace": namespace, "uid": f"uid-{name}", "resourceVersion": "1", **metadata}}
        return {"apiVersion": f"{ext.GROUP}/{ext.VERSION}", "kind": "Flunder", "name": name, "uid": f"uid-{name}"}

    def _answer(self, request):
        parts = request.path.partition("?")[0].removeprefix(ext.BASE + "/").split("/")
        namespace = parts[1] if parts[0] == "namespaces" else None
        name = parts[3] if len(parts) == 4 else None
        if name is None:
            return ext.as_json({"kind": "FlunderList", "metadata": {"resourceVersion": "1"}, "items": [
                o for (ns, _), o in sorted(self.objects.items()) if namespace in (None, ns)]})
        found = self.objects.get((namespace, name))
        if not found:
            return ext.Raw(json.dumps({"kind": "Status", "code": 404, "message": "no such flunder"}), 404)
        if request.command == "DELETE":
            del self.objects[namespace, name]
        if request.command == "PATCH":
            found["metadata"].update(json.loads(request.body)["metadata"])
        return ext.as_json(found)


class ControllersTest(AggregationTestCase):
    def setUp(self):
        super().setUp()
        self.flunders = Flunders(self.backend)

    def test_a_namespace_goes_with_what_backends_have_in_it(self):
        self.register()
        self.current()
        self.server.post("/api/v1/namespaces", {"metadata": {"name": "full"}})
        self.flunders.put("full", "a")
        self.flunders.put("default", "b")
        self.server.delete("/api/v1/namespaces/full")
        harness.wait_until(lambda: self.server.get("/api/v1/namespaces/full").status == 404, "gone", seconds=60)
        self.assertEqual(list(self.flunders.objects), [("default", "b")])
        deletion = next(r for r in self.backend.requests if r[0] == "DELETE")
        self.assertEqual(deletion[2]["X-Remote-User"], "system:serviceaccount:kube-system:namespace-controller")

    def test_a_namespace_stays_while_a_backend_is_away(self):
        self.register()
        self.current()
        self.server.post("/api/v1/namespaces", {"metadata": {"name": "held"}})
        self.backend.close()
        self.server.patch(OBJECT, {"spec": {"versionPriority": 19}})
        harness.wait_until(lambda: self.aggregated()["versions"][0]["freshness"] == "Stale", "stale")
        self.server.delete("/api/v1/namespaces/held")

        def failure():
            conditions = self.server.get("/api/v1/namespaces/held").json()["status"].get("conditions", [])
            return next((c for c in conditions if c["type"] == "NamespaceDeletionDiscoveryFailure" and
                         c["status"] == "True"), None)
        version = f"{ext.GROUP}/{ext.VERSION}"
        self.assertEqual(harness.wait_until(failure, "a condition", seconds=60)["message"],
                         "Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server "
                         f"APIs: {version}: stale GroupVersion discovery: {version}")
        self.server.delete(OBJECT)
        harness.wait_until(lambda: self.server.get("/api/v1/namespaces/held").status == 404, "gone", seconds=60)

    def test_dependents_are_collected_across_servers(self):
        self.register()
        self.current()
        maps = "/api/v1/namespaces/default/configmaps"
        owner = self.server.post(maps, {"metadata": {"name": "owner"}}).json()["metadata"]
        self.addCleanup(self.server.delete, maps + "/owner")
        self.flunders.put("default", "child", ownerReferences=[
            {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["uid"]}])
        reference = self.flunders.put("default", "parent")
        made = self.server.post(maps, {"metadata": {"name": "dependent", "ownerReferences": [reference]}})
        self.assertEqual(made.status, 201, made)
        lost = {**reference, "name": "lost", "uid": "lost"}
        self.server.post(maps, {"metadata": {"name": "lost", "ownerReferences": [lost]}})
        harness.wait_until(lambda: self.server.get(maps + "/lost").status == 404, "without an owner", seconds=60)
        self.assertEqual(self.server.get(maps + "/dependent").status, 200)
        self.assertIn(("default", "child"), self.flunders.objects)
        self.server.delete(maps + "/owner")
        harness.wait_until(lambda: ("default", "child") not in self.flunders.objects, "collected there", seconds=60)
        del self.flunders.objects["default", "parent"]
        harness.wait_until(lambda: self.server.get(maps + "/dependent").status == 404, "collected here", seconds=60)

    def test_a_backend_that_is_away_holds_up_no_other_collection(self):
        self.register()
        self.current()
        reference = self.flunders.put("default", "parent")
        self.backend.prefixes[ext.BASE + "/"] = ext.HANG
        maps = "/api/v1/namespaces/default/configmaps"
        self.server.post(maps, {"metadata": {"name": "held", "ownerReferences": [reference]}})
        self.addCleanup(self.server.delete, maps + "/held")
        lost = {"apiVersion": "v1", "kind": "ConfigMap", "name": "none", "uid": "none"}
        self.server.post(maps, {"metadata": {"name": "lost", "ownerReferences": [lost]}})
        harness.wait_until(lambda: self.server.get(maps + "/lost").status == 404, "collected")
        self.assertEqual(self.server.get(maps + "/held").status, 200)

    def current(self):
        """Controllers know what the backend serves."""
        harness.wait_until(lambda: (g := self.aggregated()) and g["versions"][0]["freshness"] == "Current", "current")


class FaultsTest(AggregationTestCase):
    """Each shows that requests for other things are answered meanwhile."""

    def failing(self, route):
        self.backend.routes["/apis"] = self.backend.routes[ext.BASE] = route
        self.register(available=False)

    def test_a_backend_that_hangs(self):
        self.failing(ext.HANG)
        harness.wait_until(lambda: self.backend.requests, "asked")
        self.assertOthersAreServed()
        self.assertEqual(self.aggregated()["versions"], [{"version": ext.VERSION, "freshness": "Stale"}])
        failed = self.condition("FailedDiscoveryCheck")["message"]
        self.assertIn("context deadline exceeded (Client.Timeout exceeded while awaiting headers)", failed)

    def test_a_backend_that_hangs_in_a_request_holds_only_that(self):
        self.register()
        self.backend.prefixes[FLUNDERS] = ext.HANG
        answer = self.server.get(FLUNDERS + "?timeout=1s")
        self.assertStatus(answer, 504, "Timeout", "request did not complete within the allotted timeout")
        self.assertOthersAreServed()

    def test_a_backend_that_resets(self):
        self.failing(ext.RESET)
        self.condition("FailedDiscoveryCheck")
        self.assertOthersAreServed()

    def test_a_reset_in_a_request_is_told(self):
        self.register()
        self.backend.prefixes[FLUNDERS] = ext.RESET
        answer = self.server.get(FLUNDERS)
        self.assertEqual(answer.status, 503)
        self.assertTrue(answer.text.startswith("error trying to reach service: "), answer)
        self.assertOthersAreServed()

    def test_an_answer_that_breaks_off_is_no_whole_one(self):
        def half(handler):
            handler.send_response(200)
            handler.send_header("Content-Length", "1000")
            handler.end_headers()
            handler.wfile.write(b"half")
            handler.close_connection = True
        self.register()
        self.backend.prefixes[FLUNDERS] = half
        with self.assertRaises(Exception):
            self.server.get(FLUNDERS)
        self.assertOthersAreServed()

    def test_garbage_for_discovery(self):
        for body in ("garbage", "[]", "{}", '{"kind":"APIGroupDiscoveryList","items":[{"versions":7}]}'):
            with self.subTest(body=body):
                self.backend.routes["/apis"] = ext.Raw(body, headers={"Content-Type": ext.V2})
                self.register()
                harness.wait_until(lambda: self.aggregated(), "in discovery")
                self.assertEqual(self.aggregated()["versions"], [{"version": ext.VERSION, "freshness": "Stale"}])
                self.assertOthersAreServed()
                self.doCleanups()
                self.setUp()

    def test_more_discovery_than_is_read(self):
        resource = {"resource": "x" * 1000, "scope": "Cluster", "singularResource": "", "verbs": []}
        body = json.dumps(ext.discovery_list(extra=[resource] * 10000))
        self.assertGreater(len(body), 10 << 20)
        self.backend.routes["/apis"] = ext.Raw(body, headers={"Content-Type": ext.V2})
        self.register()
        harness.wait_until(lambda: self.aggregated(), "in discovery")
        self.assertEqual(self.aggregated()["versions"], [{"version": ext.VERSION, "freshness": "Stale"}])
        self.assertOthersAreServed()

    def test_a_certificate_of_another(self):
        self.register(self.serve(names="DNS:other.default.svc"), available=False)
        failed = self.condition("FailedDiscoveryCheck")["message"]
        self.assertIn("tls: failed to verify certificate: x509:", failed)
        self.assertEqual(self.server.get(FLUNDERS).status, 503)
        self.assertOthersAreServed()

    def test_an_expired_certificate(self):
        expired = self.authority.issue_between("/CN=wardle", "20200101000000Z", "20200102000000Z", "serverAuth",
                                               "DNS:wardle.default.svc")
        self.register(self.serve(certificate=expired), available=False)
        self.assertIn("certificate has expired", self.condition("FailedDiscoveryCheck")["message"])
        self.assertOthersAreServed()

    def test_a_redirect_of_discovery_is_not_followed(self):
        self.failing(ext.Raw("", 302, {"Location": f"https://localhost:{self.backend.port}/elsewhere"}))
        self.assertIn("bad status from", self.condition("FailedDiscoveryCheck")["message"])
        self.assertEqual([r for r in self.backend.requests if r[1] == "/elsewhere"], [])
        self.assertOthersAreServed()


if __name__ == "__main__":
    unittest.main()
