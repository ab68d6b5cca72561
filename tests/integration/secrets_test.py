"""Secrets that clients send, that files hold and that the server makes are in no log line, answer or metric.

CVE-2019-11250, CVE-2020-8563, CVE-2020-8564, CVE-2020-8565 and CVE-2020-8566 were of that kind: here the log is as long
as it gets, every secret has a mark, and everything is searched for it in all the ways it may be written.
"""

import base64
import json
import pathlib
import tempfile
import unittest
import urllib.parse

import harness
import identity

WEBSOCKET = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
             "Sec-WebSocket-Key": "MDEyMzQ1Njc4OWFiY2RlZg=="}
REVIEWS = "/apis/authentication.k8s.io/v1/tokenreviews"


def forms(secret):
    """A secret as it is, and as it may be written down: in base64 at any offset, in hexadecimal, for a URL."""
    data = secret.encode()
    found = {secret, data.hex(), urllib.parse.quote(secret, safe="")}
    for offset in range(3):
        text = base64.b64encode(b"x" * offset + data).decode()
        found.add(text[4 if offset else 0:-4])
        found.add(text.replace("+", "-").replace("/", "_")[4 if offset else 0:-4])
    return {form for form in found if len(form) >= 8}


class SecretsTestCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="keelson-secrets-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.secrets = []

    def secret(self, what):
        """A new secret, to be looked for."""
        self.secrets.append(f"S3cret+{what}/{len(self.secrets):04}~value")
        return self.secrets[-1]

    def assertNoSecrets(self, where, text, but=()):
        for secret in self.secrets:
            for form in forms(secret) if secret not in but else ():
                self.assertNotIn(form, text, f"{secret} in {where}")

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path


