"""Public vulnerabilities of kube-apiserver, by their names: none of them is here. docs/security.md lists them all.

Tests of flaws in NodeRestriction and DenyServiceExternalIPs are in cve_plugins_test.py, of secrets in logs in
secrets_test.py.
"""

import http.client
import json
import tempfile
import unittest

import harness
import identity
import kubelet_test

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
RBAC = "/apis/rbac.authorization.k8s.io/v1"


def definition(plural, kind, scope, group="cve.example"):
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.{group}"},
            "spec": {"group": group, "scope": scope, "names": {"plural": plural, "kind": kind},
                     "versions": [{"name": "v1", "served": True, "storage": True,
                                   "schema": {"openAPIV3Schema": schema}}]}}


class ProxyTest(kubelet_test.Case):
    """Whoever is asked on behalf of a client decides neither who is asked next nor what the client may send."""

    backends = ("--allow-loopback-backends",)
    EXEC, ATTACH, FORWARD = "p/exec?command=sh", "p/attach?stdout=1", "p/portforward?ports=80"
    PATHS = {EXEC: "/exec/default/p/c", ATTACH: "/attach/default/p/c", FORWARD: "/portForward/default/p"}

    def backend(self):
        backend = kubelet_test.serve()
        self.addCleanup(backend.server_close)
        self.addCleanup(backend.shutdown)
        return backend

    def pod_proxy(self):
        backend = self.backend()
        ip = {"status": {"podIP": "127.0.0.1", "podIPs": [{"ip": "127.0.0.1"}]}}
        self.assertEqual(self.server.patch("/api/v1/namespaces/default/pods/p/status", ip).status, 200)
        return backend, f"http:p:{backend.server_address[1]}/proxy"

    def test_cve_2018_1002105_a_refused_upgrade_leaves_no_tunnel(self):
        backend, proxy = self.pod_proxy()
        for status in ("400 Bad Request", "403 Forbidden", "500 Internal Server Error", "200 OK"):
            refusal = kubelet_test.Raw(f"HTTP/1.1 {status}\r\nContent-Length: 2\r\n\r\nno".encode(), hold=True)
            for path, where, server in ((self.EXEC, self.PATHS[self.EXEC], self.kubelet.server),
                                        (self.ATTACH, self.PATHS[self.ATTACH], self.kubelet.server),
                                        (self.FORWARD, self.PATHS[self.FORWARD], self.kubelet.server),
                                        (proxy + "/x", "/x", backend)):
                with self.subTest(status=status, path=path):
                    server.answers[where] = refusal
                    server.ended.clear()
                    stream, head = self.open(path)
                    self.assertNotIn(" 101 ", head)
                    try:
                        stream.write(b"GET /runningpods/ HTTP/1.1\r\nHost: kubelet\r\n\r\n")
                    except OSError:
                        pass  # it has been closed, which is as good
                    harness.wait_until(lambda: server.ended, "the backend's connection ends")
                    self.assertEqual(server.heard, [])

    def test_cve_2020_8559_and_cve_2018_1002102_redirects_of_kubelets_are_not_followed(self):
        other = self.backend()
        location = f"http://127.0.0.1:{other.server_address[1]}/stolen"
        for status in (301, 302, 303, 307, 308):
            answer = kubelet_test.Raw(f"HTTP/1.1 {status} Elsewhere\r\nLocation: {location}\r\n"
                                      f"Content-Length: 0\r\n\r\n".encode())
            for path, where in self.PATHS.items():
                self.kubelet.server.answers[where] = answer
                _, head = self.open(path)
                self.assertTrue(head.startswith("HTTP/1.1 500 "), (path, head))
                self.assertNotIn("stolen", head)
            self.kubelet.server.answers["/containerLogs/default/p/c"] = answer
            self.assertRefused(self.pod("p/log"), 500, "redirects forbidden")
        self.assertEqual(other.seen, [])

    def test_a_redirect_of_a_pod_is_for_the_client_and_leads_through_the_proxy(self):
        backend, proxy = self.pod_proxy()
        prefix = "/api/v1/namespaces/default/pods/" + proxy
        for said, told in (("/login?a=b", prefix + "/login?a=b"), ("https://evil.example/x", "https://evil.example/x"),
                           (f"http://127.0.0.1:{backend.server_address[1]}/y/", prefix + "/y/")):
            backend.answers["/x"] = (302, b"", {"Location": said, "Access-Control-Allow-Origin": "*",
                                                "Connection": "X-Hop", "X-Hop": "1", "X-Kept": "2"})
            got = self.pod(proxy + "/x")
            self.assertEqual((got.status, got.headers["Location"]), (302, told))
            self.assertEqual([got.headers[name] for name in ("Access-Control-Allow-Origin", "X-Hop", "X-Kept")],
                             [None, None, "2"])
        self.assertEqual([path for _, path, _ in backend.seen], ["/x"] * 3)
        headers = {name.lower(): value for name, value in backend.seen[0][2].items()}
        self.assertEqual((headers["x-forwarded-uri"], headers["x-forwarded-for"]), (prefix + "/x", "127.0.0.1"))

    def test_who_the_client_is_ends_here(self):
        backend, proxy = self.pod_proxy()
        sent = {"Authorization": "Basic c2VjcmV0", "Proxy-Authorization": "Basic c2VjcmV0",
                "X-Remote-User": "secret", "X-Remote-Group": "secret", "X-Remote-Uid": "secret",
                "X-Remote-Extra-A": "secret", "Impersonate-User": "secret", "Impersonate-Group": "system:masters",
                "Impersonate-Extra-A": "secret", "X-Kept": "2"}
        # An administrator may act as anybody.
        self.assertEqual(self.server.get("/api/v1/namespaces/default/pods/" + proxy + "/x", headers=sent).status, 404)
        node = f"/api/v1/nodes/near:{self.kubelet.port}/proxy/x"
        self.assertEqual(self.server.get(node, headers=sent).status, 404)
        for server in (backend, self.kubelet.server):
            headers = str(server.seen[0][2])
            self.assertIn("X-Kept", {name.title() for name in server.seen[0][2]})
            for secret in ("secret", "c2VjcmV0", "system:masters"):
                self.assertNotIn(secret, headers)

    def test_cve_2021_25740_endpoints_lead_only_to_pods_of_their_namespace(self):
        backend, _ = self.pod_proxy()
        port = backend.server_address[1]
        self.assertEqual(self.server.post("/api/v1/namespaces", {"metadata": {"name": "tenant"}}).status, 201)
        services, endpoints = "/api/v1/namespaces/tenant/services", "/api/v1/namespaces/tenant/endpoints"
        self.assertEqual(self.server.post(services, {"metadata": {"name": "s"}, "spec": {"ports": [{"port": 80}]}}).status, 201)
        pod = {"kind": "Pod", "namespace": "default", "name": "p"}
        for address in ({"ip": "10.0.0.9"}, {"ip": "10.0.0.9", "targetRef": pod},
                        {"ip": "10.0.0.9", "targetRef": {**pod, "namespace": "tenant"}}):
            made = {"metadata": {"name": "s"}, "subsets": [{"addresses": [address], "ports": [{"port": port}]}]}
            self.server.delete(endpoints + "/s")
            self.assertEqual(self.server.post(endpoints, made).status, 201)
            self.assertRefused(self.server.get(services + "/s:80/proxy/x"), 503, "no endpoints available")
        self.assertEqual(backend.seen, [])

    def test_cve_2021_25740_editors_do_not_write_endpoints(self):
        for role in ("system:aggregate-to-edit", "edit", "admin"):
            for rule in self.server.get(f"{RBAC}/clusterroles/{role}").json()["rules"] or ():
                if {"endpoints", "endpointslices"} & set(rule.get("resources", ())):
                    self.assertLessEqual(set(rule["verbs"]), {"get", "list", "watch"}, (role, rule))


