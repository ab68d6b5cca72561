#!/usr/bin/env python3
"""A cluster on this machine: Keelson, kube-controller-manager, kube-scheduler, and two real nodes.

    run.py --build BUILD_DIR [--backend embedded|etcd3] [--port PORT] [--run COMMAND]

Each node has kubelet, containerd, runc and kube-proxy; CoreDNS is a pod. The kubeconfig to use is printed when all of it
is up. The cluster lasts until this program is told to end (Ctrl-C), or until COMMAND, which runs with that kubeconfig,
has ended. Then everything is taken down: processes, mounts, network devices, cgroups. Logs stay in BUILD_DIR/cluster.
"""

import argparse
import contextlib
import fcntl
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import time

import images
import machine
import nodes
import sandbox
from nodes import cluster

HERE = pathlib.Path(__file__).resolve().parent
TOOLS = ["kubectl", "kube-controller-manager", "kube-scheduler", *nodes.TOOLS]


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--backend", choices=["embedded", "etcd3"], default="embedded")
    parser.add_argument("--port", type=int, default=0, help="where this machine reaches the cluster; 0: any that is free")
    parser.add_argument("--run", help="a shell command to run when the cluster is up, and to end it with")
    options = parser.parse_args()
    options.build = options.build.resolve()
    return options


def resident(process):
    """Megabytes; 0 of a process that has ended."""
    try:
        status = pathlib.Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS:")), 0)


def memory(clu):
    """{part: [megabytes of each process]}: what was started here, the keepers of pods, and the one pod of the cluster's own."""
    parts = {}
    for process in [*clu.server.processes, *clu.companions]:
        name = re.sub(r"^node-\d+-?", "", process.name)
        if name:  # else the namespaces of a node
            parts.setdefault(name, []).append(resident(process.pid))
    for file in pathlib.Path("/proc").glob("[0-9]*/comm"):
        with contextlib.suppress(OSError):
            name = file.read_text().strip()
            if name in ("containerd-shim", "coredns"):
                parts.setdefault(name, []).append(resident(int(file.parent.name)))
    return parts


def print_memory(clu):
    print("resident memory, MB:")
    for name, sizes in memory(clu).items():
        print(f"  {name:<24} {sum(sizes):5.0f}" + (f"  ({len(sizes)} of them)" if len(sizes) > 1 else ""))


class Runner:
    def __init__(self, options):
        self.options, self.folder = options, options.build / "cluster"
        self.bin_dir = options.build / "conformance" / "bin"
        self.archives = self.listener = self.lock = None
        self.kubeconfig = self.folder / "kubeconfig"

    def clean(self, logs=False):
        """Removes what is of no use without the processes; with their logs, if those are of an earlier cluster."""
        for path in self.folder.glob("[!.]*"):
            if path.is_dir() and path.name != "images":
                shutil.rmtree(path)
            elif path.is_file() and (logs or path.suffix != ".log"):
                path.unlink()

    def prepare(self):
        """What may take long, and what needs the machine's own network."""
        subprocess.run([HERE.parent / "conformance" / "build.sh", self.options.build, *TOOLS,
                        *(["etcd"] if self.options.backend == "etcd3" else [])], check=True)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.lock = open(self.folder / ".lock", "w")  # until the last process that has it ends
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SystemExit(f"error: there is a cluster in {self.folder} already") from None
        self.clean(logs=True)
        self.archives = images.Images(self.folder / "images", self.bin_dir).basic()
        self.listener = socket.create_server(("127.0.0.1", self.options.port))

    def work(self, world):
        nodes.join_network()
        sandbox.hide_machine()
        authority = nodes.Authority()
        began = time.monotonic()
        server = cluster.Keelson(self.options.build / "keelson", self.bin_dir, self.folder, self.options.backend,
                                 extra=authority.flags, reachable=True)
        real = nodes.RealNodes(self.folder, world.cgroup, authority, self.archives)
        with cluster.Cluster(self.bin_dir, server, nodes=real) as clu:
            host, port = server.url.removeprefix("https://").split(":")
            sandbox.Relay(self.listener, (host, int(port)))
            outside = f"https://127.0.0.1:{self.listener.getsockname()[1]}"
            self.kubeconfig.write_text(server.kubeconfig.read_text().replace(server.url, outside))
            self.kubeconfig.chmod(0o600)
            world.say_ready(f"{time.monotonic() - began:.0f}")
            try:
                while True:
                    clu.check()
                    time.sleep(1)
            finally:
                print_memory(clu)

    def when_ready(self, seconds):
        print(f"cluster ready after {seconds} s; logs are in {self.folder}\nexport KUBECONFIG={self.kubeconfig}", flush=True)
        if not self.options.run:
            print("Ctrl-C ends it", flush=True)
            return None
        environment = {**os.environ, "KUBECONFIG": str(self.kubeconfig), "PATH": f"{self.bin_dir}:{os.environ['PATH']}"}
        return subprocess.run(self.options.run, shell=True, check=False, env=environment).returncode


def main():
    options = parse()
    runner = Runner(options)
    machine.check(runner.folder)
    runner.prepare()
    sys.exit(sandbox.run(runner.work, runner.folder, runner.when_ready, [runner.listener.fileno()],
                         runner.clean))


if __name__ == "__main__":
    main()