class RunningServerTest(SecretsTestCase):
    def serve(self, *flags):
        server = harness.Server("-v=10", "--storage-backend=memory", *flags, ready_client="admin")
        self.addCleanup(server.close)
        return server.start()

    def subprotocol(self, token):
        encoded = base64.urlsafe_b64encode(token.encode()).rstrip(b"=").decode()
        return {**WEBSOCKET, "Sec-WebSocket-Protocol": f"base64url.bearer.authorization.k8s.io.{encoded}, v4.channel.k8s.io"}

    def try_everything(self, server, token, known):
        """Sends `token` in every way there is; the answers."""
        answers = []
        connection = server.connect("anonymous")
        self.addCleanup(connection.close)
        def send(path, headers=None, method="GET"):
            connection.request(method, path, headers=headers or {})
            answer = connection.getresponse()
            answers.append(str(answer.headers.items()) + answer.read().decode(errors="replace"))
            if headers and "Upgrade" in headers:
                connection.close()  # the next request opens another
        for path in ("/api/v1/namespaces", "/api/v1/secrets", "/version", "/nowhere", "/apis/x/v1/y"):
            for value in (f"Bearer {token}", f"bearer  {token}", f"Bearer {token} more", f"Basic {token}", f"Token {token}", token):
                send(path, {"Authorization": value})
            query = urllib.parse.urlencode({"token": token, "access_token": token, "fieldSelector": f"a={token}"})
            send(f"{path}?{query}")
            send(path, {"Cookie": f"token={token}", "Proxy-Authorization": f"Basic {token}", "X-Auth-Token": token})
        send("/api/v1/namespaces/default/pods/p/log", self.subprotocol(token))
        send("/api/v1/namespaces?watch=1&timeoutSeconds=1", self.subprotocol(token + "~bad"))
        send("/api/v1/namespaces?watch=1", {**WEBSOCKET, "Sec-WebSocket-Protocol":
                                            f"base64url.bearer.authorization.k8s.io.{token.replace('/', '_').replace('+', '-')}"})
        send("/api", {"Authorization": f"Bearer {token}"}, "BREW")
        self.assertEqual(server.get("/api", headers={"Authorization": f"Bearer {token}"}, client="anonymous").status,
                         200 if known else 401)
        return answers

    def review(self, server, token, path=REVIEWS):
        review = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": {"token": token}}
        return server.post(path, review)

    def test_no_secret_leaves_the_server(self):
        authority = identity.Authority("hook-ca")
        self.addCleanup(authority.close)
        hook = identity.TokenWebhook(authority)
        self.addCleanup(hook.close)
        hooked, password = self.secret("hook"), self.secret("password")
        hook.users[hooked] = {"username": "hooked"}
        kubeconfig = json.loads(hook.kubeconfig(self.folder, authority.certificate).read_text())
        kubeconfig["contexts"][0]["context"]["user"] = "u"
        kubeconfig["users"] = [{"name": "u", "user": {"username": "keelson", "password": password}}]
        static = self.secret("static")
        server = self.serve(f"--token-auth-file={self.file('tokens.csv', f'{static},ann,1')}",
                            f"--authentication-token-webhook-config-file={self.file('hook.json', json.dumps(kubeconfig))}",
                            "--authentication-token-webhook-cache-ttl=0s", "--enable-bootstrap-token-auth")
        answers = self.try_everything(server, static, True) + self.try_everything(server, hooked, True)
        answers += self.try_everything(server, self.secret("unknown"), False)
        self.assertIn(base64.b64encode(f"keelson:{password}".encode()).decode(),
                      {headers.get("Authorization", "").removeprefix("Basic ") for _, headers, _ in hook.requests})
        for trouble in ((500, hooked), (302, hooked), (200, '{"status": "' + hooked)):
            hook.routes["/authn"] = lambda *_, trouble=trouble: trouble
            token = self.secret("troubled")
            got = server.get("/api", headers={"Authorization": f"Bearer {token}"}, client="anonymous")
            self.assertEqual(got.status, 401)
            answers.append(got.text)

        # A token in a TokenReview is told back to the sender alone.
        for path in (REVIEWS, REVIEWS + "?dryRun=x", "/apis/authentication.k8s.io/v1/nothing"):
            self.review(server, self.secret("review"), path)
        answers += self.secret_objects(server)
        answers += [server.get(path).text for path in ("/metrics", "/readyz?verbose", "/healthz?verbose", "/livez?verbose",
                                                       "/openapi/v2", "/api", "/apis", "/version")]
        self.issued_tokens(server)
        for i, text in enumerate(answers):
            self.assertNoSecrets(f"answer {i}", text)
        log = server.log()
        self.assertIn("unable to authenticate the request", log)  # it is as long as it gets
        self.assertNoSecrets("the log", log)
        self.assertNoSecrets("stdout", "\n".join(server.stdout_lines))
        for key in server.data_dir.glob("pki/*.key"):
            for line in key.read_text().splitlines()[1:-1]:
                self.assertNotIn(line, log, key)

    def secret_objects(self, server):
        """Secrets that are refused; the answers."""
        path, answers = "/api/v1/namespaces/default/secrets", []
        def post(body, **kwargs):
            answers.append(server.post(path, body, **kwargs).text)
        value = self.secret("object")
        encoded = base64.b64encode(value.encode()).decode()
        post({"metadata": {"name": "Bad_Name"}, "data": {"a": encoded}})
        post({"metadata": {"name": "x"}, "data": {"a": value}})  # no base64
        post({"metadata": {"name": "x"}, "data": {"a": [value]}})
        post({"metadata": {"name": "x"}, "stringData": value})
        post({"metadata": {"name": "x"}, "data": {"bad key!": encoded}})
        post({"metadata": {"name": "x"}, "type": "kubernetes.io/dockerconfigjson", "stringData": {".dockerconfigjson": value}})
        post({"metadata": {"name": "x"}, "type": "kubernetes.io/tls", "stringData": {"tls.key": value}})
        post('{"metadata": {"name": "x"}, "stringData": {"a": "' + value + '"')
        post(f"metadata: {{name: x}}\nstringData: {{a: {value}\n", headers={"Content-Type": "application/yaml"})
        post(f"metadata: {{name: x}}\nstringData:\n  a: {value}\n b: c\n", headers={"Content-Type": "application/yaml"})
        # The answer shows the sender how a body begins that is no object, which is upstream's wording.
        server.post(path, b"k8s\x00" + value.encode() * 3, headers={"Content-Type": "application/vnd.kubernetes.protobuf"})
        post({"metadata": {"name": "x"}, "stringData": {"a": value}}, headers={"Content-Type": "text/plain"})
        made = {"metadata": {"name": "kept"}, "immutable": True, "stringData": {"a": value}}
        self.assertEqual(server.post(path, made).status, 201)
        answers.append(server.patch(path + "/kept", {"stringData": {"a": self.secret("other")}}).text)
        answers.append(server.patch(path + "/kept", {"metadata": {"labels": {"bad key": "x"}}}).text)
        return answers

    def issued_tokens(self, server):
        """Tokens that the server makes, used and then not good any more."""
        account = "/api/v1/namespaces/default/serviceaccounts"
        self.assertEqual(server.post(account, {"metadata": {"name": "robot"}}).status, 201)
        body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
        token = server.post(account + "/robot/token", body).json()["status"]["token"]
        self.secrets.append(token)
        self.secrets.append(token.rsplit(".", 1)[1])
        self.assertEqual(server.get("/api", headers={"Authorization": f"Bearer {token}"}, client="anonymous").status, 200)
        server.delete(account + "/robot")
        self.assertEqual(server.get("/api", headers={"Authorization": f"Bearer {token}"}, client="anonymous").status, 401)
        secret = "s3cr3tv4lue56789"
        self.secrets.append(secret)
        data = {"token-id": "abcdef", "token-secret": secret, "usage-bootstrap-authentication": "false"}
        made = server.post("/api/v1/namespaces/kube-system/secrets",
                           {"metadata": {"name": "bootstrap-token-abcdef"}, "type": "bootstrap.kubernetes.io/token",
                            "stringData": data})
        self.assertEqual(made.status, 201)
        for used in (secret, secret[::-1]):
            self.review(server, f"abcdef.{used}")
            server.get("/api", headers={"Authorization": f"Bearer abcdef.{used}"}, client="anonymous")
        self.secrets.append(secret[::-1])


