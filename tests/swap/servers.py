"""kube-apiserver and Keelson on one etcd, with the same settings wherever what they store depends on them."""

import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "compat"), str(ROOT / "tests" / "integration")]

import harness  # noqa: E402  (the folders are only known now)
from lib import runner  # noqa: E402
from lib import servers as compat  # noqa: E402
from lib.client import Client  # noqa: E402
from ports import free_port  # noqa: E402


class Keelson:
    name = "keelson"

    def __init__(self, etcd, binary, *args):
        self._folder = tempfile.TemporaryDirectory(prefix="swap-")
        tokens = pathlib.Path(self._folder.name) / "tokens.csv"
        tokens.write_text(compat.TOKENS)
        harness.BINARY = str(binary)
        self._server = harness.Server(
            f"--etcd-servers={etcd.url}", f"--service-cluster-ip-range={compat.SERVICE_RANGE}",
            "--token-auth-file", str(tokens), *runner.PREVIEWS, *args)

    def __enter__(self):
        self._server.start()
        return self

    def __exit__(self, *_):
        self._server.close()
        self._folder.cleanup()

    def client(self):
        return Client("127.0.0.1", self._server.port, compat.TOKEN)


class Upstream:
    name = "kube-apiserver"

    def __init__(self, etcd, binary, log, *args):
        self._etcd, self._binary, self._log, self._args = etcd, binary, log, args
        self._folder = tempfile.TemporaryDirectory(prefix="swap-upstream-")
        self._process = None
        self.port = None

    def __enter__(self):
        folder = self._folder.name
        self.port = free_port()
        key = f"{folder}/service-account.key"
        subprocess.run(["openssl", "genrsa", "-out", key, "2048"], check=True, capture_output=True)
        pathlib.Path(folder, "tokens.csv").write_text(compat.TOKENS)
        with open(self._log, "wb") as log:
            self._process = subprocess.Popen(
                [str(self._binary), f"--etcd-servers={self._etcd.url}", "--bind-address=127.0.0.1",
                 f"--secure-port={self.port}", f"--cert-dir={folder}/certs", f"--service-account-key-file={key}",
                 f"--service-account-signing-key-file={key}", f"--token-auth-file={folder}/tokens.csv",
                 *compat.UPSTREAM_FLAGS, *runner.PREVIEWS, *self._args], stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        client = self.client()
        try:
            harness.wait_until(lambda: self._ready(client), "kube-apiserver is ready", seconds=180)
        finally:
            client.close()
        return self

    def _ready(self, client):
        if self._process.poll() is not None:
            raise RuntimeError(f"kube-apiserver ended; its log is {self._log}")
        try:
            return client.request("GET", "/readyz").status == 200
        except OSError:
            client.close()
            return False

    def __exit__(self, *_):
        if self._process:
            self._process.kill()
            self._process.wait()
        self._folder.cleanup()

    def client(self):
        return Client("127.0.0.1", self.port, compat.TOKEN)
