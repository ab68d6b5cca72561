"""The process itself: its files, its health, whom it lets in, its flags and its end."""

import json
import os
import pathlib
import signal
import socket
import ssl
import stat
import subprocess
import tempfile
import unittest

import harness


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


def run(*args, seconds=30):
    return subprocess.run([harness.BINARY, *args], capture_output=True, text=True, timeout=seconds)


class FirstAndSecondStart(unittest.TestCase):
    def setUp(self):
        self._temp = tempfile.TemporaryDirectory()
        self.addCleanup(self._temp.cleanup)
        self.data_dir = pathlib.Path(self._temp.name) / "data"

    def start(self, *args, **kwargs):
        server = harness.Server(*args, data_dir=self.data_dir, **kwargs)
        self.addCleanup(server.close)
        return server.start()

    def test_the_first_start_makes_the_files_with_their_modes(self):
        server = self.start()
        self.assertEqual(mode(self.data_dir), 0o700)
        self.assertEqual(mode(self.data_dir / "pki"), 0o700)
        self.assertEqual(mode(self.data_dir / "admin.kubeconfig"), 0o600)
        for key in (self.data_dir / "pki").glob("*.key"):
            self.assertEqual(mode(key), 0o600, key)
        self.assertTrue((self.data_dir / "db").is_dir())
        self.assertEqual(server.stdout_lines[0], f"keelson ready https://127.0.0.1:{server.port}")
        harness.wait_until(lambda: len(server.stdout_lines) == 2, "the second line")
        self.assertEqual(server.stdout_lines[1], f"export KUBECONFIG={self.data_dir}/admin.kubeconfig")

    def test_flags_that_name_another_range_of_services_are_told_of_once(self):
        self.start("--service-cluster-ip-range=10.1.0.0/24").stop()
        server = self.start("--service-cluster-ip-range=10.2.0.0/24")

        def told():
            events = server.get("/api/v1/namespaces/default/events").json()["items"]
            return [e for e in events if e["reason"] == "KubernetesDefaultServiceCIDRInconsistent"]

        (event,) = harness.wait_until(told, "the event")
        self.assertEqual(event["type"], "Warning")
        self.assertEqual(event["message"], "The default ServiceCIDR [10.1.0.0/24] does not match the controller flag "
                                           "configurations [10.2.0.0/24]")
        self.assertEqual(event["source"]["component"], "kubernetes-service-cidr-controller")
        about = event["involvedObject"]
        self.assertEqual((about["kind"], about["name"]), ("ServiceCIDR", "kubernetes"))

    def test_a_second_start_keeps_keys_and_objects(self):
        first = self.start()
        before = {f.name: f.read_bytes() for f in (self.data_dir / "pki").iterdir()}
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "kept"}, "data": {"a": "b"}}
        created = first.post("/api/v1/namespaces/default/configmaps", body)
        self.assertEqual(created.status, 201, created)
        self.assertEqual(first.stop(), 0)

        second = self.start()
        self.assertEqual({f.name: f.read_bytes() for f in (self.data_dir / "pki").iterdir()}, before)
        kept = second.get("/api/v1/namespaces/default/configmaps/kept")
        self.assertEqual(kept.json(), created.json())
        self.assertIn(f"server: https://127.0.0.1:{second.port}\n", second.kubeconfig.read_text())

    def test_the_memory_backend_forgets(self):
        first = self.start("--storage-backend=memory")
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "gone"}}
        self.assertEqual(first.post("/api/v1/namespaces", body).status, 201)
        self.assertEqual(first.stop(), 0)
        self.assertEqual(self.start("--storage-backend=memory").get("/api/v1/namespaces/gone").status, 404)

    def test_a_new_address_gets_a_new_serving_certificate(self):
        self.start().stop()
        before = (self.data_dir / "pki" / "apiserver.crt").read_bytes()
        server = self.start("--advertise-address=192.0.2.77", "--tls-san=api.example.com")
        self.assertNotEqual((self.data_dir / "pki" / "apiserver.crt").read_bytes(), before)
        with socket.create_connection(("127.0.0.1", server.port)) as raw:
            with server.tls().wrap_socket(raw, server_hostname="127.0.0.1") as tls:
                names = {value for _, value in tls.getpeercert()["subjectAltName"]}
        self.assertLessEqual({"localhost", "kubernetes.default.svc", "api.example.com", "127.0.0.1", "10.0.0.1",
                              "192.0.2.77"}, names)

    def test_keys_that_are_lost_in_part_are_named_and_nothing_is_made_in_their_place(self):
        self.start("--storage-backend=memory").stop()
        pki = self.data_dir / "pki"
        whole = {f.name: f.read_bytes() for f in pki.iterdir()}
        for lost in ("ca.crt", "ca.key", "apiserver.key", "admin.crt", "sa.key"):
            (pki / lost).unlink()
            left = {f.name: f.read_bytes() for f in pki.iterdir()}
            refused = run("serve", "--data-dir", str(self.data_dir), "--storage-backend=memory", "--secure-port", "0")
            self.assertEqual((refused.returncode, refused.stdout), (1, ""), lost)
            self.assertRegex(refused.stderr, f"error: {pki} holds .* but not {lost}: bring {lost} back from a backup, or "
                                             "remove .* to have new ones made")
            self.assertEqual({f.name: f.read_bytes() for f in pki.iterdir()}, left)
            (pki / lost).write_bytes(whole[lost])
        self.start("--storage-backend=memory")

    def test_one_data_directory_has_one_server(self):
        self.start()
        second = run("serve", "--data-dir", str(self.data_dir), "--secure-port", "0")
        self.assertEqual(second.returncode, 1)
        self.assertIn(f"data directory {self.data_dir} is in use by another process", second.stderr)

    def test_a_port_in_use_is_an_error_that_names_it(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            result = run("serve", "--data-dir", str(self.data_dir), "--bind-address", "127.0.0.1",
                         "--secure-port", str(port))
        self.assertEqual(result.returncode, 1)
        self.assertIn(f"127.0.0.1:{port}", result.stderr)
        self.assertEqual(result.stdout, "")


class Health(harness.ServerTestCase):
    def test_the_pages_answer_anybody(self):
        for page in ("/healthz", "/livez", "/readyz"):
            response = self.server.get(page, client="anonymous")
            self.assertEqual((response.status, response.text), (200, "ok"))
            self.assertEqual(response.headers["Content-Type"], "text/plain; charset=utf-8")

    def test_details_and_single_checks_are_for_those_who_may(self):
        text = self.server.get("/readyz?verbose").text
        self.assertTrue(text.startswith("[+]ping ok\n[+]log ok\n[+]etcd ok\n[+]etcd-readiness ok\n[+]informer-sync ok\n"), text)
        self.assertTrue(text.endswith("[+]shutdown ok\nreadyz check passed\n"), text)
        self.assertEqual(self.server.get("/readyz/ping").text, "ok")
        self.assertEqual(self.server.get("/readyz/ping", client="anonymous").status, 403)
        self.assertEqual(self.server.get("/livez/nope").status, 404)
        self.assertIn("[+]ping excluded: ok\n", self.server.get("/livez?verbose&exclude=ping").text)

    def test_version_is_a_kubernetes_version(self):
        version = self.server.get("/version", client="anonymous").json()
        self.assertEqual((version["major"], version["minor"]), ("1", "36"))
        self.assertRegex(version["gitVersion"], r"^v1\.36\.\d+\+keelson-\d+\.\d+\.\d+$")

    def test_metrics_count_requests(self):
        self.server.get("/api/v1/namespaces")
        text = self.server.get("/metrics").text
        self.assertIn('apiserver_request_total{code="200",component="apiserver",dry_run="",group="",'
                      'resource="namespaces",scope="cluster",subresource="",verb="LIST",version="v1"}', text)
        self.assertIn('apiserver_storage_objects{resource="namespaces"} 4\n', text)
        self.assertIn("process_resident_memory_bytes ", text)

    def test_metrics_count_open_watches(self):
        gauge = ('apiserver_longrunning_requests{component="apiserver",group="",resource="secrets",scope="cluster",'
                 'subresource="",verb="WATCH",version="v1"} ')
        watch = self.server.watch("/api/v1/secrets?watch=true")
        harness.wait_until(lambda: gauge + "1\n" in self.server.get("/metrics").text, "the watch to count")
        watch.close()
        harness.wait_until(lambda: gauge + "0\n" in self.server.get("/metrics").text, "the watch to be gone")

    def test_every_answer_has_the_common_headers(self):
        for path in ("/healthz", "/api/v1/namespaces", "/nope"):
            headers = self.server.get(path).headers
            self.assertEqual(headers["Cache-Control"], "no-cache, private", path)
            self.assertRegex(headers["Audit-Id"], r"^[0-9a-f-]{36}$", path)
        self.assertEqual(self.server.get("/", headers={"Audit-Id": "mine"}).headers["Audit-Id"], "mine")

    def test_unknown_paths_are_404(self):
        for path in ("/nope", "/openapi/v2/", "/openapi/v2/apis/apps/v1"):
            missing = self.server.get(path)
            self.assertEqual((missing.status, missing.text), (404, "404 page not found\n"), path)
        self.assertIn("/version", self.server.get("/").json()["paths"])

    def test_the_system_namespaces_are_there(self):
        names = [n["metadata"]["name"] for n in self.server.get("/api/v1/namespaces").json()["items"]]
        self.assertEqual(names, ["default", "kube-node-lease", "kube-public", "kube-system"])
        default = self.server.get("/api/v1/namespaces/default").json()
        self.assertEqual(default["spec"]["finalizers"], ["kubernetes"])
        self.assertEqual(default["status"]["phase"], "Active")
        refused = self.server.delete("/api/v1/namespaces/default")
        self.assertEqual(refused.status, 403)
        self.assertEqual(refused.json()["message"],
                         'namespaces "default" is forbidden: this namespace may not be deleted')


class WhoMayEnter(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temp = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temp.cleanup)
        tokens = pathlib.Path(cls.temp.name) / "tokens.csv"
        tokens.write_text('roottoken,root,1,"system:masters"\nanntoken,ann,2,"dev,ops"\n')
        cls.server = harness.Server("--storage-backend=memory", f"--token-auth-file={tokens}")
        cls.addClassCleanup(cls.server.close)
        cls.server.start()

    def get(self, path, token=None, **headers):
        if token:
            headers["Authorization"] = f"Bearer {token}"
        return self.server.get(path, client="anonymous", headers=headers)

    def assert_status(self, response, code, reason, message):
        self.assertEqual(response.status, code, response)
        status = response.json()
        self.assertEqual((status["kind"], status["apiVersion"], status["status"]), ("Status", "v1", "Failure"))
        self.assertEqual((status["code"], status["reason"], status["message"]), (code, reason, message))

    def test_the_administrator_may_do_everything(self):
        self.assertEqual(self.server.get("/api/v1/namespaces").status, 200)
        self.assertEqual(self.get("/api/v1/namespaces", token="roottoken").status, 200)

    def test_a_wrong_token_is_401(self):
        self.assert_status(self.get("/api/v1/namespaces", token="wrong"), 401, "Unauthorized", "Unauthorized")
        self.assert_status(self.get("/healthz", token="wrong"), 401, "Unauthorized", "Unauthorized")

    def test_a_certificate_of_another_authority_is_401(self):
        with harness.Server("--storage-backend=memory") as other:
            pki = other.data_dir / "pki"
            response = self.server.get("/healthz", client=(pki / "admin.crt", pki / "admin.key"))
        self.assert_status(response, 401, "Unauthorized", "Unauthorized")

    def test_who_may_not_gets_403_with_the_reason(self):
        self.assert_status(self.get("/api/v1/namespaces/y/pods", token="anntoken"), 403, "Forbidden",
                           'pods is forbidden: User "ann" cannot list resource "pods" in API group "" '
                           'in the namespace "y"')
        self.assert_status(self.get("/api/v1/nodes/n1"), 403, "Forbidden",
                           'nodes "n1" is forbidden: User "system:anonymous" cannot get resource "nodes" '
                           'in API group "" at the cluster scope')
        self.assert_status(self.get("/metrics", token="anntoken"), 403, "Forbidden",
                           'forbidden: User "ann" cannot get path "/metrics"')

    def test_discovery_needs_a_name_but_no_permission(self):
        self.assertEqual(self.get("/api", token="anntoken").status, 200)
        self.assertEqual(self.get("/api").status, 403)

    def test_impersonation_is_for_those_who_may(self):
        self.assertEqual(self.get("/api/v1/namespaces", token="roottoken", **{"Impersonate-User": "ann"}).status, 403)
        self.assert_status(self.get("/api", token="anntoken", **{"Impersonate-User": "root"}), 403, "Forbidden",
                           'forbidden: User "ann" cannot impersonate-on:user-info:get path "/api"')

    def test_nobody_is_anonymous_where_that_is_off(self):
        with tempfile.TemporaryDirectory() as temp:
            server = harness.Server("--storage-backend=memory", "--anonymous-auth=false", data_dir=temp + "/d",
                                    ready_client="admin")
            self.addCleanup(server.close)
            server.start()
            self.assertEqual(server.get("/healthz", client="anonymous").status, 401)
            self.assertEqual(server.get("/healthz").status, 200)

    def test_old_tls_versions_are_refused(self):
        context = self.server.tls("anonymous")
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
        with self.assertRaises(OSError):
            with socket.create_connection(("127.0.0.1", self.server.port)) as raw:
                context.wrap_socket(raw, server_hostname="127.0.0.1")


class AlwaysDeny(unittest.TestCase):
    def test_the_privileged_group_is_asked_first(self):
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as tokens:
            tokens.write('secret,ann,1,"people"\n')
            tokens.flush()
            with harness.Server("--storage-backend=memory", "--authorization-mode=AlwaysDeny",
                                f"--token-auth-file={tokens.name}", ready_client="admin") as server:
                self.assertEqual(server.get("/api/v1/namespaces").status, 200)
                refused = server.get("/api/v1/namespaces", client="anonymous",
                                     headers={"Authorization": "Bearer secret"})
                self.assertEqual(refused.status, 403)
                self.assertIn("Everything is forbidden.", refused.json()["message"])


class AlwaysAllow(unittest.TestCase):
    def test_nobody_is_anonymous_where_it_is_one_of_the_modes(self):
        with harness.Server("--storage-backend=memory", "--authorization-mode=RBAC,AlwaysAllow", ready_client="admin") as server:
            self.assertEqual(server.get("/api/v1/namespaces", client="anonymous").status, 401)
            self.assertEqual(server.get("/api/v1/namespaces").status, 200)


class GivenCertificates(unittest.TestCase):
    def test_files_on_the_command_line_replace_what_it_makes_itself(self):
        with harness.Server("--storage-backend=memory") as other, tempfile.TemporaryDirectory() as temp:
            pki = other.data_dir / "pki"
            server = harness.Server(
                "--storage-backend=memory", f"--tls-cert-file={pki}/apiserver.crt",
                f"--tls-private-key-file={pki}/apiserver.key", f"--client-ca-file={pki}/ca.crt",
                data_dir=temp + "/d", ca_file=pki / "ca.crt")
            self.addCleanup(server.close)
            server.start()
            whose = (pki / "admin.crt", pki / "admin.key")
            self.assertEqual(server.get("/api/v1/namespaces", client=whose).status, 200)
            self.assertEqual(server.get("/api/v1/namespaces", client="admin").status, 401)
            # A certificate it could issue itself would not be believed.
            self.assertFalse(server.kubeconfig.exists())
            self.assertEqual(server.stop(), 0)
            self.assertEqual(len(server.stdout_lines), 1)

    def test_a_key_of_another_certificate_is_refused(self):
        with harness.Server("--storage-backend=memory") as other, tempfile.TemporaryDirectory() as temp:
            pki = other.data_dir / "pki"
            result = run("serve", "--data-dir", temp, "--secure-port", "0", f"--tls-cert-file={pki}/apiserver.crt",
                         f"--tls-private-key-file={pki}/admin.key")
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stderr.splitlines()[-1], f"error: --tls-cert-file {pki}/apiserver.crt: the private "
                                                         "key does not belong to the certificate")


