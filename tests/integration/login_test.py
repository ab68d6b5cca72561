"""Further identities: keelson kubeconfig and keelson token make them, and the server treats them as who they are."""

import base64
import http.client
import json
import os
import pathlib
import re
import ssl
import subprocess
import tempfile
import unittest

import harness

RBAC = "/apis/rbac.authorization.k8s.io/v1"


def keelson(*args, check=True):
    done = subprocess.run([harness.BINARY, *map(str, args)], capture_output=True, text=True, timeout=60)
    if check and done.returncode != 0:
        raise AssertionError(f"keelson {args}: exit {done.returncode}: {done.stderr}")
    return done


class Login(harness.ServerTestCase):
    server_args = ("--storage-backend=memory", "--controllers=*")

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="keelson-login-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.path = self.new_namespace()
        self.ns = self.path.rpartition("/")[2]

    def make(self, *args, check=True):
        """A kubeconfig as `keelson kubeconfig` makes it: its file."""
        file = self.folder / f"{len(list(self.folder.iterdir()))}.kubeconfig"
        keelson("kubeconfig", "--data-dir", self.server.data_dir, "-o", file, *args, check=check)
        return file

    def credential(self, file, field):
        found = re.search(rf"^ +{field}: (\S+)$", file.read_text(), re.MULTILINE)
        return found[1].strip('"')

    def ask(self, file, path, body=None):
        """One request with the certificate or the token of a kubeconfig; with a body it is a POST."""
        context = ssl.create_default_context(
            cadata=base64.b64decode(self.credential(file, "certificate-authority-data")).decode())
        headers = {}
        if "client-key-data" in file.read_text():
            pair = []
            for field in ("client-certificate-data", "client-key-data"):
                pair.append(self.folder / f"{file.name}.{field}")
                pair[-1].write_bytes(base64.b64decode(self.credential(file, field)))
            context.load_cert_chain(*pair)
        else:
            headers["Authorization"] = "Bearer " + self.credential(file, "token")
        host, port = self.credential(file, "server").removeprefix("https://").split(":")
        connection = http.client.HTTPSConnection(host, int(port), timeout=30, context=context)
        try:
            connection.request("POST" if body else "GET", path, body=json.dumps(body) if body else None,
                               headers={**headers, "Content-Type": "application/json"})
            response = connection.getresponse()
            return harness.Response(response.status, response.headers, response.read())
        finally:
            connection.close()

    def bind(self, subject, role="view"):
        made = self.server.post(f"{RBAC}/namespaces/{self.ns}/rolebindings", {
            "metadata": {"generateName": "b-"}, "subjects": [subject],
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role}})
        self.assertEqual(made.status, 201, made)

    def account(self, name="ci"):
        made = self.server.post(self.path + "/serviceaccounts", {"metadata": {"name": name}})
        self.assertEqual(made.status, 201, made)
        return f"{self.ns}/{name}"

    def assertForbidden(self, file, path, user):
        self.assertStatus(self.ask(file, path), 403, "Forbidden", f'User "{user}" cannot list resource')

    def test_a_user_may_do_what_its_group_is_bound_to_and_nothing_before(self):
        group = self.ns + "-dev"
        file = self.make("--user", "ann", "--group", group, "--group", "others")
        self.assertForbidden(file, self.path + "/configmaps", "ann")
        self.bind({"kind": "Group", "apiGroup": "rbac.authorization.k8s.io", "name": group})
        harness.wait_until(lambda: self.ask(file, self.path + "/configmaps").status == 200, "the binding counts")
        self.assertForbidden(file, self.path + "/secrets", "ann")
        self.assertForbidden(file, "/api/v1/namespaces/default/configmaps", "ann")

    def test_the_server_sees_the_user_and_every_group(self):
        file = self.make("--user", 'Änne: "x"', "--group", "dev", "--group=ops; sort of", "--group", "dev")
        review = self.ask(file, "/apis/authentication.k8s.io/v1/selfsubjectreviews", {"metadata": {}})
        self.assertEqual(review.status, 201, review)
        user = review.json()["status"]["userInfo"]
        self.assertEqual(user["username"], 'Änne: "x"')
        self.assertEqual(user["groups"], ["dev", "ops; sort of", "system:authenticated"])

    def test_a_certificate_expires(self):
        file = self.make("--user", "brief", "--duration", "2s")
        self.assertEqual(self.ask(file, "/api").status, 200)

        def refused():
            try:
                return self.ask(file, "/api").status == 401
            except (ssl.SSLError, ConnectionError):
                return True
        harness.wait_until(refused, "the certificate is not accepted any more")

    def test_the_file_is_secret_and_is_not_replaced_unasked(self):
        file = self.make("--user", "ann")
        self.assertEqual(os.stat(file).st_mode & 0o777, 0o600)
        before = file.read_bytes()
        again = keelson("kubeconfig", "--data-dir", self.server.data_dir, "--user", "bob", "-o", file, check=False)
        self.assertEqual((again.returncode, again.stderr), (1, f"error: {file} exists: --force replaces it\n"))
        self.assertEqual(file.read_bytes(), before)
        keelson("kubeconfig", "--data-dir", self.server.data_dir, "--user", "bob", "-o", file, "--force")
        self.assertForbidden(file, self.path + "/pods", "bob")

    def test_masters_are_made_only_when_told(self):
        refused = keelson("kubeconfig", "--data-dir", self.server.data_dir, "--user", "root", "--group", "system:masters",
                          check=False)
        self.assertEqual((refused.returncode, refused.stdout), (1, ""))
        file = self.make("--user", "root", "--group", "system:masters", "--allow-system-masters")
        self.assertEqual(self.ask(file, "/api/v1/secrets").status, 200)

    def test_a_service_account_logs_in_until_it_is_deleted(self):
        account = self.account()
        file = self.make("--service-account", account)
        user = f"system:serviceaccount:{self.ns}:ci"
        self.assertForbidden(file, self.path + "/configmaps", user)
        self.bind({"kind": "ServiceAccount", "namespace": self.ns, "name": "ci"})
        harness.wait_until(lambda: self.ask(file, self.path + "/configmaps").status == 200, "the binding counts")
        self.assertEqual(self.server.delete(self.path + "/serviceaccounts/ci").status, 200)
        self.assertEqual(self.ask(file, self.path + "/configmaps").status, 401)

    def test_a_token_is_for_its_time_and_its_audience(self):
        account = self.account()
        token = keelson("token", "--data-dir", self.server.data_dir, "--service-account", account, "--duration", "2h",
                        "--audience", "vault", "--audience", "bank").stdout.strip()
        payload = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        self.assertEqual(claims["aud"], ["vault", "bank"])
        self.assertEqual(claims["exp"] - claims["iat"], 7200)
        answer = self.server.get("/api", client="anonymous", headers={"Authorization": "Bearer " + token})
        self.assertEqual(answer.status, 401)

    def test_tokens_that_the_server_does_not_give_are_explained(self):
        said = keelson("token", "--data-dir", self.server.data_dir, "--service-account", self.ns + "/nobody", check=False)
        self.assertEqual((said.returncode, said.stdout, said.stderr),
                         (1, "", 'error: the server answers 404: serviceaccounts "nobody" not found\n'))
        account = self.account()
        said = keelson("token", "--data-dir", self.server.data_dir, "--service-account", account, "--duration", "1m",
                       check=False)
        self.assertEqual(said.returncode, 1)
        self.assertIn("may not specify a duration less than 10 minutes", said.stderr)

    def test_another_kubeconfig_asks_with_its_own_rights(self):
        account = self.account()
        file = self.make("--user", "issuer")
        asked = ("token", "--kubeconfig", file, "--service-account", account)
        refused = keelson(*asked, check=False)
        self.assertIn('the server answers 403: serviceaccounts "ci" is forbidden', refused.stderr)
        self.bind({"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "issuer"}, role="edit")
        harness.wait_until(lambda: keelson(*asked, check=False).returncode == 0, "the binding counts")


class WithoutAServer(unittest.TestCase):
    def test_users_get_certificates_and_accounts_get_told(self):
        with tempfile.TemporaryDirectory(prefix="keelson-login-") as folder:
            data = pathlib.Path(folder) / "data"
            with harness.Server(data_dir=data) as server:
                url = server.url
                self.assertEqual(server.stop(), 0)
            made = keelson("kubeconfig", "--data-dir", data, "--user", "ann")
            self.assertIn(f"server: {url}\n", made.stdout)
            said = keelson("token", "--data-dir", data, "--service-account", "default/default", check=False)
            self.assertEqual((said.returncode, said.stdout), (1, ""))
            self.assertIn("connection refused: the server issues tokens, so it must run (keelson serve)", said.stderr)


if __name__ == "__main__":
    unittest.main()
