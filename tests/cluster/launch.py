"""What it takes to have a cluster on this machine: its programs and images, its folder, its server and its nodes."""

import argparse
import fcntl
import pathlib
import shutil
import subprocess

import images
import machine
import nodes
import sandbox
from nodes import cluster

HERE = pathlib.Path(__file__).resolve().parent
TOOLS = ["kubectl", "kube-controller-manager", "kube-scheduler", *nodes.TOOLS]


def parse(about, add=lambda parser: None):
    """The options that every cluster has, and those that add() adds."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--backend", choices=["embedded", "etcd3"], default="embedded")
    add(parser)
    options = parser.parse_args()
    options.build = options.build.resolve()
    return options


class Launcher:
    """Prepares on the machine itself; cluster() is for a sandbox."""

    def __init__(self, options, *more_tools):
        self.options, self.folder = options, options.build / "cluster"
        self.bin_dir = options.build / "conformance" / "bin"
        self._tools = [*TOOLS, *more_tools, *(["etcd"] if options.backend == "etcd3" else [])]
        self._archives = self._lock = None

    def clean(self, logs=False):
        """Removes what is of no use without the processes; with their logs, if those are of an earlier cluster."""
        for path in self.folder.glob("[!.]*"):
            if path.is_dir() and path.name != "images":
                shutil.rmtree(path)
            elif path.is_file() and (logs or path.suffix != ".log"):
                path.unlink()

    def prepare(self):
        """What may take long, and needs the machine's own network."""
        machine.check(self.folder)
        subprocess.run([HERE.parent / "conformance" / "build.sh", self.options.build, *self._tools], check=True)
        self.folder.mkdir(parents=True, exist_ok=True)
        self._lock = open(self.folder / ".lock", "w")  # until the last process that has it ends
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SystemExit(f"error: there is a cluster in {self.folder} already") from None
        self.clean(logs=True)
        self._archives = images.Images(self.folder / "images", self.bin_dir).basic()

    def cluster(self, world):
        """A cluster.Cluster whose server runs; entering it starts the rest."""
        nodes.join_network()
        sandbox.hide_machine()
        authority = nodes.Authority()
        server = cluster.Keelson(self.options.build / "keelson", self.bin_dir, self.folder, self.options.backend,
                                 extra=authority.flags, reachable=True)
        return cluster.Cluster(self.bin_dir, server, nodes=nodes.RealNodes(self.folder, world.cgroup, authority, self._archives))