class NamespaceDeletion(harness.ServerTestCase):
    def test_a_namespace_goes_with_all_that_is_in_it(self):
        server = self.server
        server.post("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "doomed"}})
        for name in ("a", "b"):
            body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}
            self.assertEqual(server.post("/api/v1/namespaces/doomed/configmaps", body).status, 201)
        deleted = server.delete("/api/v1/namespaces/doomed")
        self.assertEqual(deleted.status, 200, deleted)
        self.assertEqual(deleted.json()["status"]["phase"], "Terminating")
        harness.wait_until(lambda: server.get("/api/v1/namespaces/doomed").status == 404, "the namespace to go")
        self.assertEqual(server.get("/api/v1/namespaces/doomed/configmaps").json()["items"], [])

    def test_what_has_a_finalizer_holds_its_namespace(self):
        server = self.server
        server.post("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "held"}})
        path = "/api/v1/namespaces/held/configmaps"
        server.post(path, {"apiVersion": "v1", "kind": "ConfigMap",
                           "metadata": {"name": "a", "finalizers": ["example.com/hold"]}})
        self.assertEqual(server.delete("/api/v1/namespaces/held").status, 200)
        harness.wait_until(lambda: "deletionTimestamp" in server.get(path + "/a").json()["metadata"],
                           "the content to be deleted")
        refused = server.post(path, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "late"}})
        self.assertEqual(refused.status, 403)
        self.assertEqual(refused.json()["message"],
                         'configmaps "late" is forbidden: unable to create new content in namespace held because it '
                         'is being terminated')
        self.assertEqual(server.get("/api/v1/namespaces/held").json()["status"]["phase"], "Terminating")
        server.patch(path + "/a", {"metadata": {"finalizers": None}})
        harness.wait_until(lambda: server.get("/api/v1/namespaces/held").status == 404, "the namespace to go", 60)


