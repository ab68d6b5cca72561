"""Several servers on one etcd cluster, behind one address: they share the files that servers of one cluster share, and each
has a name, an address and a port of its own, to which it comes back."""

import contextlib
import http.client
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "integration"))

import harness  # noqa: E402  (the folder is only known now)
from balancer import Balancer  # noqa: E402
from etcd import EtcdCluster, free_ports  # noqa: E402

SERVICE_RANGE = "10.96.0.0/24"
# A balancer that looks ten times a second has noticed after one; watches end one by one.
SHUTDOWN = ("--shutdown-delay-duration=1s", "--shutdown-send-retry-after", "--shutdown-watch-termination-grace-period=2s")
SHARED_FILES = ("ca.crt", "ca.key", "admin.crt", "admin.key", "sa.key", "sa.pub")


class Keelson(harness.Server):
    kind = "keelson"

    def __init__(self, name, folder, etcd, address, *args):
        (port,) = free_ports(1)
        super().__init__(f"--etcd-servers={etcd}", f"--advertise-address={address}",
                         f"--service-cluster-ip-range={SERVICE_RANGE}", "--controllers=*",
                         "--disable-admission-plugins=ServiceAccount", *SHUTDOWN, *args, data_dir=folder, port=port)
        self.name, self.address, self.port = name, address, port
        self.args = harness.on_host(name, self.args)
        self.logs = []  # of every run that has ended

    def wait(self, seconds=60):
        code = super().wait(seconds)
        self.logs.append(self.log())
        return code

    def kill(self):
        super().kill()
        self.logs.append(self.log())

    def is_ready(self):
        try:
            return self.get("/readyz", client="anonymous", timeout=5).status == 200
        except (OSError, http.client.HTTPException):
            return False


class KubeApiserver(Keelson):
    kind = "kube-apiserver"

    def __init__(self, name, folder, etcd, address, *args):
        super().__init__(name, folder, etcd, address)
        pki = folder / "pki"
        self.args = harness.on_host(name, [
            os.environ["KUBE_APISERVER"], f"--etcd-servers={etcd}", f"--advertise-address={address}",
            "--bind-address=127.0.0.1", f"--secure-port={self.port}", f"--service-cluster-ip-range={SERVICE_RANGE}",
            f"--client-ca-file={pki}/ca.crt", f"--tls-cert-file={pki}/apiserver.crt",
            f"--tls-private-key-file={pki}/apiserver.key", f"--service-account-key-file={pki}/sa.pub",
            f"--service-account-signing-key-file={pki}/sa.key",
            "--service-account-issuer=https://kubernetes.default.svc.cluster.local", "--authorization-mode=Node,RBAC",
            "--disable-admission-plugins=ServiceAccount", *SHUTDOWN, *args])

    def start(self):
        """It ends by itself where a hook of its start takes too long, and is started again, as a kubelet would."""
        self._stderr = open(self.data_dir.parent / (self.data_dir.name + ".log"), "wb")
        for _ in range(3):
            self.process = subprocess.Popen(self.args, stdout=self._stderr, stderr=self._stderr, stdin=subprocess.DEVNULL)
            harness.wait_until(lambda: self.process.poll() is not None or self.is_ready(), "kube-apiserver is ready", seconds=180)
            if self.process.poll() is None:
                return self
        raise AssertionError(f"kube-apiserver did not start:\n{self.log()[-3000:]}")


class Fleet:
    """`kinds`: a class and further flags for each server. The first must be a Keelson: it makes the shared files."""

    def __init__(self, kinds):
        self._kinds = kinds
        self._open = contextlib.ExitStack()
        self.servers = []

    def __enter__(self):
        try:
            self._start()
        except BaseException:
            self._open.close()
            raise
        return self

    def __exit__(self, *_):
        self._open.close()

    def _start(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="keelson-fleet-"))
        self._open.callback(shutil.rmtree, folder, ignore_errors=True)
        self.etcd = self._open.enter_context(EtcdCluster())
        for number, (kind, args) in enumerate(self._kinds):
            own = folder / f"s{number}"
            (own / "pki").mkdir(parents=True)
            own.chmod(0o700)
            if number:
                first = self.servers[0].data_dir / "pki"
                for file in (*SHARED_FILES, *(("apiserver.crt", "apiserver.key") if kind is KubeApiserver else ())):
                    shutil.copy2(first / file, own / "pki" / file)
            server = kind(f"server-{number}", own, self.etcd.urls, f"192.0.2.{number + 1}", *args)
            self._open.callback(server.close)
            self.servers.append(server.start())
        self.balancer = Balancer([server.port for server in self.servers], self.servers[0].tls("anonymous"))
        self._open.callback(self.balancer.close)
        harness.wait_until(lambda: all(map(self.balancer_sees, self.servers)), "the balancer sees all servers")
        self._context = self.servers[0].tls()

    def balancer_sees(self, server):
        return self.balancer.is_ready(server.port)

    def connect(self, timeout=30):
        """To whichever server the balancer chooses."""
        return http.client.HTTPSConnection("127.0.0.1", self.balancer.port, timeout=timeout, context=self._context)

    def others(self, server):
        return [other for other in self.servers if other is not server and other.process.poll() is None]

    @property
    def addresses(self):
        return [server.address for server in self.servers if server.process.poll() is None]
