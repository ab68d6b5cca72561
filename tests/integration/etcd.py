"""An etcd for tests: Debian's or $ETCD, on free ports in a temporary directory."""

import base64
import json
import os
import pathlib
import shutil
import signal
import ssl
import subprocess
import tempfile
import urllib.request

import harness
from ports import free_ports


class Etcd:
    """One member. kill() and start() again: it comes back on its ports with what it had."""

    def __init__(self, name="m0", peers=None, ports=None, tls=None):
        """`peers`: name to peer URL of all members; alone when not given. `tls`: the files of the authority, and of
        a certificate and its key, which clients are shown and must show the like of."""
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="keelson-etcd-"))
        client, peer = ports or free_ports(2)
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{client}"
        peer_url = f"http://127.0.0.1:{peer}"
        cluster = ",".join(f"{n}={u}" for n, u in (peers or {name: peer_url}).items())
        self._command = [os.environ.get("ETCD", "etcd"), f"--name={name}", f"--data-dir={self.folder}/data",
                         f"--listen-client-urls={self.url}", f"--advertise-client-urls={self.url}",
                         f"--listen-peer-urls={peer_url}", f"--initial-advertise-peer-urls={peer_url}",
                         f"--initial-cluster={cluster}", "--heartbeat-interval=50", "--election-timeout=500",
                         "--logger=zap"]
        self._context = None
        if tls:
            authority, certificate, key = map(str, tls)
            self._command += ["--client-cert-auth", f"--trusted-ca-file={authority}", f"--cert-file={certificate}",
                              f"--key-file={key}"]
            self._context = ssl.create_default_context(cafile=authority)
            self._context.load_cert_chain(certificate, key)
        self.process = None

    def start(self, wait=True):
        with open(self.folder / "etcd.log", "ab") as log:
            self.process = subprocess.Popen(self._command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        if wait:
            harness.wait_until(self.healthy, "etcd answers", seconds=60)
        return self

    def healthy(self):
        try:
            with urllib.request.urlopen(self.url + "/health", timeout=1, context=self._context) as answer:
                return json.load(answer).get("health") == "true"
        except (OSError, ValueError):
            return False

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def save(self):
        """While it is killed: keeps what it has."""
        shutil.copytree(self.folder / "data", self.folder / "saved")

    def restore(self):
        """While it is killed: puts back what it had then."""
        shutil.rmtree(self.folder / "data")
        shutil.copytree(self.folder / "saved", self.folder / "data")

    def replace(self, token):
        """While it is killed: another cluster, with nothing in it, takes its place."""
        shutil.rmtree(self.folder / "data")
        self._command.append(f"--initial-cluster-token={token}")

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def close(self):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.close()

    def call(self, method, request):
        """A request to etcd's own JSON gateway."""
        data = json.dumps(request).encode()
        with urllib.request.urlopen(f"{self.url}/v3/{method}", data=data, timeout=10, context=self._context) as answer:
            return json.load(answer)

    def keys(self, prefix="/registry/"):
        """All keys below the prefix."""
        end = prefix[:-1] + chr(ord(prefix[-1]) + 1)
        answer = self.call("kv/range", {"key": encode(prefix), "range_end": encode(end), "keys_only": True})
        return [base64.b64decode(kv["key"]).decode() for kv in answer.get("kvs", [])]

    def get(self, key):
        """The value and the lease of a key; None when absent."""
        kvs = self.call("kv/range", {"key": encode(key)}).get("kvs")
        return (base64.b64decode(kvs[0].get("value", "")), int(kvs[0].get("lease", 0))) if kvs else None

    def put(self, key, value):
        """Writes a value as another process would, past every server."""
        self.call("kv/put", {"key": encode(key), "value": encode(value)})


class EtcdCluster:
    """Several members."""

    def __init__(self, size=3):
        ports = free_ports(2 * size)
        peers = {f"m{i}": f"http://127.0.0.1:{ports[2 * i + 1]}" for i in range(size)}
        self.members = [Etcd(f"m{i}", peers, ports[2 * i:2 * i + 2]) for i in range(size)]

    def __enter__(self):
        for member in self.members:
            member.start(wait=False)
        for member in self.members:
            harness.wait_until(member.healthy, "etcd answers", seconds=60)
        return self

    def __exit__(self, *_):
        for member in self.members:
            member.close()

    @property
    def urls(self):
        return ",".join(member.url for member in self.members)

    def leader(self):
        for member in self.members:
            if member.process.poll() is None:
                status = member.call("maintenance/status", {})
                if status["leader"] == status["header"]["member_id"]:
                    return member
        return None


def encode(text):
    return base64.b64encode(text.encode()).decode()