class NobodyReadsTheLog(unittest.TestCase):
    def test_a_reader_of_stderr_who_has_stopped_stops_nobody_else(self):
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        with harness.Server("--storage-backend=memory", "-v=4") as server:
            server.stop()
            with os.fdopen(writer, "wb") as full:
                server.process = subprocess.Popen(server.args, stdout=subprocess.PIPE, stderr=full,
                                                  stdin=subprocess.DEVNULL)
            ready = server.process.stdout.readline().decode()
            server.port = int(ready.rsplit(":", 1)[1])
            # Each leaves a line of more than 1,000 bytes; a pipe holds 64 KiB, the queue behind it 1 MiB.
            path = "/nothing/" + "x" * 1000
            connection = server.connect()
            self.addCleanup(connection.close)
            for _ in range(1500):
                connection.request("GET", path)
                response = connection.getresponse()
                response.read()
                self.assertEqual(response.status, 404)
            lost = [line for line in server.get("/metrics").text.splitlines()
                    if line.startswith("keelson_log_lines_dropped_total ")]
            self.assertGreater(float(lost[0].split()[1]), 0)
            server.process.send_signal(signal.SIGTERM)
            self.assertEqual(server.process.wait(timeout=30), 0)
            server.process.stdout.close()


class TheEnd(unittest.TestCase):
    def test_a_signal_ends_watches_cleanly_and_exits_0(self):
        for sig in (signal.SIGTERM, signal.SIGINT):
            with harness.Server("--storage-backend=memory") as server:
                watch = server.watch("/api/v1/namespaces?watch=true")
                self.assertEqual(watch.next()["type"], "ADDED")
                server.terminate(sig)
                self.assertTrue(watch.ended_cleanly())
                watch.close()
                self.assertEqual(server.wait(), 0)

    def test_before_the_end_it_is_not_ready_for_a_while(self):
        with harness.Server("--storage-backend=memory", "--shutdown-delay-duration=2s") as server:
            server.terminate()
            harness.wait_until(lambda: server.get("/readyz", client="anonymous").status == 500, "not ready", 2)
            self.assertEqual(server.get("/livez", client="anonymous").status, 200)
            self.assertEqual(server.get("/api/v1/namespaces").status, 200)
            self.assertEqual(server.wait(), 0)

    def test_a_second_signal_ends_it_at_once(self):
        with harness.Server("--storage-backend=memory", "--shutdown-delay-duration=1m") as server:
            server.terminate()
            harness.wait_until(lambda: server.get("/readyz", client="anonymous").status == 500, "not ready")
            server.terminate()
            self.assertEqual(server.wait(), 1)