class ControlPlaneTest(kubelet_test.Case):
    """Nobody reaches what listens on the server's own machine by writing addresses."""

    def set_address(self, kind, address):
        status = {"addresses": [{"type": kind, "address": address}]}
        self.assertEqual(self.server.patch("/api/v1/nodes/near/status", {"status": status}).status, 200)

    def test_cve_2022_3294_node_addresses_are_checked(self):
        for address in ("127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "0.0.0.0", "::", "169.254.169.254",
                        "fe80::1", "224.0.0.1", "255.255.255.255"):
            self.set_address("InternalIP", address)
            for path in ("/api/v1/nodes/near/proxy/", f"/api/v1/nodes/near:{self.kubelet.port}/proxy/x",
                         "/api/v1/nodes/near:6443/proxy/x", "/api/v1/nodes/https:near:6443/proxy/x",
                         "/api/v1/namespaces/default/pods/p/log"):
                with self.subTest(address=address, path=path):
                    self.assertRefused(self.server.get(path), 400, "address not allowed")
        self.assertEqual(self.kubelet.server.seen, [])

    def test_cve_2020_8562_names_are_checked_by_what_they_resolve_to(self):
        for name in ("localhost", "LOCALHOST"):
            self.set_address("Hostname", name)
            for path in ("/api/v1/nodes/near/proxy/", "/api/v1/nodes/near:80/proxy/x",
                         "/api/v1/namespaces/default/pods/p/log"):
                self.assertRefused(self.server.get(path), 400, "address not allowed")
        self.assertEqual(self.kubelet.server.seen, [])


