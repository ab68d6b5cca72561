"""A cluster for the suite: an API server, upstream's controllers and scheduler, and nodes, simulated ones by default.

Everything listens on loopback, at free ports, and keeps its files and logs in one directory. Each component has its
own identity, a certificate of the cluster's authority, and may do what the server's roles allow it: the controller
manager's controllers are service accounts, the nodes are nodes. Only the suite itself is the administrator.

A server that is `reachable` is one that programs in pods talk to, and that talks to them: it listens at an address
that pods know, calls services at their endpoints, since nobody plays kube-proxy, and shows them a certificate of its
own. That needs the network of network.py, which join_network() makes.
"""

import json
import pathlib
import re
import socket
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "integration"))
import identity
import network
from ports import free_port

NODES = 3
NODE_NAMES = [f"sim-node-{number}" for number in range(1, NODES + 1)]  # as nodesim calls them
START_SECONDS = 90
SERVICE_RANGE = "10.96.0.0/16"
# Those of kube-controller-manager that make pods, and slices of their addresses.
WORKLOAD_CONTROLLERS = ["replicationcontroller-controller", "replicaset-controller", "deployment-controller",
                        "endpointslice-controller"]
ADVERTISED = "10.250.1.1"  # where pods find the server, or would; loopback is not allowed for that
NODE_ADDRESSES = [f"10.250.0.{number}" for number in range(1, NODES + 1)]  # as nodesim gives them
POD_GATEWAY = "10.244.0.1/16"  # of nodesim's pods


def wait_until(condition, what, seconds=START_SECONDS):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise SystemExit(f"error: not within {seconds} s: {what}")
        time.sleep(0.1)


class Process:
    """One program, its log, and its end."""

    def __init__(self, name, args, log_dir):
        self.name, self.log = name, log_dir / f"{name}.log"
        self.args = [str(a) for a in args]
        self.log.write_bytes(b"")
        self.start()

    def start(self):
        """Also again, after it was stopped or killed; its log goes on."""
        self._file = open(self.log, "ab")
        self._log_begins = self._file.tell()
        self.began = time.monotonic()
        self.process = subprocess.Popen(self.args, stdout=self._file, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)

    @property
    def pid(self):
        return self.process.pid

    def said(self):
        """Its log since it was started the last time."""
        return self.log.read_bytes()[self._log_begins:].decode(errors="replace")

    def check(self):
        if self.process.poll() is not None:
            tail = self.log.read_text(errors="replace")[-1500:]
            raise SystemExit(f"error: {self.name} ended with {self.process.returncode}; the end of {self.log}:\n{tail}")

    def stop(self):
        """Whether it ended by itself when it was told to."""
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.kill()
            return False
        self._file.close()
        return True

    def kill(self):
        """As a power loss: no chance to finish anything."""
        self.process.kill()
        self.process.wait()
        self._file.close()


def start_etcd(bin_dir, directory):
    """etcd, and the URL of its clients."""
    client, peer = (f"http://127.0.0.1:{free_port()}" for _ in range(2))
    process = Process("etcd", [
        bin_dir / "etcd", "--data-dir", directory / "etcd", "--listen-client-urls", client, "--advertise-client-urls", client,
        "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", f"default={peer}",
    ], directory)
    wait_until_listens(process, client)
    return process, client


def wait_until_listens(process, url):
    host, port = url.partition("://")[2].split(":")

    def listens():
        process.check()
        with socket.socket() as s:
            return s.connect_ex((host, int(port))) == 0

    wait_until(listens, f"{process.name} listens")


def join_network():
    """From now on this process and what it starts are where pods can run."""
    network.enter([ADVERTISED, *NODE_ADDRESSES], POD_GATEWAY)


class FrontProxy:
    """Who a server is to the API servers behind it, and the flags that say so."""

    def __init__(self):
        self.authority = identity.Authority("front-proxy")
        certificate, key = self.authority.issue("/CN=front-proxy")
        self.flags = [
            "--enable-aggregator-routing=true", "--proxy-client-cert-file", certificate, "--proxy-client-key-file", key,
            "--requestheader-client-ca-file", self.authority.certificate, "--requestheader-allowed-names=front-proxy",
            "--requestheader-username-headers=X-Remote-User", "--requestheader-group-headers=X-Remote-Group",
            "--requestheader-extra-headers-prefix=X-Remote-Extra-"]

    def close(self):
        self.authority.close()


