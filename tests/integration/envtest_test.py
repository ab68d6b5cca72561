"""`keelson envtest`, and Keelson under the names kube-apiserver and etcd, as controller-runtime's envtest starts them."""

import http.client
import json
import os
import pathlib
import shutil
import ssl
import subprocess
import tempfile
import threading
import unittest
import urllib.request

import harness
import ports


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, **options)


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="keelson-envtest-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def program(self, folder, name):
        """A program that does nothing, for the PATH."""
        (self.folder / folder).mkdir(exist_ok=True)
        path = self.folder / folder / name
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
        return path

    def envtest(self, *args, path=""):
        return run(harness.BINARY, "envtest", str(self.folder / "assets"), *args, env={**os.environ, "PATH": path})

    def link(self, name):
        return pathlib.Path(os.readlink(self.folder / "assets" / name))


class EnvtestFolderTest(Folder):
    def test_without_an_etcd_keelson_is_one(self):
        made = self.envtest()
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertIn(f"export KUBEBUILDER_ASSETS='{self.folder}/assets'\n", made.stdout)
        binary = pathlib.Path(harness.BINARY).resolve()
        self.assertEqual(self.link("kube-apiserver"), binary)
        self.assertEqual(self.link("etcd"), binary)
        self.assertFalse((self.folder / "assets" / "kubectl").exists())

    def test_programs_on_the_path_are_used(self):
        real, kubectl = self.program("bin", "etcd"), self.program("bin", "kubectl")
        made = self.envtest(path=str(self.folder / "bin"))
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual(self.link("etcd"), real)
        self.assertEqual(self.link("kubectl"), kubectl)

    def test_programs_that_are_named_count_more(self):
        self.program("bin", "etcd")
        named = self.program("other", "my-etcd")
        self.assertEqual(self.envtest("--etcd", str(named), path=str(self.folder / "bin")).returncode, 0)
        self.assertEqual(self.link("etcd"), named)
        self.assertEqual(self.envtest("--etcd", "keelson", path=str(self.folder / "bin")).returncode, 0)
        self.assertEqual(self.link("etcd"), pathlib.Path(harness.BINARY).resolve())

    def test_what_is_no_program_or_no_link_is_left_alone(self):
        refused = self.envtest("--etcd", "/no/such/etcd")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("--etcd: /no/such/etcd is not a program", refused.stderr)
        own = self.program("assets", "kube-apiserver")
        refused = self.envtest()
        self.assertEqual(refused.returncode, 1)
        self.assertIn("is there and is no link", refused.stderr)
        self.assertEqual(own.read_text(), "#!/bin/sh\n")


class Environment(Folder):
    """Keelson as kube-apiserver on Keelson as etcd, with the flags that envtest gives them."""

    def setUp(self):
        super().setUp()
        self.assertEqual(self.envtest().returncode, 0)
        self.assets = self.folder / "assets"
        self.certs, self.home = self.folder / "certs", self.folder / "home"
        self.certs.mkdir()
        self.home.mkdir()
        self.etcd_port, self.port = ports.free_ports(2)
        self.etcd_url = f"http://127.0.0.1:{self.etcd_port}"

    def start(self, *command):
        home = {"HOME": str(self.home), "XDG_DATA_HOME": str(self.home)}
        with open(self.log_of(command[0]), "ab") as log:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log,
                                       env={**os.environ, **home})

        def stop():
            if process.poll() is None:
                process.terminate()
                self.assertEqual(process.wait(timeout=30), 0)
        self.addCleanup(stop)
        return process

    def log_of(self, program):
        return self.folder / (pathlib.Path(program).name + ".log")

    def wait_until_healthy(self, process, healthy):
        """Fails with the program's log when it has ended before."""
        program = pathlib.Path(process.args[0]).name

        def answers():
            self.assertIsNone(process.poll(), f"{program} has ended: {self.log_of(program).read_text()[-2000:]}")
            return healthy()
        harness.wait_until(answers, f"{program} is healthy")

    def start_etcd(self, *args):
        process = self.start(str(self.assets / "etcd"), f"--listen-client-urls={self.etcd_url}",
                             f"--advertise-client-urls={self.etcd_url}", "--listen-peer-urls=http://localhost:0", *args)
        self.wait_until_healthy(process, self.etcd_healthy)
        return process

    def etcd_healthy(self):
        try:
            with urllib.request.urlopen(self.etcd_url + "/health", timeout=5) as answer:
                return json.load(answer)["health"] == "true"
        except OSError:
            return False

    def key_pair(self, name, subject, *more):
        """A certificate of its own, or of the authority that `more` names, with its key."""
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                        "-nodes", "-keyout", self.certs / f"{name}.key", "-out", self.certs / f"{name}.crt", "-days",
                        "1", "-subj", subject, *more], check=True, capture_output=True)

    def start_apiserver(self, *args):
        self.key_pair("sa-signer", "/CN=signer")
        self.key_pair("ca", "/CN=ca")
        self.key_pair("admin", "/O=system:masters/CN=admin", "-CA", str(self.certs / "ca.crt"), "-CAkey",
                      str(self.certs / "ca.key"))
        process = self.start(
            str(self.assets / "kube-apiserver"), "--allow-privileged=true", "--authorization-mode=RBAC",
            "--bind-address=127.0.0.1", f"--cert-dir={self.certs}", f"--client-ca-file={self.certs}/ca.crt",
            "--disable-admission-plugins=ServiceAccount", f"--etcd-servers={self.etcd_url}",
            f"--secure-port={self.port}", f"--service-account-issuer=https://127.0.0.1:{self.port}/",
            f"--service-account-key-file={self.certs}/sa-signer.crt",
            f"--service-account-signing-key-file={self.certs}/sa-signer.key",
            "--service-cluster-ip-range=10.0.0.0/24", *args)
        self.wait_until_healthy(process, lambda: self.ask("GET", "/healthz", anonymous=True)[0] == 200)

    def ask(self, method, path, body=None, anonymous=False):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        if not anonymous:
            context.load_cert_chain(self.certs / "admin.crt", self.certs / "admin.key")
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=context, timeout=30)
        try:
            connection.request(method, path, None if body is None else json.dumps(body),
                               {"Content-Type": "application/json"})
            answer = connection.getresponse()
            text = answer.read()
            return answer.status, json.loads(text) if text.startswith(b"{") else text
        except OSError:
            return 0, None
        finally:
            connection.close()

    def etcdctl(self, *args, **options):
        return run("etcdctl", f"--endpoints={self.etcd_url}", *args,
                   env={**os.environ, "ETCDCTL_API": "3"}, **options)