class WebhookTest(unittest.TestCase):
    def test_cve_2020_8561_a_webhook_chooses_neither_who_is_asked_next_nor_what_is_logged(self):
        authority = identity.Authority("hook-ca")
        self.addCleanup(authority.close)
        folder = tempfile.TemporaryDirectory(prefix="keelson-cve-")
        self.addCleanup(folder.cleanup)
        hook = identity.TokenWebhook(authority)
        self.addCleanup(hook.close)
        hook.routes["/authn"] = lambda *_: (302, "BODY-OF-THE-HOOK")
        hook.routes["/elsewhere"] = lambda *_: (200, "BODY-OF-ANOTHER")
        server = harness.Server("--storage-backend=memory", "-v=10", "--authentication-token-webhook-config-file="
                                f"{hook.kubeconfig(folder.name, authority.certificate)}", ready_client="admin")
        self.addCleanup(server.close)
        server.start()
        review = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": {"token": "x"}}
        answers = [server.post("/apis/authentication.k8s.io/v1/tokenreviews", review).text,
                   server.get("/api", headers={"Authorization": "Bearer x"}, client="anonymous").text]
        self.assertEqual({path.partition("?")[0] for path, _, _ in hook.requests}, {"/authn"})
        for text in (*answers, server.log()):
            self.assertNotIn("BODY-OF", text)


