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
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "integration"))

import harness  # noqa: E402  (the folder is only known now)
from balancer import Balancer  # noqa: E402
from etcd import EtcdCluster  # noqa: E402
from identity import Authority  # noqa: E402
from ports import free_port  # noqa: E402

SERVICE_RANGE = "10.96.0.0/24"
ADVERTISED = "192.0.2.0/24"  # the addresses of servers; nobody has them, but in a network of its own
# A balancer that looks ten times a second has noticed after one; watches end one by one.
SHUTDOWN = ("--shutdown-delay-duration=1s", "--shutdown-send-retry-after", "--shutdown-watch-termination-grace-period=2s")
START_SECONDS = 180  # of either kind of server, while members of etcd elect on a busy machine
SHARED_FILES = ("ca.crt", "ca.key", "admin.crt", "admin.key", "sa.key", "sa.pub")


def peer_flags(proxies, authority, port):
    """Flags of a server that passes on what it does not serve, and may be passed on to; `proxies` vouches for who asks.
    kube-apiserver v1.36 has the last two, but tells peers the address that it advertises to clients: see in_own_network()."""
    certificate, key = proxies.issue("/CN=front-proxy-client")
    return (f"--requestheader-client-ca-file={proxies.certificate}", "--requestheader-username-headers=X-Remote-User",
            "--requestheader-group-headers=X-Remote-Group", "--requestheader-extra-headers-prefix=X-Remote-Extra-",
            f"--proxy-client-cert-file={certificate}", f"--proxy-client-key-file={key}", f"--peer-ca-file={authority}",
            "--peer-advertise-ip=127.0.0.1", f"--peer-advertise-port={port}")


def in_own_network(command):
    """The command in a network of its own, in which this machine has the addresses that servers advertise."""
    user = () if os.geteuid() == 0 else ("--user", "--map-root-user")
    return ["unshare", *user, "--net", "sh", "-c", 'ip link set lo up && ip address add "$0" dev lo && exec "$@"',
            ADVERTISED, *command]


class Keelson(harness.Server):
    kind = "keelson"

    def __init__(self, name, folder, etcd, address, *args):
        port = free_port()
        super().__init__(f"--etcd-servers={etcd}", f"--advertise-address={address}",
                         f"--service-cluster-ip-range={SERVICE_RANGE}", "--controllers=*",
                         "--disable-admission-plugins=ServiceAccount", *SHUTDOWN, *args, data_dir=folder, port=port)
        self.name, self.address, self.port = name, address, port
        self.args = harness.on_host(name, self.args)
        self.logs = []  # of every run that has ended
        self.starts = []  # seconds that each took

    def start(self):
        begun = time.monotonic()
        super().start(seconds=START_SECONDS)
        self.starts.append(time.monotonic() - begun)
        return self

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
            harness.wait_until(lambda: self.process.poll() is not None or self.is_ready(), "kube-apiserver is ready",
                               seconds=START_SECONDS)
            if self.process.poll() is None:
                return self
        raise AssertionError(f"kube-apiserver did not start:\n{self.log()[-3000:]}")


class Fleet:
    """`kinds`: a class and further flags for each server. The first must be a Keelson: it makes the shared files.
    `peers`: they pass on to each other what only one of them serves."""

    def __init__(self, kinds, peers=False):
        self._kinds, self.peers = kinds, peers
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
        proxies = Authority("front-proxy-ca") if self.peers else None
        if proxies:
            self._open.callback(proxies.close)
        for number, (kind, args) in enumerate(self._kinds):
            own = folder / f"s{number}"
            (own / "pki").mkdir(parents=True)
            own.chmod(0o700)
            if not number and proxies:
                # The authority of the servers, whom peers trust, is made by the first start.
                with harness.Server("--storage-backend=memory", data_dir=own):
                    pass
            if number:
                first = self.servers[0].data_dir / "pki"
                for file in (*SHARED_FILES, *(("apiserver.crt", "apiserver.key") if kind is KubeApiserver else ())):
                    shutil.copy2(first / file, own / "pki" / file)
            server = kind(f"server-{number}", own, self.etcd.urls, f"192.0.2.{number + 1}", *args)
            if proxies:
                server.args += peer_flags(proxies, own / "pki" / "ca.crt", server.port)
                server.args += ("--bind-address=0.0.0.0",) if kind is KubeApiserver else ()
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