class RefusedStartTest(SecretsTestCase):
    """Files that cannot be used are told by name and place, not by what is in them."""

    def refused(self, *flags):
        server = harness.Server("--storage-backend=memory", "-v=10", *flags)
        self.addCleanup(server.close)
        with self.assertRaises(AssertionError) as raised:
            server.start()
        self.assertNoSecrets(flags, str(raised.exception))
        return str(raised.exception)

    def test_token_files(self):
        for text in ("{0},ann", "{0}", '"{0}",ann,"1', 'x"{0},ann,1', "ok,ann,1\n{0},\n"):
            why = self.refused(f"--token-auth-file={self.file('tokens.csv', text.format(self.secret('token')))}")
            self.assertIn("tokens.csv", why)

    def test_encryption_configurations(self):
        head = "apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n- resources: [secrets]\n  providers:\n"
        for text in ("  - aescbc: {{keys: [{{name: a, secret: {0}}}]}}\n", "  - aesgcm: {{keys: [{{name: a, secret: [{0}]}}]}}\n",
                     "  - secretbox: {{keys: [{{name: a, secret: {1}}}]}}\n", "  - aescbc: {{keys: [{{name: a, secret: {1}, x: y}}]}}\n",
                     "  - aescbc: {{keys: [{{secret: {1}}}]}}\n", "  - aescbc: {{keys: [{{name: a, secret: {1}\n"):
            secret = self.secret("key")
            encoded = base64.b64encode(secret.encode()).decode()
            self.refused(f"--encryption-provider-config={self.file('encryption.yaml', head + text.format(secret, encoded))}")

    def test_kubeconfigs_of_webhooks(self):
        head = "current-context: c\ncontexts: [{name: c, context: {cluster: w, user: u}}]\n"
        for cluster, user in (("https://ann:SECRET@localhost/", "{}"), ("'https://localhost:x/?token=SECRET'", "{}"),
                              ("https://localhost/", "{password: *SECRET}"), ("https://localhost/", "{token: [SECRET]}"),
                              ("https://localhost/", "{client-key-data: SECRET}"),
                              ("https://localhost/", "{client-certificate-data: ENCODED, client-key-data: ENCODED}"),
                              ("https://localhost/", "{exec: {command: x, env: [{name: a, value: SECRET}]}}"),
                              ("https://localhost/", '{token: "SECRET}')):
            secret = self.secret("hook")
            encoded = base64.b64encode(secret.encode()).decode()
            text = head + "clusters: [{name: w, cluster: {server: " + cluster + "}}]\nusers: [{name: u, user: " + user + "}]\n"
            text = text.replace("SECRET", secret).replace("ENCODED", encoded)
            self.refused(f"--authentication-token-webhook-config-file={self.file('hook.yaml', text)}")


class CoreDumpsTest(unittest.TestCase):
    def limits(self, *flags):
        server = harness.Server("--storage-backend=memory", *flags)
        self.addCleanup(server.close)
        server.start()
        folder = pathlib.Path("/proc") / str(server.process.pid)
        line = next(line for line in (folder / "limits").read_text().splitlines() if line.startswith("Max core file size"))
        return line.split()[4], int((folder / "coredump_filter").read_text(), 16)

    def test_memory_is_not_written_down_unless_asked_for(self):
        limit, kinds = self.limits()
        self.assertIn(limit, ("0", "1"))
        self.assertEqual(kinds, 0)
        _, kinds = self.limits("--allow-core-dumps")
        self.assertNotEqual(kinds, 0)


if __name__ == "__main__":
    unittest.main()
