"""Certificates and authorities that change while the server runs, and certificates by name."""

import pathlib
import shutil
import socket
import ssl
import tempfile
import unittest

import harness
import identity
import kubelet_test


class ReloadTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="keelson-reload-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def authority(self, name):
        authority = identity.Authority(name)
        self.addCleanup(authority.close)
        return authority

    def put(self, name, certificate, key=None):
        """Replaces the files of this name in one step each; returns them."""
        files = []
        for source, suffix in ((certificate, ".crt"), (key, ".key")):
            if source is None:
                continue
            target, new = self.folder / (name + suffix), self.folder / "new"
            shutil.copy(source, new)
            new.rename(target)
            files.append(target)
        return files if key else files[0]

    def serve(self, *args, **options):
        server = harness.Server("--storage-backend=memory", *args, **options)
        self.addCleanup(server.close)
        return server.start()

    @staticmethod
    def shown(server, name=None, address="127.0.0.1"):
        """The certificate that a client is shown which asks for `name`, as PEM."""
        context = ssl._create_unverified_context()
        with socket.create_connection((address, server.port), timeout=30) as raw:
            with context.wrap_socket(raw, server_hostname=name) as connection:
                return ssl.DER_cert_to_PEM_cert(connection.getpeercert(True))

    @staticmethod
    def pem(files):
        """The first certificate of a file, as `shown` gives it."""
        text = files[0].read_text()
        return text[text.index("-----BEGIN CERTIFICATE"):].strip() + "\n"


class ServingCertificateTest(ReloadTest):
    def test_a_changed_certificate_is_shown_and_a_bad_one_is_not(self):
        first, second = self.authority("first"), self.authority("second")
        names = "IP:127.0.0.1,DNS:localhost"
        old = first.issue("/CN=old", usage="serverAuth", names=names)
        new = second.issue("/CN=new", usage="serverAuth", names=names)
        certificate, key = self.put("serving", *old)
        server = self.serve(f"--tls-cert-file={certificate}", f"--tls-private-key-file={key}",
                            "--controllers=root-ca-certificate-publisher-controller", ca_file=first.certificate)
        self.assertEqual(self.shown(server), self.pem(old))

        def published():
            found = server.get("/api/v1/namespaces/default/configmaps/kube-root-ca.crt")
            return found.json()["data"]["ca.crt"] if found.status == 200 else ""
        harness.wait_until(lambda: self.pem(old).strip() in published(), "the certificate is published")

        self.put("serving", new[0])  # whose key is another
        harness.wait_until(lambda: "stays as it was in use" in server.log(), "the mistake is told")
        self.assertEqual(self.shown(server), self.pem(old))

        self.put("serving", *new)
        harness.wait_until(lambda: self.shown(server) == self.pem(new), "the new certificate is shown")
        server._ca_file = second.certificate
        harness.wait_until(lambda: self.pem(new).strip() in published(), "the new certificate is published")

    def test_the_first_certificate_for_a_name_is_shown_and_given_names_count_more(self):
        authority = self.authority("ca")

        def issue(*names):
            return authority.issue(f"/CN={names[0]}", usage="serverAuth", names=",".join(f"DNS:{n}" for n in names))
        default, implied, second, given = issue("default"), issue("a.example.com", "*.b.example.com"), issue(
            "a.example.com", "c.example.com"), issue("x.example.com", "y.example.com")

        def flag(pair, *names):
            return "--tls-sni-cert-key=" + ",".join(map(str, pair)) + (":" + ",".join(names) if names else "")
        server = harness.Server("--storage-backend=memory", f"--tls-cert-file={default[0]}",
                                f"--tls-private-key-file={default[1]}", flag(implied), flag(second),
                                flag(given, "c.example.com", "127.0.0.2"), "--bind-address=0.0.0.0")
        self.addCleanup(server.close)
        server.tls = lambda client="anonymous": ssl._create_unverified_context()
        server.start()
        for name, pair in ((None, default), ("other.example.com", default), ("a.example.com", implied),
                           ("A.EXAMPLE.COM.", implied), ("z.b.example.com", implied), ("b.example.com", default),
                           ("c.example.com", given), ("x.example.com", default)):
            self.assertEqual(self.shown(server, name), self.pem(pair), name)
        self.assertEqual(self.shown(server, address="127.0.0.2"), self.pem(given))


class AuthoritiesTest(ReloadTest):
    def test_clients_of_a_changed_authority_are_believed_and_others_no_more(self):
        old, new = self.authority("old"), self.authority("new")
        old_admin = old.issue("/O=system:masters/CN=old-admin")
        new_admin = new.issue("/O=system:masters/CN=new-admin")
        bundle = self.put("clients", old.certificate)
        server = self.serve(f"--client-ca-file={bundle}")
        self.assertEqual(server.get("/api/v1/nodes", client=old_admin).status, 200)
        self.assertEqual(server.get("/api/v1/nodes", client=new_admin).status, 401)
        watch = server.watch("/api/v1/nodes?watch=true", client=old_admin)
        self.addCleanup(watch.close)

        self.put("clients", new.certificate)
        harness.wait_until(lambda: server.get("/api/v1/nodes", client=new_admin).status == 200, "the new are believed")
        self.assertEqual(server.get("/api/v1/nodes", client=old_admin).status, 401)
        self.assertTrue(watch.ended_cleanly())  # the old authority's word is not good any more

        def told():
            path = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication"
            return server.get(path, client=new_admin).json()["data"]["client-ca-file"]
        for authority in (old, new):  # another server may believe the old one still
            harness.wait_until(lambda: authority.certificate.read_text().strip() in told(), "both are told of")

    def test_kubelets_are_shown_the_changed_certificate(self):
        clients = self.authority("clients")
        files = self.put("kubelet-client", *clients.issue("/CN=first"))
        kubelet = kubelet_test.Kubelet(self.folder, clients.certificate)
        self.addCleanup(kubelet.close)
        answered = kubelet.server.RequestHandlerClass

        class Handler(answered):
            def do_GET(self):
                subject = dict(pair[0] for pair in self.connection.getpeercert()["subject"])
                self.server.answers["/who"] = (200, subject["commonName"].encode())
                super().do_GET()
        kubelet.server.RequestHandlerClass = Handler
        server = self.serve(f"--kubelet-client-certificate={files[0]}", f"--kubelet-client-key={files[1]}",
                            "--allow-loopback-backends")
        node = {"metadata": {"name": "n"},
                "status": {"addresses": [{"type": "InternalIP", "address": "127.0.0.1"}],
                           "daemonEndpoints": {"kubeletEndpoint": {"Port": kubelet.port}}}}
        self.assertEqual(server.post("/api/v1/nodes", node).status, 201)
        who = "/api/v1/nodes/n/proxy/who"
        self.assertEqual(server.get(who).text, "first")
        self.put("kubelet-client", *clients.issue("/CN=second"))
        harness.wait_until(lambda: server.get(who).text == "second", "the changed certificate is used")


if __name__ == "__main__":
    unittest.main()