class EnvtestServersTest(Environment):
    def test_a_bare_server_runs_no_controllers_and_leaves_nothing_behind(self):
        self.start_etcd("--unsafe-no-fsync=true", f"--data-dir={self.folder}/etcd-data")
        self.start_apiserver()
        self.assertTrue((self.certs / "apiserver.crt").exists())
        self.assertEqual((self.certs / "apiserver.key").stat().st_mode & 0o777, 0o600)
        self.assertEqual(list(self.home.iterdir()), [])
        self.assertFalse((self.folder / "etcd-data").exists())

        config_maps = "/api/v1/namespaces/default/configmaps"
        status, owner = self.ask("POST", config_maps, {"metadata": {"name": "owner"}})
        self.assertEqual(status, 201, owner)
        reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["metadata"]["uid"]}
        self.ask("POST", config_maps, {"metadata": {"name": "owned", "ownerReferences": [reference]}})
        self.assertEqual(self.ask("DELETE", f"{config_maps}/owner")[0], 200)
        self.assertEqual(self.ask("POST", "/api/v1/namespaces", {"metadata": {"name": "short"}})[0], 201)
        self.assertEqual(self.ask("DELETE", "/api/v1/namespaces/short")[0], 200)
        # Nobody collects, nobody empties namespaces, nobody makes accounts.
        self.assertEqual(self.ask("GET", f"{config_maps}/owned")[0], 200)
        self.assertEqual(self.ask("GET", "/api/v1/namespaces/short")[1]["status"]["phase"], "Terminating")
        self.assertEqual(self.ask("GET", "/api/v1/namespaces/default/serviceaccounts")[1]["items"], [])

    def test_controllers_run_when_they_are_asked_for(self):
        self.start_etcd()
        self.start_apiserver("--controllers=*,-serviceaccount-controller")
        self.assertEqual(self.ask("POST", "/api/v1/namespaces", {"metadata": {"name": "short"}})[0], 201)
        self.assertEqual(self.ask("DELETE", "/api/v1/namespaces/short")[0], 200)
        harness.wait_until(lambda: self.ask("GET", "/api/v1/namespaces/short")[0] == 404, "the namespace is gone")
        self.assertEqual(self.ask("GET", "/api/v1/namespaces/default/serviceaccounts")[1]["items"], [])

    def test_help_tells_which_flags_there_are(self):
        """envtest reads it to learn what it may give."""
        for name, has, has_not in (("kube-apiserver", "--cert-dir", "--insecure-port"),
                                   ("etcd", "--unsafe-no-fsync", "--cert-file")):
            told = run(str(self.assets / name), "--help")
            self.assertEqual(told.returncode, 0)
            self.assertRegex(told.stdout, rf"(?m)^\s*{has}\b")
            self.assertNotRegex(told.stdout, rf"(?m)^\s*{has_not}\b")

    def test_half_a_pair_is_refused(self):
        self.start_etcd()
        (self.certs / "apiserver.crt").write_text("x")
        refused = run(str(self.assets / "kube-apiserver"), f"--cert-dir={self.certs}",
                      f"--etcd-servers={self.etcd_url}", f"--secure-port={self.port}")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("certificate and key must be supplied as a pair", refused.stderr)