class Upstream:
    """kube-apiserver on etcd. `processes` are those that do the server's work."""

    def __init__(self, bin_dir, directory, extra=(), reachable=False):
        self.directory = directory
        self.front_proxy = FrontProxy() if reachable else None
        address = ADVERTISED if reachable else "127.0.0.1"
        self.authority = identity.Authority("conformance")
        self.ca = directory / "certs" / "apiserver.crt"
        self.token = "conformance"
        self.service_account_key = directory / "sa.key"
        if not self.service_account_key.exists():
            subprocess.run(["openssl", "genrsa", "-out", self.service_account_key, "2048"], check=True,
                           capture_output=True)
        (directory / "tokens").write_text(f'{self.token},admin,admin,"system:masters"\n')
        self.etcd, etcd_url = start_etcd(bin_dir, directory)
        port = free_port()
        self.url = f"https://{address}:{port}"
        self.server = Process("kube-apiserver", [
            bin_dir / "kube-apiserver", "--etcd-servers", etcd_url, "--secure-port", port, "--bind-address", address,
            "--advertise-address", ADVERTISED, "--cert-dir", directory / "certs",
            "--service-account-issuer", "https://kubernetes.default.svc",
            "--service-account-key-file", self.service_account_key,
            "--service-account-signing-key-file", self.service_account_key,
            "--token-auth-file", directory / "tokens", "--client-ca-file", self.authority.certificate,
            "--authorization-mode", "Node,RBAC", "--enable-admission-plugins", "NodeRestriction", "--allow-privileged",
            "--service-cluster-ip-range", SERVICE_RANGE, "--etcd-compaction-interval", "1m",
            *(self.front_proxy.flags if reachable else ()), *extra,
        ], directory)
        self.processes = [self.server, self.etcd]
        self.kubeconfig = directory / "admin.kubeconfig"
        self._write(self.kubeconfig, {"token": self.token})

    def kubeconfig_for(self, file, user, groups=()):
        """Writes a kubeconfig that proves to be `user` in `groups`."""
        subject = "".join(f"/O={group}" for group in groups) + f"/CN={user}"
        certificate, key = self.authority.issue(subject)
        self._write(file, {"client-certificate": str(certificate), "client-key": str(key)})

    def _write(self, file, user):
        file.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "clusters": [{"name": "c", "cluster": {"server": self.url, "certificate-authority": str(self.ca)}}],
            "users": [{"name": "u", "user": user}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]}))

    def stop(self):
        for process in self.processes:
            process.stop()
        self.authority.close()
        if self.front_proxy:
            self.front_proxy.close()


def knows_plugin(binary, plugin):
    """Whether a Keelson has the admission plug-in. It is told of a port that is none, so that it does not start."""
    refusal = subprocess.run([binary, "serve", f"--enable-admission-plugins={plugin}", "--secure-port=-1"],
                             capture_output=True, text=True)
    return plugin not in refusal.stderr


class Keelson:
    """Keelson on its embedded store, or on etcd with backend="etcd3"."""

    def __init__(self, binary, bin_dir, directory, backend="embedded", extra=(), reachable=False):
        self.front_proxy = FrontProxy() if reachable else None
        self.binary, self.directory, self.processes = binary, directory, []
        data = self.data = directory / "data"
        self.token = "conformance"
        (directory / "tokens").write_text(f'{self.token},admin,admin,"system:masters"\n')
        args = [binary, "serve", "--data-dir", data, "--bind-address", ADVERTISED if reachable else "127.0.0.1", "--secure-port", "0",
                "--advertise-address", ADVERTISED, "--token-auth-file", directory / "tokens",
                "--service-cluster-ip-range", SERVICE_RANGE, "--etcd-compaction-interval", "1m",
                "--namespace-deletion-grace-period", "0s", *(self.front_proxy.flags if reachable else ()), *extra]
        if knows_plugin(binary, "NodeRestriction"):
            args += ["--enable-admission-plugins", "NodeRestriction"]
        self.etcd = None
        if backend == "etcd3":
            self.etcd, self.etcd_url = start_etcd(bin_dir, directory)
            self.processes.append(self.etcd)
            args += ["--etcd-servers", self.etcd_url]
        self.server = Process("keelson", args, directory)
        self.processes.insert(0, self.server)
        self.url = self.kubeconfig = None
        self._wait_until_ready()
        self.ca = data / "pki" / "ca.crt"
        self.service_account_key = data / "pki" / "sa.key"

    def _wait_until_ready(self):
        def ready():
            self.server.check()
            said = re.search(r"^keelson ready (\S+)\nexport KUBECONFIG=(.+)\n", self.server.said(), re.MULTILINE)
            if said:
                self.url, self.kubeconfig = said[1], pathlib.Path(said[2])
            return said

        wait_until(ready, "keelson is ready")

    def restart(self, kill=False):
        """Ends the server as it is asked to, or as a power loss would, and starts it at its address with what it has stored."""
        if kill:
            self.server.kill()
        elif not self.server.stop():
            raise SystemExit("error: keelson did not end within 20 s of SIGTERM")
        port = self.server.args.index("--secure-port") + 1
        self.server.args[port] = self.url.rpartition(":")[2]
        self.server.start()
        self._wait_until_ready()

    def restart_store(self):
        """Kills its etcd and starts it again on the same data, while the server runs."""
        self.etcd.kill()
        self.etcd.start()
        wait_until_listens(self.etcd, self.etcd_url)

    def kubeconfig_for(self, file, user, groups=()):
        """Writes a kubeconfig that proves to be `user` in `groups`."""
        subprocess.run([self.binary, "kubeconfig", "--data-dir", self.data, "--user", user, "--output", file,
                        *(f"--group={group}" for group in groups)], check=True, capture_output=True)

    def stop(self):
        for process in self.processes:
            process.stop()
        if self.front_proxy:
            self.front_proxy.close()