class CommandLine(unittest.TestCase):
    def assert_refused(self, message, *args):
        result = run("serve", "--data-dir", "/nonexistent/keelson", *args)
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertEqual(result.stderr, f"error: {message}\n")

    def test_flags_it_does_not_know_or_have_are_named(self):
        self.assert_refused("unknown flag: --bogus: neither kube-apiserver v1.36 nor keelson has it; "
                            "keelson serve --help lists those there are\n"
                            "flag --service-account-signing-endpoint is known to kube-apiserver but not "
                            "implemented by keelson: use --service-account-signing-key-file",
                            "--bogus=1", "--service-account-signing-endpoint=/x")
        self.assert_refused("--storage-backend: unknown backend: sqlite (embedded, memory or etcd3)",
                            "--storage-backend=sqlite")
        self.assert_refused("authorization-mode Webhook's authorization config file not passed",
                            "--authorization-mode=Webhook")

    def test_files_that_are_not_there_are_named(self):
        with tempfile.TemporaryDirectory() as temp:
            result = run("serve", "--data-dir", temp, "--secure-port", "0", "--token-auth-file", "/nonexistent/tokens")
        self.assertEqual(result.returncode, 1)
        self.assertIn("/nonexistent/tokens: No such file or directory", result.stderr)

    def test_called_kube_apiserver_it_serves(self):
        with tempfile.TemporaryDirectory() as temp:
            link = pathlib.Path(temp) / "kube-apiserver"
            link.symlink_to(pathlib.Path(harness.BINARY).resolve())
            result = subprocess.run([link, "--bogus"], capture_output=True, text=True, timeout=30)
        self.assertEqual(result.returncode, 1)
        self.assertIn("error: unknown flag: --bogus: ", result.stderr)

    def test_version_and_usage(self):
        self.assertRegex(run("version").stdout, r"^keelson v1\.36\.\d+\+keelson-")
        self.assertEqual(json.loads(run("version", "--json").stdout)["minor"], "36")
        self.assertEqual(run("nope").returncode, 1)
        self.assertIn("serve", run("--help").stdout)
        self.assertIn("--secure-port", run("serve", "--help").stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