class EtcdTest(Environment):
    def test_etcdctl_reads_writes_and_asks(self):
        self.start_etcd()
        self.assertEqual(self.etcdctl("put", "a", "1").stdout, "OK\n")
        self.assertEqual(self.etcdctl("put", "a", "2", "--prev-kv").stdout, "OK\na\n1\n")
        self.assertEqual(self.etcdctl("get", "", "--prefix").stdout, "a\n2\n")
        status = json.loads(self.etcdctl("endpoint", "status", "-w", "json").stdout)
        self.assertEqual(status[0]["Status"]["header"]["revision"], 3)
        self.assertIn(self.etcd_url, self.etcdctl("member", "list").stdout)
        self.assertEqual(self.etcdctl("txn", input='mod("a") = "3"\n\nput b 1\n\nget a\n\n').stdout.split()[0],
                         "SUCCESS")
        self.assertIn("2\n", self.etcdctl("del", "", "--prefix").stdout)
        refused = self.etcdctl("snapshot", "save", str(self.folder / "snapshot"))
        self.assertIn("keelson does not serve /etcdserverpb.Maintenance/Snapshot", refused.stderr + refused.stdout)

    def test_a_lease_ends_with_its_keys(self):
        self.start_etcd()
        lease = self.etcdctl("lease", "grant", "1").stdout.split()[1]
        self.assertEqual(self.etcdctl("put", "short", "x", f"--lease={lease}").stdout, "OK\n")
        harness.wait_until(lambda: self.etcdctl("get", "short").stdout == "", "the key goes with its lease")
        lease = self.etcdctl("lease", "grant", "600").stdout.split()[1]
        self.etcdctl("put", "long", "x", f"--lease={lease}")
        self.assertIn("keepalived with TTL(600)", self.etcdctl("lease", "keep-alive", "--once", lease).stdout)
        self.assertIn("attached keys([long])", self.etcdctl("lease", "timetolive", lease, "--keys").stdout)
        self.etcdctl("lease", "revoke", lease)
        self.assertEqual(self.etcdctl("get", "long").stdout, "")

    def test_a_watch_tells_what_was_and_what_comes(self):
        self.start_etcd()
        self.etcdctl("put", "k", "past")
        watch = subprocess.Popen(["etcdctl", f"--endpoints={self.etcd_url}", "watch", "k", "--rev=2", "--prev-kv"],
                                 stdout=subprocess.PIPE, text=True, env={**os.environ, "ETCDCTL_API": "3"})
        lines = []
        reader = threading.Thread(target=lambda: lines.extend(iter(watch.stdout.readline, "")), daemon=True)
        reader.start()
        try:
            harness.wait_until(lambda: len(lines) >= 3, "the past event")
            self.etcdctl("put", "k", "now")
            harness.wait_until(lambda: len(lines) >= 8, "the event with what was before")
            self.assertEqual("".join(lines), "PUT\nk\npast\nPUT\nk\npast\nk\nnow\n")
        finally:
            watch.kill()
            watch.wait()
            reader.join()
            watch.stdout.close()

    def test_with_a_data_directory_everything_is_there_again(self):
        data = f"--data-dir={self.folder}/data"
        first = self.start_etcd(data)
        self.etcdctl("put", "a", "1")
        before = json.loads(self.etcdctl("get", "a", "-w", "json").stdout)
        first.kill()
        first.wait()
        self.start_etcd(data)
        self.assertEqual(json.loads(self.etcdctl("get", "a", "-w", "json").stdout), before)

    def test_what_is_not_implemented_is_refused(self):
        for flag, why in (("--cert-file=x", "--cert-file"),
                          ("--listen-client-urls=https://127.0.0.1:1", "only http:// is implemented"),
                          ("--listen-client-urls=http://127.0.0.1:1,http://127.0.0.1:2", "one address"),
                          ("--initial-cluster-state=existing", "not implemented"),
                          ("--auto-compaction-retention=1h", "not implemented")):
            refused = run(str(self.assets / "etcd"), flag)
            self.assertEqual(refused.returncode, 1, flag)
            self.assertIn(why, refused.stderr)


if __name__ == "__main__":
    unittest.main()
