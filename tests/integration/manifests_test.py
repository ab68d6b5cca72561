"""Keelson as kube-apiserver from the flags that installers write for v1.36, unchanged.

The flags are those of kubeadm (cmd/kubeadm/app/phases/controlplane/manifests.go), kind and minikube, which add to them,
k3s (pkg/daemons/control/server.go), and a manifest after the CIS benchmark. Only addresses, ports and the folders of
files differ. The root file system is read-only where the system lets a test make it so; there is no home.
"""

import functools
import json
import os
import pathlib
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import unittest

import etcd
import harness
import identity
import ports

ANYBODY = 65534


@functools.cache
def can_mount():
    """Whether a process may have mounts of its own."""
    done = subprocess.run(["unshare", "--mount", "sh", "-c", "mount -o remount,ro,bind /"], capture_output=True)
    return done.returncode == 0


class UnixGate:
    """A socket on this machine whose connections lead to a port, as kine's does to its database."""

    def __init__(self, path, port):
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        self._port = port
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                here, _ = self._listener.accept()
            except OSError:
                return
            there = socket.create_connection(("127.0.0.1", self._port))
            for a, b in ((here, there), (there, here)):
                threading.Thread(target=self._copy, args=(a, b), daemon=True).start()

    @staticmethod
    def _copy(a, b):
        try:
            while data := a.recv(65536):
                b.sendall(data)
        except OSError:
            pass
        for one in (a, b):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self):
        self._listener.close()


