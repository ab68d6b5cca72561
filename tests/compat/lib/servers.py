"""Starts the two servers with the same settings wherever an answer depends on them."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

from lib.client import Client

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "integration"))
import harness  # noqa: E402  (the folder is only known now)
from ports import free_ports  # noqa: E402

TOKEN = "compat"
# Scenarios act as others by their token: `Authorization: Bearer ann-token`.
TOKENS = (f'{TOKEN},admin,admin,"system:masters"\n'
          'ann-token,ann,ann,"devs"\n'
          'bob-token,bob,bob,"devs,ops"\n'
          'carl-token,carl,carl\n'
          'node-token,system:node:n1,n1,"system:nodes"\n')
SERVICE_RANGE = "10.0.0.0/24"  # normalize.SERVICE_ADDRESS knows it too

# No controller manager makes the accounts that pods would need.
WITHOUT_ACCOUNTS = "--disable-admission-plugins=ServiceAccount"
# Off by default; only what system:node:NAME does depends on it.
WITH_NODE_RESTRICTION = "--enable-admission-plugins=NodeRestriction"
ISSUER = "--service-account-issuer=https://kubernetes.default.svc"
UPSTREAM_FLAGS = (
    "--authorization-mode=Node,RBAC",
    f"--service-cluster-ip-range={SERVICE_RANGE}",
    ISSUER,
    WITHOUT_ACCOUNTS,
    WITH_NODE_RESTRICTION,
)
KEELSON_FLAGS = (
    "--storage-backend=memory",
    f"--service-cluster-ip-range={SERVICE_RANGE}",
    ISSUER,
    "--allow-privileged=false",  # upstream's default
    WITHOUT_ACCOUNTS,
    WITH_NODE_RESTRICTION,
    # kube-apiserver runs none either, and what they do comes at an uncertain time.
    "--controllers=-garbage-collector-controller,-namespace-controller,-resourcequota-controller",
)


def upstream_flags(more):
    """UPSTREAM_FLAGS and `more`, which may say otherwise who authorizes."""
    given = any(flag.startswith(("--authorization-mode", "--authorization-config")) for flag in more)
    return (*(flag for flag in UPSTREAM_FLAGS if not (given and flag.startswith("--authorization-mode"))), *more)


class Keelson:
    """`flags` are added to those of KEELSON_FLAGS."""

    def __init__(self, binary=None, flags=()):
        self._folder = tempfile.TemporaryDirectory(prefix="compat-")
        tokens = pathlib.Path(self._folder.name) / "tokens.csv"
        tokens.write_text(TOKENS)
        if binary:
            harness.BINARY = str(binary)
        self._server = harness.Server(*KEELSON_FLAGS, "--token-auth-file", str(tokens), *flags)

    def __enter__(self):
        self._server.start()
        return self

    def __exit__(self, *_):
        self._server.close()
        self._folder.cleanup()

    @property
    def port(self):
        return self._server.port

    def client(self):
        return Client("127.0.0.1", self.port, TOKEN)


class Upstream:
    """kube-apiserver on an etcd of its own. `flags` are added to those of UPSTREAM_FLAGS."""

    def __init__(self, binary, flags=()):
        self._binary, self._flags = binary, flags
        self._folder = pathlib.Path(tempfile.mkdtemp(prefix="compat-upstream-"))
        self._processes = []
        self.port = None

    def __enter__(self):
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _start(self):
        folder = self._folder
        client_port, peer_port, self.port = free_ports(3)
        peers = f"http://127.0.0.1:{peer_port}"
        self._spawn("etcd", os.environ.get("ETCD", "etcd"), f"--data-dir={folder}/etcd", "--unsafe-no-fsync=true",
                    f"--listen-client-urls=http://127.0.0.1:{client_port}",
                    f"--advertise-client-urls=http://127.0.0.1:{client_port}",
                    f"--listen-peer-urls={peers}", f"--initial-advertise-peer-urls={peers}",
                    f"--initial-cluster=default={peers}")
        key = folder / "service-account.key"
        subprocess.run(["openssl", "genrsa", "-out", key, "2048"], check=True, capture_output=True)
        (folder / "tokens.csv").write_text(TOKENS)
        self._spawn("kube-apiserver", self._binary, f"--etcd-servers=http://127.0.0.1:{client_port}",
                    "--bind-address=127.0.0.1", f"--secure-port={self.port}", f"--cert-dir={folder}/certs",
                    f"--service-account-key-file={key}", f"--service-account-signing-key-file={key}",
                    f"--token-auth-file={folder}/tokens.csv", *upstream_flags(self._flags))
        client = self.client()
        try:
            harness.wait_until(lambda: self._ready(client), "kube-apiserver is ready", seconds=120)
        finally:
            client.close()

    def _ready(self, client):
        for process in self._processes:
            if process.poll() is not None:
                raise RuntimeError(f"{process.args[0]} ended; its log is in {self._folder}")
        try:
            # Its default objects are made by hooks that readyz waits for.
            return client.request("GET", "/readyz").status == 200
        except OSError:
            client.close()
            return False

    def _spawn(self, name, *command):
        log = open(self._folder / f"{name}.log", "wb")
        self._processes.append(subprocess.Popen([str(part) for part in command], stdout=log, stderr=log,
                                                stdin=subprocess.DEVNULL))
        log.close()

    def __exit__(self, *_):
        for process in reversed(self._processes):
            process.send_signal(signal.SIGKILL)
            process.wait()
        if sys.exc_info()[0] is None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def client(self):
        return Client("127.0.0.1", self.port, TOKEN)


def upstream_binary(build):
    """$KUBE_APISERVER, or what tests/conformance makes from upstream's Go modules."""
    if given := os.environ.get("KUBE_APISERVER"):
        return pathlib.Path(given)
    subprocess.run([ROOT / "tests" / "conformance" / "build.sh", build, "kube-apiserver"], check=True)
    return pathlib.Path(build) / "conformance" / "bin" / "kube-apiserver"
