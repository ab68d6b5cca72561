"""Who a request is from: front proxies, certificates, tokens of every kind, and acting as somebody else."""

import base64
import http.client
import json
import pathlib
import socket
import tempfile
import time
import unittest

import harness
import identity


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


class AuthenticationTestCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="keelson-authn-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.authority = identity.Authority("login-ca")
        self.addCleanup(self.authority.close)

    def serve(self, *flags, **kwargs):
        server = harness.Server("--storage-backend=memory", *flags, **{"ready_client": "admin", **kwargs})
        self.addCleanup(server.close)
        return server.start()

    def refused_start(self, *flags):
        server = harness.Server("--storage-backend=memory", *flags)
        self.addCleanup(server.close)
        with self.assertRaises(AssertionError) as raised:
            server.start()
        return str(raised.exception)

    def whoami(self, server, headers=None, client="anonymous"):
        """The user of a SelfSubjectReview; the status code when it is refused."""
        answer = server.post("/apis/authentication.k8s.io/v1/selfsubjectreviews",
                             {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"},
                             headers=headers, client=client)
        return answer.json()["status"]["userInfo"] if answer.status == 201 else answer.status

    def review(self, server, token, audiences=None):
        """The status of a TokenReview."""
        spec = {"token": token, **({"audiences": audiences} if audiences else {})}
        answer = server.post("/apis/authentication.k8s.io/v1/tokenreviews",
                             {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": spec})
        self.assertEqual(answer.status, 201, answer)
        return answer.json()["status"]


class FrontProxyTest(AuthenticationTestCase):
    FLAGS = ("--requestheader-username-headers=X-Remote-User", "--requestheader-group-headers=X-Remote-Group",
             "--requestheader-uid-headers=X-Remote-Uid", "--requestheader-extra-headers-prefix=X-Remote-Extra-")

    def test_a_proxy_of_its_own_authority_is_believed(self):
        server = self.serve(f"--requestheader-client-ca-file={self.authority.certificate}",
                            "--requestheader-allowed-names=front", *self.FLAGS)
        front, other = self.authority.issue("/CN=front"), self.authority.issue("/CN=other")
        claims = {"X-Remote-User": "ann", "X-Remote-Group": "system:masters", "X-Remote-Uid": "u1",
                  "X-Remote-Extra-Acme.com%2fProject": "p"}
        user = self.whoami(server, claims, front)
        self.assertEqual(user, {"username": "ann", "uid": "u1", "groups": ["system:masters", "system:authenticated"],
                                "extra": {"acme.com/project": ["p"]}})
        self.assertEqual(self.whoami(server, claims, other), 401)
        # Neither a client nor a stranger may say so, and a proxy that names nobody is nobody.
        self.assertEqual(self.whoami(server, claims, "admin")["username"], "kubernetes-admin")
        self.assertNotEqual(self.whoami(server, claims), user)
        self.assertEqual(self.whoami(server, {}, front), 401)

    def test_a_resumed_session_is_who_it_was(self):
        server = self.serve(f"--requestheader-client-ca-file={self.authority.certificate}",
                            "--requestheader-allowed-names=front", *self.FLAGS)
        claims = {"X-Remote-User": "ann"}
        review = json.dumps({"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"})
        for client, headers, name in ((self.authority.issue("/CN=front"), claims, "ann"),
                                      (self.authority.issue("/CN=other"), claims, None),
                                      ("admin", claims, "kubernetes-admin")):
            context, session = server.tls(client), None
            for attempt in range(4):
                with socket.create_connection(("127.0.0.1", server.port), timeout=30) as plain, \
                        context.wrap_socket(plain, server_hostname="127.0.0.1", session=session) as stream:
                    self.assertEqual(stream.version(), "TLSv1.3")
                    self.assertEqual(stream.session_reused, attempt > 0)
                    connection = http.client.HTTPConnection("127.0.0.1")
                    connection.sock = stream
                    connection.request("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", body=review,
                                       headers={"Content-Type": "application/json", **headers})
                    answer = connection.getresponse()
                    body = json.loads(answer.read())
                    self.assertEqual(answer.status, 201 if name else 401, (attempt, body))
                    if name:
                        self.assertEqual(body["status"]["userInfo"]["username"], name)
                    session = stream.session

    def test_authorities_that_vouch_for_clients_too_need_allowed_names(self):
        ca = self.authority.certificate
        why = self.refused_start(f"--client-ca-file={ca}", f"--requestheader-client-ca-file={ca}", *self.FLAGS)
        self.assertIn("--requestheader-allowed-names must be specified", why)


class BootstrapTokenTest(AuthenticationTestCase):
    def test_a_secret_of_kube_system_authenticates(self):
        server = self.serve("--enable-bootstrap-token-auth")
        data = {"token-id": "abcdef", "token-secret": "0123456789abcdef", "usage-bootstrap-authentication": "true",
                "auth-extra-groups": "system:bootstrappers:kubeadm:default-node-token"}
        made = server.post("/api/v1/namespaces/kube-system/secrets",
                           {"metadata": {"name": "bootstrap-token-abcdef"}, "type": "bootstrap.kubernetes.io/token",
                            "stringData": data})
        self.assertEqual(made.status, 201, made)
        token = "abcdef.0123456789abcdef"
        status = self.review(server, token)
        self.assertEqual(status["user"]["username"], "system:bootstrap:abcdef")
        self.assertEqual(status["user"]["groups"],
                         ["system:bootstrappers", "system:bootstrappers:kubeadm:default-node-token",
                          "system:authenticated"])
        self.assertNotIn("authenticated", self.review(server, "abcdef.0123456789abcdee"))
        server.delete("/api/v1/namespaces/kube-system/secrets/bootstrap-token-abcdef")
        self.assertNotIn("authenticated", self.review(server, token))


class ServiceAccountTest(AuthenticationTestCase):
    def test_a_token_in_a_secret_counts_as_long_as_it_is_there(self):
        key = identity.SigningKey("")
        server = self.serve(f"--service-account-key-file={key.file}",
                            f"--service-account-signing-key-file={key.file}")
        account = server.post("/api/v1/namespaces/default/serviceaccounts", {"metadata": {"name": "robot"}}).json()
        prefix = "kubernetes.io/serviceaccount/"
        token = key.token({"iss": "kubernetes/serviceaccount", "sub": "system:serviceaccount:default:robot",
                           prefix + "namespace": "default", prefix + "secret.name": "robot-token",
                           prefix + "service-account.name": "robot",
                           prefix + "service-account.uid": account["metadata"]["uid"]}, {"alg": "RS256"})
        self.assertIn("Token has been invalidated", self.review(server, token)["error"])
        secret = {"metadata": {"name": "robot-token", "annotations": {"kubernetes.io/service-account.name": "robot"}},
                  "type": "kubernetes.io/service-account-token", "stringData": {"token": token}}
        self.assertEqual(server.post("/api/v1/namespaces/default/secrets", secret).status, 201)
        self.assertEqual(self.review(server, token)["user"]["username"], "system:serviceaccount:default:robot")
        path = "/api/v1/namespaces/default/secrets/robot-token"
        labels = server.get(path).json()["metadata"]["labels"]
        self.assertRegex(labels["kubernetes.io/legacy-token-last-used"], r"^\d{4}-\d\d-\d\d$")
        server.patch(path, {"metadata": {"labels": {"kubernetes.io/legacy-token-invalid-since": "2020-01-01"}}})
        self.assertIn("has been marked invalid", self.review(server, token)["error"])
        server.patch(path, {"data": {"token": base64.b64encode(b"another").decode()}})
        self.assertIn("Token does not match server's copy", self.review(server, token)["error"])
        self.assertIn("serviceaccount_legacy_manual_token_uses_total 1", server.get("/metrics").text)


class WebhookTest(AuthenticationTestCase):
    def test_a_webhook_is_asked_about_tokens_that_nobody_else_knows(self):
        webhook = identity.TokenWebhook(self.authority)
        self.addCleanup(webhook.close)
        webhook.users["s3cret-of-ann"] = {"username": "ann", "groups": ["dev"], "extra": {"a.com/b": ["c"]}}
        config = webhook.kubeconfig(self.folder, self.authority.certificate)
        server = self.serve(f"--authentication-token-webhook-config-file={config}",
                            "--authentication-token-webhook-version=v1", "-v=10")
        status = self.review(server, "s3cret-of-ann")
        self.assertEqual(status["user"], {"username": "ann", "groups": ["dev", "system:authenticated"],
                                          "extra": {"a.com/b": ["c"]}})
        self.assertEqual(webhook.reviews[0]["apiVersion"], "authentication.k8s.io/v1")
        self.assertNotIn("authenticated", self.review(server, "s3cret-of-nobody"))
        # Answers are remembered: for one audience, not for another.
        asked = len(webhook.reviews)
        self.review(server, "s3cret-of-ann")
        self.assertEqual(len(webhook.reviews), asked)
        self.assertNotIn("authenticated", self.review(server, "s3cret-of-ann", ["vault"]))
        self.assertEqual(len(webhook.reviews), asked + 1)
        # What follows a redirect would see the token (CVE-2020-8561).
        webhook.routes["/review"] = lambda *_: (307, "")
        self.assertIn("error", self.review(server, "s3cret-of-bob"))
        self.assertNotIn("/elsewhere", [path for path, _, _ in webhook.requests])
        # Tokens are not logged, however much is (CVE-2019-11250, CVE-2020-8565).
        self.assertEqual(server.get("/api", headers=bearer("s3cret-of-eve"), client="anonymous").status, 401)
        self.assertNotIn("s3cret", server.log())

    def test_a_webhook_with_a_certificate_of_somebody_else_is_not_told_the_token(self):
        webhook = identity.TokenWebhook(self.authority)
        self.addCleanup(webhook.close)
        other = identity.Authority("other-ca")
        self.addCleanup(other.close)
        server = self.serve(
            f"--authentication-token-webhook-config-file={webhook.kubeconfig(self.folder, other.certificate)}")
        self.assertIn("error", self.review(server, "s3cret"))
        self.assertEqual(webhook.requests, [])


class OpenIdTest(AuthenticationTestCase):
    def setUp(self):
        super().setUp()
        self.provider = identity.Provider(self.authority)
        self.addCleanup(self.provider.close)

    def flags(self, *more):
        return (f"--oidc-issuer-url={self.provider.url}", "--oidc-client-id=k8s",
                f"--oidc-ca-file={self.authority.certificate}", *more)

    def test_tokens_of_a_provider_by_flags(self):
        server = self.serve(*self.flags("--oidc-groups-claim=groups", "--oidc-groups-prefix=oidc:",
                                        "--oidc-required-claim=hd=example.com"))
        token = self.provider.token(groups=["dev"], hd="example.com", jti="7")
        status = self.review(server, token)
        self.assertEqual(status["user"], {
            "username": f"{self.provider.url}#ann", "groups": ["oidc:dev", "system:authenticated"],
            "extra": {"authentication.kubernetes.io/credential-id": ["JTI=7"]}})
        for bad, why in (
                (self.provider.token(hd="example.com", exp=int(time.time()) - 1), "token is expired"),
                (self.provider.token(hd="example.com", exp=None), "token is expired"),
                (self.provider.token(hd="example.com", nbf=int(time.time()) + 600), "before the nbf"),
                (self.provider.token(hd="example.com", aud="other"), 'expected audience "k8s" got ["other"]'),
                (self.provider.token(hd="evil.com"), "required claim hd value does not match"),
                (self.provider.token(), "required claim hd not present"),
                (self.provider.token(header={"alg": "none"}), "unsupported algorithm"),
                (self.provider.token(header={"alg": "HS256"}), "unsupported algorithm"),
                (self.provider.token(identity.SigningKey("k1"), hd="example.com"), "failed to verify"),
                (token[:-8] + "AAAAAAAA", "failed to verify")):
            self.assertIn(why, self.review(server, bad).get("error", ""), bad)
        self.assertEqual(server.get("/api", headers=bearer(token), client="anonymous").status, 200)
        self.assertEqual(server.get("/api", headers=bearer(token + "x"), client="anonymous").status, 401)

    def test_keys_may_change(self):
        server = self.serve(*self.flags())
        self.assertTrue(self.review(server, self.provider.token())["authenticated"])
        self.provider.key = identity.SigningKey("k2")
        harness.wait_until(lambda: self.review(server, self.provider.token()).get("authenticated"), "the new key")

    def test_a_provider_may_start_after_the_server(self):
        configuration = self.provider.routes.pop("/.well-known/openid-configuration")
        server = self.serve(*self.flags())
        self.assertIn("oidc: authenticator not initialized", self.review(server, self.provider.token())["error"])
        self.provider.routes["/.well-known/openid-configuration"] = configuration
        harness.wait_until(lambda: self.review(server, self.provider.token()).get("authenticated"), "the provider")

    def configuration(self, *issuers, **more):
        file = self.folder / "authentication.yaml"
        file.write_text(json.dumps({"apiVersion": "apiserver.config.k8s.io/v1",
                                    "kind": "AuthenticationConfiguration", "jwt": issuers, **more}))
        return file

    def issuer(self, provider, **mappings):
        return {"issuer": {"url": provider.url, "audiences": ["k8s", "other"], "audienceMatchPolicy": "MatchAny",
                           "certificateAuthority": self.authority.certificate.read_text()},
                "claimMappings": mappings or {"username": {"claim": "sub", "prefix": ""}}}

    def test_expressions_of_a_configuration(self):
        issuer = self.issuer(self.provider, username={"expression": "'login:' + claims.sub"},
                             groups={"expression": "claims.roles.split(',')"}, uid={"claim": "uid"},
                             extra=[{"key": "acme.com/unit", "valueExpression": "claims.unit"}])
        issuer["claimValidationRules"] = [{"expression": "claims.level >= 2", "message": "level too low"}]
        issuer["userValidationRules"] = [{"expression": "!user.groups.exists(g, g.startsWith('system:'))",
                                          "message": "reserved group"}]
        server = self.serve(f"--authentication-config={self.configuration(issuer)}")
        claims = {"uid": "u1", "unit": ["x", "y"], "level": 2, "roles": "dev,ops"}
        self.assertEqual(self.review(server, self.provider.token(**claims))["user"], {
            "username": "login:ann", "uid": "u1", "groups": ["dev", "ops", "system:authenticated"],
            "extra": {"acme.com/unit": ["x", "y"]}})
        self.assertIn("level too low", self.review(server, self.provider.token(**{**claims, "level": 1}))["error"])
        self.assertIn("reserved group",
                      self.review(server, self.provider.token(**{**claims, "roles": "system:masters"}))["error"])

    def test_a_configuration_is_reloaded_once_its_providers_answer(self):
        file = self.configuration(self.issuer(self.provider))
        server = self.serve(f"--authentication-config={file}")
        self.assertEqual(self.review(server, self.provider.token())["user"]["username"], "ann")
        second = identity.Provider(self.authority)
        self.addCleanup(second.close)
        configuration = second.routes.pop("/.well-known/openid-configuration")
        self.configuration(self.issuer(self.provider), self.issuer(second))
        harness.wait_until(lambda: "is not healthy" in server.log(), "the reload to be refused")
        self.assertEqual(self.review(server, self.provider.token())["user"]["username"], "ann")
        second.routes["/.well-known/openid-configuration"] = configuration
        harness.wait_until(lambda: self.review(server, second.token()).get("authenticated"), "the new issuer")

    def test_who_may_be_anonymous(self):
        file = self.configuration(anonymous={"enabled": True, "conditions": [{"path": "/livez"}, {"path": "/readyz"}]})
        server = self.serve(f"--authentication-config={file}")
        for path, code in (("/livez", 200), ("/readyz", 200), ("/healthz", 401), ("/livez/ping", 401), ("/api", 401)):
            self.assertEqual(server.get(path, client="anonymous").status, code, path)
        self.assertEqual(server.get("/livez", headers=bearer("wrong"), client="anonymous").status, 401)
        self.assertIn("--anonymous-auth flag cannot be set",
                      self.refused_start(f"--authentication-config={file}", "--anonymous-auth=true"))

    def test_bad_configurations_do_not_start(self):
        issuer = self.issuer(self.provider, username={"claim": "sub"})
        self.assertIn("jwt[0].claimMappings.username.prefix: Required value",
                      self.refused_start(f"--authentication-config={self.configuration(issuer)}"))
        self.assertIn("oidc-issuer-url and oidc-client-id must be specified together",
                      self.refused_start("--oidc-issuer-url=https://a"))


class ImpersonationTest(AuthenticationTestCase):
    def test_an_administrator_may_become_anybody(self):
        server = self.serve()
        def become(**headers):
            return self.whoami(server, {f"Impersonate-{k.replace('_', '-')}": v for k, v in headers.items()}, "admin")
        self.assertEqual(become(User="jane")["groups"], ["system:authenticated"])
        self.assertEqual(become(User="system:serviceaccount:a:b")["groups"],
                         ["system:serviceaccounts", "system:serviceaccounts:a", "system:authenticated"])
        self.assertEqual(become(User="system:node:n1")["groups"], ["system:nodes", "system:authenticated"])
        self.assertEqual(become(User="root", Group="system:masters")["groups"],
                         ["system:masters", "system:authenticated"])
        self.assertEqual(become(User="jane", Uid="7", Extra_a="b"),
                         {"username": "jane", "uid": "7", "groups": ["system:authenticated"], "extra": {"a": ["b"]}})
        self.assertEqual(become(Group="dev"), 400)

    def test_others_are_told_which_permission_they_lack(self):
        (self.folder / "tokens").write_text("t0ken,ann,1\n")
        server = self.serve(f"--token-auth-file={self.folder / 'tokens'}")
        answer = server.get("/api/v1/namespaces/default/pods", client="anonymous",
                            headers={**bearer("t0ken"), "Impersonate-User": "bob"})
        self.assertEqual(answer.status, 403)
        self.assertIn('User "ann" cannot impersonate-on:user-info:list resource "pods" in API group "" in the '
                      'namespace "default"', answer.json()["message"])


if __name__ == "__main__":
    unittest.main()