class ConnectProxy:
    """What k3s is to its API server: asked by TLS to connect to a kubelet, it leads to one, here of its own."""

    def __init__(self, pki):
        self.asked = []
        self._kubelet, self._proxy = self._context(pki, "kubelet"), self._context(pki, "apiserver")
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    @staticmethod
    def _context(pki, name):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pki / f"{name}.crt", pki / f"{name}.key")
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(pki / "ca.crt")
        return context

    def _accept(self):
        while True:
            try:
                raw, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(raw,), daemon=True).start()

    def _serve(self, raw):
        with raw, self._proxy.wrap_socket(raw, server_side=True) as outer:
            head = self._head(outer.recv)
            self.asked.append(head.split()[1])
            outer.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
            inner = self._kubelet.wrap_bio(incoming, outgoing, server_side=True)

            def until_done(step):
                while True:
                    try:
                        done = step()
                    except ssl.SSLWantReadError:
                        done = None
                    outer.sendall(outgoing.read())
                    if done is not None:
                        return done
                    incoming.write(outer.recv(65536))
            until_done(lambda: inner.do_handshake() or True)
            self._head(lambda size: until_done(lambda: inner.read(size)))
            until_done(lambda: inner.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\na kubelet"))

    @staticmethod
    def _head(receive):
        head = b""
        while b"\r\n\r\n" not in head:
            head += receive(65536)
        return head.decode()

    def close(self):
        self._listener.close()


class ManifestTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="keelson-manifest-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.folder.chmod(0o755)
        self.pki, self.var = self.folder / "pki", self.folder / "var"
        for folder in (self.pki, self.var):
            folder.mkdir()
        (self.folder / "kube-apiserver").symlink_to(pathlib.Path(harness.BINARY).resolve())
        self.port = ports.free_port()
        self.ca, self.etcd_ca, self.front_ca = map(identity.Authority, ("kubernetes", "etcd-ca", "front-proxy-ca"))
        for authority in (self.ca, self.etcd_ca, self.front_ca):
            self.addCleanup(authority.close)
        names = "DNS:kubernetes,DNS:kubernetes.default.svc,DNS:localhost,IP:127.0.0.1,IP:10.96.0.1"
        self.install("ca", self.ca.certificate)
        self.install("etcd-ca", self.etcd_ca.certificate)
        self.install("front-proxy-ca", self.front_ca.certificate)
        self.install("apiserver", *self.ca.issue("/CN=kube-apiserver", usage="serverAuth", names=names))
        self.install("apiserver-kubelet-client", *self.ca.issue("/O=kubeadm:cluster-admins/CN=apiserver-kubelet-client"))
        self.install("apiserver-etcd-client", *self.etcd_ca.issue("/CN=kube-apiserver-etcd-client"))
        self.install("front-proxy-client", *self.front_ca.issue("/CN=front-proxy-client"))
        self.install("kubelet", *self.ca.issue("/CN=agent", usage="serverAuth", names="DNS:agent.invalid"))
        self.install("admin", *self.ca.issue("/O=system:masters/CN=kubernetes-admin"))
        self.install("etcd-server", *self.etcd_ca.issue("/CN=etcd", usage="serverAuth,clientAuth", names="IP:127.0.0.1"))
        identity.openssl("genrsa", "-out", self.pki / "sa.key", 2048)
        identity.openssl("rsa", "-in", self.pki / "sa.key", "-pubout", "-out", self.pki / "sa.pub")
        for file in self.pki.iterdir():
            file.chmod(0o644)

    def install(self, name, certificate, key=None):
        shutil.copy(certificate, self.pki / f"{name}.crt")
        if key:
            shutil.copy(key, self.pki / f"{name}.key")

    def start_etcd(self, tls=True):
        files = [self.pki / name for name in ("etcd-ca.crt", "etcd-server.crt", "etcd-server.key")]
        member = etcd.Etcd(tls=files if tls else None)
        self.addCleanup(member.close)
        return member.start()

    def kubeadm(self, member, **changes):
        """The flags of kubeadm's manifest; `changes` are extra arguments, with _ for -."""
        flags = {
            "advertise-address": "127.0.0.1",
            "allow-privileged": "true",
            "authorization-mode": "Node,RBAC",
            "client-ca-file": f"{self.pki}/ca.crt",
            "enable-admission-plugins": "NodeRestriction",
            "enable-bootstrap-token-auth": "true",
            "etcd-cafile": f"{self.pki}/etcd-ca.crt",
            "etcd-certfile": f"{self.pki}/apiserver-etcd-client.crt",
            "etcd-keyfile": f"{self.pki}/apiserver-etcd-client.key",
            "etcd-servers": member.url,
            "kubelet-client-certificate": f"{self.pki}/apiserver-kubelet-client.crt",
            "kubelet-client-key": f"{self.pki}/apiserver-kubelet-client.key",
            "kubelet-preferred-address-types": "InternalIP,ExternalIP,Hostname",
            "proxy-client-cert-file": f"{self.pki}/front-proxy-client.crt",
            "proxy-client-key-file": f"{self.pki}/front-proxy-client.key",
            "requestheader-allowed-names": "front-proxy-client",
            "requestheader-client-ca-file": f"{self.pki}/front-proxy-ca.crt",
            "requestheader-extra-headers-prefix": "X-Remote-Extra-",
            "requestheader-group-headers": "X-Remote-Group",
            "requestheader-username-headers": "X-Remote-User",
            "secure-port": str(self.port),
            "service-account-issuer": "https://kubernetes.default.svc.cluster.local",
            "service-account-key-file": f"{self.pki}/sa.pub",
            "service-account-signing-key-file": f"{self.pki}/sa.key",
            "service-cluster-ip-range": "10.96.0.0/16",
            "tls-cert-file": f"{self.pki}/apiserver.crt",
            "tls-private-key-file": f"{self.pki}/apiserver.key",
        }
        flags.update({name.replace("_", "-"): value for name, value in changes.items()})
        return flags

    def start(self, flags, user=None):
        """Starts with these flags, as `user` if this process may choose; waits until it is ready."""
        command = [str(self.folder / "kube-apiserver"), *(f"--{name}={value}" for name, value in flags.items())]
        if user and os.geteuid() == 0:
            command = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *command]
        if can_mount():
            # What is mounted by itself stays writable.
            read_only = 'mount --bind "$0" "$0" && mount -o remount,ro,bind / && exec "$@"'
            command = ["unshare", "--mount", "sh", "-c", read_only, str(self.var), *command]
        self.log = self.folder / "log"
        with open(self.log, "wb") as log:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/",
                                       env={"PATH": os.environ["PATH"]})
        self.process = process
        self.addCleanup(self.end, process)
        self.server = harness.Server(data_dir=self.folder, ca_file=self.pki / "ca.crt")
        self.server.port = self.port
        self.admin = (self.pki / "admin.crt", self.pki / "admin.key")

        def ready():
            self.assertIsNone(process.poll(), self.log.read_text())
            try:
                return self.server.get("/readyz", client=self.admin).status == 200
            except OSError:
                return False
        harness.wait_until(ready, "the server is ready", seconds=60)
        return self.server

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
            process.wait()

    def check(self, server, cluster_ip="10.96.0.1"):
        """It works, nothing but /var was written, and it ends when told to."""
        made = server.post("/api/v1/namespaces", {"metadata": {"name": "demo"}}, client=self.admin)
        self.assertEqual(made.status, 201, made)
        made = server.post("/api/v1/namespaces/demo/secrets", {"metadata": {"name": "a"}}, client=self.admin)
        self.assertEqual(made.status, 201, made)
        service = server.get("/api/v1/namespaces/default/services/kubernetes", client=self.admin).json()
        self.assertEqual(service["spec"]["clusterIP"], cluster_ip)
        review = {"spec": {"audiences": [], "expirationSeconds": 3600}}
        server.post("/api/v1/namespaces/demo/serviceaccounts", {"metadata": {"name": "a"}}, client=self.admin)
        token = server.post("/api/v1/namespaces/demo/serviceaccounts/a/token", review, client=self.admin)
        self.assertEqual(token.status, 201, token)
        bearer = {"Authorization": "Bearer " + token.json()["status"]["token"]}
        who = server.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", {}, headers=bearer, client="anonymous")
        self.assertEqual(who.json()["status"]["userInfo"]["username"], "system:serviceaccount:demo:a", who)
        self.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.process.wait(timeout=60), 0, self.log.read_text())
        self.assertFalse(list(self.folder.glob("**/admin.kubeconfig")))

    def test_kubeadm(self):
        self.check(self.start(self.kubeadm(self.start_etcd())))

    def test_kind(self):
        self.check(self.start(self.kubeadm(self.start_etcd(), runtime_config="")))

    def test_minikube(self):
        plugins = ("NamespaceLifecycle,LimitRanger,ServiceAccount,DefaultStorageClass,DefaultTolerationSeconds,"
                   "NodeRestriction,MutatingAdmissionWebhook,ValidatingAdmissionWebhook,ResourceQuota")
        self.check(self.start(self.kubeadm(self.start_etcd(), enable_admission_plugins=plugins,
                                           feature_gates="ExtendWebSocketsToKubelet=false")))

    def test_k3s(self):
        member = self.start_etcd(tls=False)
        gate = UnixGate(self.folder / "kine.sock", int(member.url.rsplit(":", 1)[1]))
        self.addCleanup(gate.close)
        proxy = ConnectProxy(self.pki)
        self.addCleanup(proxy.close)
        (self.folder / "egress-selector-config.yaml").write_text(json.dumps({
            "kind": "EgressSelectorConfiguration", "apiVersion": "apiserver.k8s.io/v1beta1",
            "egressSelections": [{"name": "cluster", "connection": {
                "proxyProtocol": "HTTPConnect",
                "transport": {"tcp": {"url": f"https://127.0.0.1:{proxy.port}", "tlsConfig": {
                    "caBundle": f"{self.pki}/ca.crt", "clientKey": f"{self.pki}/apiserver-kubelet-client.key",
                    "clientCert": f"{self.pki}/apiserver-kubelet-client.crt"}}}}}]}))
        (self.var / "temporary-certs").mkdir()
        (self.folder / "encryption.json").write_text(json.dumps({
            "kind": "EncryptionConfiguration", "apiVersion": "apiserver.config.k8s.io/v1", "resources": [
                {"resources": ["secrets"], "providers": [{"aescbc": {"keys": [
                    {"name": "aescbckey", "secret": "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="}]}}, {"identity": {}}]}]}))
        server = self.start({
            "advertise-address": "127.0.0.1",
            "advertise-port": str(self.port),
            "allow-privileged": "true",
            "anonymous-auth": "false",
            "api-audiences": "https://kubernetes.default.svc.cluster.local,k3s",
            "authorization-mode": "Node,RBAC",
            "bind-address": "127.0.0.1",
            "cert-dir": f"{self.var}/temporary-certs",
            "client-ca-file": f"{self.pki}/ca.crt",
            "egress-selector-config-file": f"{self.folder}/egress-selector-config.yaml",
            "enable-admission-plugins": "NodeRestriction",
            "enable-aggregator-routing": "true",
            "enable-bootstrap-token-auth": "true",
            "encryption-provider-config": f"{self.folder}/encryption.json",
            "encryption-provider-config-automatic-reload": "true",
            "etcd-servers": f"unix://{self.folder}/kine.sock",
            "kubelet-certificate-authority": f"{self.pki}/ca.crt",
            "kubelet-client-certificate": f"{self.pki}/apiserver-kubelet-client.crt",
            "kubelet-client-key": f"{self.pki}/apiserver-kubelet-client.key",
            "kubelet-preferred-address-types": "InternalIP,ExternalIP,Hostname",
            "profiling": "false",
            "proxy-client-cert-file": f"{self.pki}/front-proxy-client.crt",
            "proxy-client-key-file": f"{self.pki}/front-proxy-client.key",
            "requestheader-allowed-names": "system:auth-proxy",
            "requestheader-client-ca-file": f"{self.pki}/front-proxy-ca.crt",
            "requestheader-extra-headers-prefix": "X-Remote-Extra-",
            "requestheader-group-headers": "X-Remote-Group",
            "requestheader-username-headers": "X-Remote-User",
            "secure-port": str(self.port),
            "service-account-issuer": "https://kubernetes.default.svc.cluster.local",
            "service-account-key-file": f"{self.pki}/sa.pub",
            "service-account-signing-key-file": f"{self.pki}/sa.key",
            "service-cluster-ip-range": "10.43.0.0/16",
            "service-node-port-range": "30000-32767",
            "storage-backend": "etcd3",
            "tls-cert-file": f"{self.pki}/apiserver.crt",
            "tls-private-key-file": f"{self.pki}/apiserver.key",
        })
        # A kubelet whose name only the proxy can find.
        node = {"metadata": {"name": "agent"},
                "status": {"addresses": [{"type": "Hostname", "address": "agent.invalid"}],
                           "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}}}}
        self.assertEqual(server.post("/api/v1/nodes", node, client=self.admin).status, 201)
        answer = server.get("/api/v1/nodes/agent/proxy/healthz", client=self.admin)
        self.assertEqual((answer.status, answer.text), (200, "a kubelet"), answer)
        self.assertEqual(proxy.asked, ["agent.invalid:10250"])
        self.check(server, cluster_ip="10.43.0.1")

    def test_hardened(self):
        (self.folder / "audit.yaml").write_text("apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: Metadata\n")
        (self.folder / "limits.yaml").write_text(
            "apiVersion: eventratelimit.admission.k8s.io/v1alpha1\nkind: Configuration\n"
            "limits:\n- type: Server\n  qps: 5000\n  burst: 20000\n")
        (self.folder / "admission.yaml").write_text(
            "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins:\n"
            f"- name: EventRateLimit\n  path: {self.folder}/limits.yaml\n")
        (self.folder / "encryption.yaml").write_text(
            "apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n- resources: [secrets]\n"
            "  providers:\n  - aescbc:\n      keys:\n      - name: key1\n"
            "        secret: MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=\n  - identity: {}\n")
        self.var.chmod(0o777)
        member = self.start_etcd()
        suites = ("TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,"
                  "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305,TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,"
                  "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305,TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384")
        server = self.start(self.kubeadm(
            member, anonymous_auth="false", audit_log_path=f"{self.var}/audit.log", audit_log_maxage="30",
            audit_log_maxbackup="10", audit_log_maxsize="100", audit_policy_file=f"{self.folder}/audit.yaml",
            enable_admission_plugins="NodeRestriction,AlwaysPullImages,EventRateLimit,DenyServiceExternalIPs",
            admission_control_config_file=f"{self.folder}/admission.yaml",
            encryption_provider_config=f"{self.folder}/encryption.yaml",
            encryption_provider_config_automatic_reload="true",
            kubelet_certificate_authority=f"{self.pki}/ca.crt", profiling="false", request_timeout="300s",
            service_account_lookup="true", service_account_extend_token_expiration="false",
            tls_cipher_suites=suites, tls_min_version="VersionTLS12", bind_address="0.0.0.0",
            event_ttl="24h"), user=ANYBODY)
        self.check(server)
        self.assertIn('"resource":"secrets"', (self.var / "audit.log").read_text())
        self.assertTrue(member.get("/registry/secrets/demo/a")[0].startswith(b"k8s:enc:aescbc:v1:key1:"))


if __name__ == "__main__":
    unittest.main()