class CustomResourceTest(harness.ServerTestCase):
    @classmethod
    def setUpClass(cls):
        tokens = tempfile.NamedTemporaryFile("w", suffix=".csv")
        cls.addClassCleanup(tokens.close)
        tokens.write("tenant-token,tenant,1\n")
        tokens.flush()
        cls.server_args = ("--storage-backend=memory", f"--token-auth-file={tokens.name}")
        super().setUpClass()
        for made in (definition("globals", "Global", "Cluster"), definition("locals", "Local", "Namespaced"),
                     definition("hidden", "Hidden", "Namespaced")):
            assert cls.server.post(CRDS, made).status == 201
        base = "/apis/cve.example/v1"
        for path, kind in ((base + "/globals", "Global"), (base + "/namespaces/default/locals", "Local"),
                           (base + "/namespaces/default/hidden", "Hidden")):
            harness.wait_until(lambda path=path: cls.server.get(path).status == 200, f"{path} is served")
            made = {"apiVersion": "cve.example/v1", "kind": kind, "metadata": {"name": "one"}, "data": "SECRET-DATA"}
            assert cls.server.post(path, made).status == 201
        rule = {"verbs": ["*"], "apiGroups": ["cve.example"], "resources": ["globals", "locals"]}
        subject = {"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "tenant"}
        for kind, body in (("roles", {"rules": [rule]}),
                           ("rolebindings", {"subjects": [subject], "roleRef": {
                               "apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "tenant"}})):
            made = cls.server.post(f"{RBAC}/namespaces/default/{kind}", {"metadata": {"name": "tenant"}, **body})
            assert made.status == 201, made

    def raw(self, method, target, body=None):
        """A request whose target is sent as it is, by the tenant."""
        connection = self.server.connect("anonymous")
        try:
            connection.putrequest(method, target, skip_accept_encoding=True)
            connection.putheader("Authorization", "Bearer tenant-token")
            data = json.dumps(body).encode() if body else b""
            connection.putheader("Content-Type", "application/json")
            connection.putheader("Content-Length", str(len(data)))
            connection.endheaders(data)
            answer = connection.getresponse()
            return harness.Response(answer.status, answer.headers, answer.read())
        finally:
            connection.close()

    def test_the_tenant_works_in_its_namespace(self):
        self.assertIn("SECRET-DATA", self.raw("GET", "/apis/cve.example/v1/namespaces/default/locals/one").text)

    def test_cve_2019_11247_a_scope_has_one_path(self):
        base = "/apis/cve.example/v1"
        new = {"apiVersion": "cve.example/v1", "kind": "Global", "metadata": {"name": "two"}}
        for method, path, body in (
                ("GET", "/namespaces/default/globals", None), ("GET", "/namespaces/default/globals/one", None),
                ("GET", "/namespaces/default/globals?watch=1&timeoutSeconds=1", None),
                ("POST", "/namespaces/default/globals", new), ("PUT", "/namespaces/default/globals/one", new),
                ("DELETE", "/namespaces/default/globals/one", None), ("DELETE", "/namespaces/default/globals", None),
                ("GET", "/namespaces/default/globals/one/status", None)):
            got = self.raw(method, base + path, body)
            # The tenant has no right to a status, wherever it is.
            self.assertEqual(got.status, 403 if path.endswith("status") else 404, (method, path, got))
        # Neither does the path of the cluster name an object of a namespace.
        for method, path in (("GET", "/locals/one"), ("DELETE", "/locals/one"), ("PUT", "/locals/one")):
            self.assertIn(self.server.request(method, base + path, {} if method == "PUT" else None).status, (404, 405))
        self.assertEqual(self.server.get(base + "/globals/one").status, 200)
        self.assertEqual(self.server.get(base + "/globals/two").status, 404)

    def test_cve_2022_3162_names_lead_nowhere_else(self):
        base = "/apis/cve.example/v1"
        up = ("..", "%2e%2e", "%2E.", ".%2e")
        targets = [f"{base}/namespaces/default/locals/{dots}{slash}hidden{slash}one" for dots in up
                   for slash in ("/", "%2f", "%2F", "%5c")]
        targets += [f"{base}/namespaces/default{slash}..{slash}default/hidden" for slash in ("/", "%2f")]
        targets += [f"{base}/namespaces/{dots}/hidden" for dots in up]
        targets += [f"{base}/namespaces/default/locals/..%2fhidden%2fdefault%2fone",
                    f"{base}/namespaces/default/locals/..%2f..%2fhidden%2fdefault%2fone",
                    f"{base}/namespaces/..%2fhidden%2fdefault/locals", f"{base}/namespaces/..%2f..%2f..%2fsecrets/locals",
                    f"{base}/namespaces/default%2f..%2f..%2fhidden/locals", f"{base}/namespaces/./locals",
                    f"{base}/namespaces/default/locals/.", f"{base}//namespaces//default//hidden//one",
                    f"{base}/namespaces/default/locals?fieldSelector=metadata.name%3D..%2fhidden",
                    f"{base}/namespaces/default/locals?fieldSelector=metadata.namespace%3D..%2f..%2fhidden"]
        for target in targets:
            for method in ("GET", "DELETE"):
                with self.subTest(target=target, method=method):
                    got = self.raw(method, target)
                    self.assertNotIn("SECRET-DATA", got.text)
                    if "?" not in target:
                        self.assertGreaterEqual(got.status, 300, got)
        self.assertEqual(self.server.get(f"{base}/namespaces/default/hidden/one").status, 200)
        self.assertEqual(self.server.get(f"{base}/namespaces/default/locals/one").status, 200)


class CostTest(harness.ServerTestCase):
    """What a small request may cost."""

    def assertRefusedAlive(self, respond, codes):
        got = respond()  # the bombs would take minutes or all memory: the request would time out
        self.assertIn(got.status, codes, got)
        self.assertEqual(self.server.get("/readyz", client="anonymous").status, 200)

    def test_cve_2019_11253_and_cve_2019_11254_bombs_in_yaml(self):
        laughs = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
            f"{name}: &{name} [{','.join(['*' + chr(ord(name) - 1)] * 9)}]\n" for name in "bcdefghij")
        nested = "[" * 200_000
        lists = "- " * 200_000 + "x"
        pairs = "".join(f"? {'?' * 2000}\n" for _ in range(50))
        for body in (laughs, nested, lists, pairs, "{" * 100_000, "!" * 500_000, "a: " * 200_000, "&a " * 200_000):
            self.assertRefusedAlive(lambda body=body: self.server.post(
                "/api/v1/namespaces/default/configmaps", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata:\n  " + body,
                headers={"Content-Type": "application/yaml"}), (400, 413, 422))

    def test_cve_2019_11253_bombs_in_json(self):
        for body in ("[" * 1_000_000, '{"a":' * 500_000, '{"metadata":{"annotations":' + "[" * 1_000_000):
            self.assertRefusedAlive(lambda body=body: self.server.post(
                "/api/v1/namespaces/default/configmaps", body, headers={"Content-Type": "application/json"}), (400, 413))

    def test_cve_2019_1002100_json_patches_that_grow(self):
        made = {"metadata": {"name": "patched"}, "data": {"a": "x" * 1000}}
        self.assertEqual(self.server.post("/api/v1/namespaces/default/configmaps", made).status, 201)
        path = "/api/v1/namespaces/default/configmaps/patched"
        doubling = [{"op": "copy", "from": "/data", "path": f"/data/k{i}"} for i in range(60)]
        many = [{"op": "add", "path": "/metadata/labels", "value": {}}] * 10_001
        for patch in (doubling, many):
            self.assertRefusedAlive(lambda patch=patch: self.server.patch(path, patch, "application/json-patch+json"),
                             (400, 413, 422))
        self.assertEqual(self.server.get(path).json()["data"], made["data"])

    def test_cve_2020_8552_and_cve_2022_21698_requests_do_not_become_metrics(self):
        def size():
            return len(self.server.get("/metrics").body)
        for warm in ("/apis/x0.example/v1/things", "/api/v1/namespaces/default/pods?a=0", "/x/0"):
            self.server.request("GET", warm)
            self.server.request("BREW0", warm)
        before = size()
        for i in range(1, 200):
            for method in ("GET", f"BREW{i}"):
                self.server.request(method, f"/apis/x{i}.example/v{i}/namespaces/n{i}/things{i}/name{i}/sub{i}")
                self.server.request(method, f"/x/{i}")
        self.assertLess(size() - before, 20_000)
        self.assertNotIn("BREW1", self.server.get("/metrics").text)
        self.assertNotIn("x199.example", self.server.get("/metrics").text)

    def test_cve_2021_3121_protobuf_that_lies_about_its_lengths(self):
        media = "application/vnd.kubernetes.protobuf"
        for tail in (b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f", b"\x0a\xff\xff\xff\xff\x07", b"\x0b" * 100_000,
                     b"\x0a\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", b"\x12\xff\xff\xff\xff\x0fx", b"\x0c"):
            self.assertRefusedAlive(lambda tail=tail: self.server.post(
                "/api/v1/namespaces/default/configmaps", b"k8s\x00" + tail, headers={"Content-Type": media}), (400, 415))

    def test_cve_2019_16276_a_head_is_read_in_one_way(self):
        for line in (b"Transfer-Encoding : chunked", b"Content-Length : 5", b"Content-Length: 5\r\nContent-Length: 6",
                     b"Content-Length: +5", b"Transfer-Encoding: chunked\r\nContent-Length: 5", b" Folded: x",
                     b"Transfer-Encoding: chunked, identity", b"Transfer-Encoding: xchunked"):
            with self.subTest(line=line):
                connection = self.server.connect("anonymous")
                connection.connect()
                connection.sock.sendall(b"POST /api HTTP/1.1\r\nHost: x\r\n" + line +
                                        b"\r\n\r\n0\r\n\r\nGET /version HTTP/1.1\r\nHost: x\r\n\r\n")
                answer = http.client.HTTPResponse(connection.sock)
                answer.begin()
                answer.read()
                self.assertIn(answer.status, (400, 501))
                self.assertEqual(connection.sock.recv(1), b"", "the connection ends, whatever followed")
                connection.close()


class AddressTest(harness.ServerTestCase):
    def test_cve_2021_25737_endpoints_are_not_on_the_node_itself(self):
        for address in ("127.0.0.1", "169.254.169.254", "0.0.0.0", "224.0.0.1", "::1", "fe80::1", "ff02::1",
                        "::ffff:127.0.0.1"):
            kind = "IPv6" if ":" in address else "IPv4"
            made = {"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "metadata": {"name": "s"},
                    "addressType": kind, "endpoints": [{"addresses": [address]}], "ports": []}
            got = self.server.post("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", made)
            self.assertEqual(got.status, 422, (address, got))
            made = {"metadata": {"name": "e"}, "subsets": [{"addresses": [{"ip": address}], "ports": [{"port": 80}]}]}
            got = self.server.post("/api/v1/namespaces/default/endpoints", made)
            self.assertEqual(got.status, 422, (address, got))


class AdmissionTest(harness.ServerTestCase):
    server_args = ("--storage-backend=memory", "--controllers=serviceaccount-controller,namespace-controller")

    def test_cve_2021_25735_admission_sees_a_node_as_it_was(self):
        policies = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolic"
        rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["UPDATE"], "resources": ["nodes", "nodes/status"]}
        unchanged = " && ".join(f"object.?{field} == oldObject.?{field}" for field in (
            "metadata.labels", "spec.unschedulable", "spec.taints", "spec.podCIDR", "spec.providerID", "status.capacity"))
        policy = {"metadata": {"name": "locked"}, "spec": {
            "matchConstraints": {"resourceRules": [rule]},
            "validations": [{"expression": f"!has(oldObject.metadata.labels) || !('locked' in oldObject.metadata.labels) || ({unchanged})",
                             "message": "the node is locked"}]}}
        made = self.server.post(policies + "ies", policy)
        self.assertEqual(made.status, 201, made)
        binding = {"metadata": {"name": "locked"}, "spec": {"policyName": "locked", "validationActions": ["Deny"]}}
        made = self.server.post(policies + "ybindings", binding)
        self.assertEqual(made.status, 201, made)
        nodes = "/api/v1/nodes"
        self.assertEqual(self.server.post(nodes, {"metadata": {"name": "n", "labels": {"locked": "1"}}}).status, 201)
        def refused(response):
            return response.status == 422 and "the node is locked" in response.text
        harness.wait_until(lambda: refused(self.server.patch(nodes + "/n", {"metadata": {"labels": {"a": "b"}}})),
                           "the policy holds")
        for change in ({"metadata": {"labels": {"locked": None}}}, {"spec": {"unschedulable": True}},
                       {"spec": {"taints": [{"key": "k", "effect": "NoSchedule"}]}},
                       {"spec": {"podCIDR": "10.0.0.0/24", "podCIDRs": ["10.0.0.0/24"]}}, {"spec": {"providerID": "x"}}):
            got = self.server.patch(nodes + "/n", change)
            self.assertTrue(refused(got), (change, got))
            node = self.server.get(nodes + "/n").json()
            for part, fields in change.items():
                node.setdefault(part, {}).update(fields)
            if "labels" in change.get("metadata", {}):
                node["metadata"].pop("labels")
            got = self.server.put(nodes + "/n", node)
            self.assertTrue(refused(got), (change, got))
        got = self.server.patch(nodes + "/n/status", {"status": {"capacity": {"cpu": "1"}}})
        self.assertTrue(refused(got), got)
        self.assertEqual(self.server.get(nodes + "/n").json()["metadata"]["labels"], {"locked": "1"})

    def account(self):
        """A namespace whose account may mount the secret "allowed" alone."""
        path = self.new_namespace()
        harness.wait_until(lambda: self.server.get(path + "/serviceaccounts/default").status == 200, "the account")
        for name in ("allowed", "forbidden"):
            self.assertEqual(self.server.post(path + "/secrets", {"metadata": {"name": name}}).status, 201)
        limits = {"metadata": {"annotations": {"kubernetes.io/enforce-mountable-secrets": "true"}},
                  "secrets": [{"name": "allowed"}]}
        self.assertEqual(self.server.patch(path + "/serviceaccounts/default", limits).status, 200)
        return path

    @staticmethod
    def uses(secret):
        """Ways of a container to get at a secret."""
        return ({"env": [{"name": "E", "valueFrom": {"secretKeyRef": {"name": secret, "key": "k"}}}]},
                {"envFrom": [{"secretRef": {"name": secret}}]})

    def test_cve_2023_2728_ephemeral_containers_mount_what_the_account_may(self):
        path = self.account()
        pod = {"metadata": {"name": "p"}, "spec": {"automountServiceAccountToken": False,
                                                   "containers": [{"name": "c", "image": "i"}]}}
        self.assertEqual(self.server.post(path + "/pods", pod).status, 201)
        for use in self.uses("forbidden"):
            container = {"name": "debug", "image": "i", **use}
            for content in ("application/strategic-merge-patch+json", "application/merge-patch+json"):
                got = self.server.patch(path + "/pods/p/ephemeralcontainers",
                                        {"spec": {"ephemeralContainers": [container]}}, content)
                self.assertEqual(got.status, 500, got)  # upstream's code for it
                self.assertIn("does not reference that secret", got.json()["message"])
        for i, use in enumerate(self.uses("allowed")):
            container = {"name": f"debug{i}", "image": "i", **use}
            got = self.server.patch(path + "/pods/p/ephemeralcontainers", {"spec": {"ephemeralContainers": [container]}},
                                    "application/strategic-merge-patch+json")
            self.assertEqual(got.status, 200, got)

    def test_cve_2024_3177_env_from_mounts_what_the_account_may(self):
        path = self.account()
        plain = {"name": "c", "image": "i"}
        for kind in ("containers", "initContainers"):
            for secret, code in (("forbidden", 403), ("allowed", 201)):
                for use in self.uses(secret):
                    spec = {"containers": [plain], "automountServiceAccountToken": False}
                    spec[kind] = [{"name": "c" if kind == "containers" else "i", "image": "i", **use}]
                    got = self.server.post(path + "/pods", {"metadata": {"generateName": "p-"}, "spec": spec})
                    self.assertEqual(got.status, code, (kind, use, got))

    def test_cve_2023_1260_pod_security_holds_for_every_way_to_change_a_pod(self):
        path = self.new_namespace()
        harness.wait_until(lambda: self.server.get(path + "/serviceaccounts/default").status == 200, "the account")
        level = {"metadata": {"labels": {"pod-security.kubernetes.io/enforce": "baseline"}}}
        self.assertEqual(self.server.patch(path, level).status, 200)
        pod = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
        self.assertEqual(self.server.post(path + "/pods", pod).status, 201)
        bad = {"name": "debug", "image": "i", "securityContext": {"privileged": True}}
        got = self.server.patch(path + "/pods/p/ephemeralcontainers", {"spec": {"ephemeralContainers": [bad]}},
                                "application/strategic-merge-patch+json")
        self.assertStatus(got, 403, "Forbidden", "violates PodSecurity")
        for kind in ("containers", "initContainers"):
            spec = {"containers": [{"name": "c", "image": "i"}]}
            spec[kind] = [{**bad, "name": "x"}]
            got = self.server.post(path + "/pods", {"metadata": {"name": "q"}, "spec": spec})
            self.assertStatus(got, 403, "Forbidden", "violates PodSecurity")

    def test_cve_2024_7598_pods_end_before_what_protects_them(self):
        path = self.new_namespace()
        name = path.rsplit("/", 1)[1]
        harness.wait_until(lambda: self.server.get(path + "/serviceaccounts/default").status == 200, "the account")
        pod = {"metadata": {"name": "p", "finalizers": ["example.com/hold"]}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
        self.assertEqual(self.server.post(path + "/pods", pod).status, 201)
        policies = f"/apis/networking.k8s.io/v1/namespaces/{name}/networkpolicies"
        self.assertEqual(self.server.post(policies, {"metadata": {"name": "deny"}, "spec": {"podSelector": {}}}).status, 201)
        self.assertEqual(self.server.delete(path).status, 200)
        def held():
            return "deletionTimestamp" in self.server.get(path + "/pods/p").json()["metadata"]
        harness.wait_until(held, "the pod is deleted")
        def remaining():
            conditions = self.server.get(path).json()["status"].get("conditions", ())
            return any(c["type"] == "NamespaceContentRemaining" and c["status"] == "True" for c in conditions)
        harness.wait_until(remaining, "the controller has seen that the pod remains")
        self.assertEqual(self.server.get(policies + "/deny").status, 200)
        self.server.patch(path + "/pods/p", {"metadata": {"finalizers": None}})
        harness.wait_until(lambda: self.server.get(path).status == 404, "the namespace goes")


if __name__ == "__main__":
    unittest.main()
