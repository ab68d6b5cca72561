#!/usr/bin/env python3
"""A cluster on this machine: Keelson, kube-controller-manager, kube-scheduler, and two real nodes.

    run.py --build BUILD_DIR [--backend embedded|etcd3] [--port PORT] [--run COMMAND]

Each node has kubelet, containerd, runc and kube-proxy; CoreDNS is a pod. The kubeconfig to use is printed when all of it
is up. The cluster lasts until this program is told to end (Ctrl-C), or until COMMAND, which runs with that kubeconfig,
has ended. Then everything is taken down: processes, mounts, network devices, cgroups. Logs stay in BUILD_DIR/cluster.
"""

import contextlib
import os
import pathlib
import re
import socket
import subprocess
import sys
import time

import launch
import sandbox


def add_own(parser):
    parser.add_argument("--port", type=int, default=0, help="where this machine reaches the cluster; 0: any that is free")
    parser.add_argument("--run", help="a shell command to run when the cluster is up, and to end it with")


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
        self.options, self.launcher = options, launch.Launcher(options)
        self.listener, self.kubeconfig = None, self.launcher.folder / "kubeconfig"

    def prepare(self):
        self.launcher.prepare()
        self.listener = socket.create_server(("127.0.0.1", self.options.port))  # in the machine's own network

    def work(self, world):
        began = time.monotonic()
        with self.launcher.cluster(world) as clu:
            host, port = clu.server.url.removeprefix("https://").split(":")
            sandbox.Relay(self.listener, (host, int(port)))
            outside = f"https://127.0.0.1:{self.listener.getsockname()[1]}"
            self.kubeconfig.write_text(clu.server.kubeconfig.read_text().replace(clu.server.url, outside))
            self.kubeconfig.chmod(0o600)
            world.say_ready(f"{time.monotonic() - began:.0f}")
            try:
                while True:
                    clu.check()
                    time.sleep(1)
            finally:
                print_memory(clu)

    def when_ready(self, seconds):
        print(f"cluster ready after {seconds} s; logs are in {self.launcher.folder}\n"
              f"export KUBECONFIG={self.kubeconfig}", flush=True)
        if not self.options.run:
            print("Ctrl-C ends it", flush=True)
            return None
        environment = {**os.environ, "KUBECONFIG": str(self.kubeconfig), "PATH": f"{self.launcher.bin_dir}:{os.environ['PATH']}"}
        return subprocess.run(self.options.run, shell=True, check=False, env=environment).returncode


def main():
    runner = Runner(launch.parse(__doc__, add_own))
    runner.prepare()
    sys.exit(sandbox.run(runner.work, runner.launcher.folder, runner.when_ready, [runner.listener.fileno()],
                         runner.launcher.clean))


if __name__ == "__main__":
    main()