class SimulatedNodes:
    """The nodes of a cluster that nodesim plays."""

    count = NODES
    kind = "simulated"
    manager_flags = ["--cluster-cidr", "10.244.0.0/16"]

    def start(self, clu):
        for name in NODE_NAMES:
            clu.kubeconfig(name, f"system:node:{name}", ["system:nodes"])
        args = ["--kubeconfig", clu.server.directory / "NODE.kubeconfig", "--nodes", NODES]
        if clu.server.front_proxy:  # pods and the server reach each other
            args += ["--programs", clu.bin_dir, "--pods", clu.server.directory / "pods", "--bridge", network.BRIDGE]
        clu.start("nodesim", *args)


class Cluster:
    """The server's companions. Use as a context: leaving it stops everything, the server too.

    `controllers` says what kube-controller-manager does: everything ("manager"), making pods and nothing else
    ("workloads"), or that it is not there ("own"); the rest is then up to the server itself. `nodes` are simulated ones
    or, of tests/cluster/nodes.py, real ones.
    """

    def __init__(self, bin_dir, server, controllers="manager", nodes=None):
        self.bin_dir, self.server, self.controllers, self.companions = bin_dir, server, controllers, []
        self.nodes = nodes or SimulatedNodes()

    def __enter__(self):
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in reversed(self.companions):
            process.stop()
        self.server.stop()

    def kubectl(self, *args, **options):
        command = [self.bin_dir / "kubectl", "--kubeconfig", self.server.kubeconfig, "--request-timeout=10s", *args]
        return subprocess.run(command, capture_output=True, text=True, **options)

    def must(self, *args, **options):
        """The output of a kubectl that must not fail."""
        said = self.kubectl(*args, **options)
        if said.returncode != 0:
            raise SystemExit(f"error: kubectl {' '.join(args)}: {said.stderr}")
        return said.stdout

    def check(self):
        for process in [*self.server.processes, *self.companions]:
            process.check()

    def start(self, name, *args):
        """Starts one of the programs that were built."""
        self.companions.append(Process(name, [self.bin_dir / name, *args], self.server.directory))

    def wait(self, args, satisfied, what):
        """Until kubectl says what satisfies."""
        def met():
            self.check()
            answer = self.kubectl(*args)
            return answer.returncode == 0 and satisfied(answer.stdout)

        wait_until(met, f"{what} ({self.server.directory} has the logs)")

    def kubeconfig(self, name, user, groups=()):
        file = self.server.directory / f"{name}.kubeconfig"
        self.server.kubeconfig_for(file, user, groups)
        return file

    def _schedulable(self, nodes):
        tainted = [line.partition("[")[0] for line in nodes.split() if "[" in line]
        if self.controllers != "manager":  # nobody else looks at the nodes and finds them ready
            for name in tainted:
                self.kubectl("patch", "node", name, "--type=merge", "--patch", '{"spec":{"taints":null}}')
        return len(nodes.split()) == self.nodes.count and not tainted

    def _start(self):
        self.wait(["get", "--raw", "/readyz"], lambda out: out.startswith("ok"), "the server is ready")
        common = ["--leader-elect=false", "--secure-port=0", "--kube-api-qps=300", "--kube-api-burst=300", "-v=1"]
        controllers = ["--kubeconfig", self.kubeconfig("kube-controller-manager", "system:kube-controller-manager"),
                       "--use-service-account-credentials", "--root-ca-file", self.server.ca,
                       "--service-account-private-key-file", self.server.service_account_key,
                       "--service-cluster-ip-range", SERVICE_RANGE, *self.nodes.manager_flags,
                       "--resource-quota-sync-period=20s"]  # a spec waits for one
        if self.controllers == "workloads":
            controllers += ["--controllers=" + ",".join(WORKLOAD_CONTROLLERS)]
        if self.controllers != "own":
            self.start("kube-controller-manager", *controllers, *common)
        self.start("kube-scheduler", "--kubeconfig", self.kubeconfig("kube-scheduler", "system:kube-scheduler"), *common)
        self.nodes.start(self)
        self.wait(["get", "nodes", "-o", "jsonpath={range .items[*]}{.metadata.name}{.spec.taints}{'\\n'}{end}"],
                  self._schedulable, f"the {self.nodes.kind} nodes are schedulable")
        self.wait(["-n", "default", "get", "serviceaccount", "default", "-o", "name"], bool,
                  "the default service account exists")
