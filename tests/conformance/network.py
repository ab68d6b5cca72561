"""A network of its own for a run, in which the addresses of the simulated cluster exist.

The pods that run as processes (nodesim's --programs) need addresses, and so do the nodes and the server that they
talk to. All of them are private ones, so they must not be used on the machine's own network: enter() moves this
process, and what it starts from then on, into a network namespace that nothing leaves. It goes with its last process.
"""

import ctypes
import os
import pathlib
import shutil
import subprocess

CLONE_NEWNS, CLONE_NEWNET = 0x00020000, 0x40000000
BRIDGE = "pods"  # joins the pods; nodesim makes a namespace for each and a cable to this
TOOLS = ("ip", "unshare", "nsenter", "mount")


def missing():
    """Why this machine cannot have such a network; None if it can."""
    if os.geteuid() != 0:
        return "only root may make network namespaces"
    absent = [tool for tool in TOOLS if not shutil.which(tool)]
    if absent:
        return f"{', '.join(absent)}: not installed (packages iproute2 and util-linux)"
    interfaces = "ip link add name one type bridge; ip link add name two type veth peer name three"
    trial = subprocess.run(["unshare", "--net", "--mount", "sh", "-ec", interfaces], capture_output=True, text=True)
    return f"no network namespace, bridge or veth here: {trial.stderr.strip()}" if trial.returncode != 0 else None


def enter(addresses, pods):
    """Moves this process into a namespace in which `addresses` are local and `pods` (address/prefix) is the bridge."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNET | CLONE_NEWNS) != 0:
        raise SystemExit(f"error: no namespace of one's own: {os.strerror(ctypes.get_errno())}")
    # Names of the pods' namespaces are mounts below /run/netns: those of this run are seen by it alone.
    named = pathlib.Path("/run/netns")
    named.mkdir(exist_ok=True)
    for command in (
            ["mount", "--make-rprivate", "/"], ["mount", "-t", "tmpfs", "tmpfs", named],
            ["ip", "link", "set", "lo", "up"],
            *(["ip", "address", "add", f"{address}/32", "dev", "lo"] for address in addresses),
            ["ip", "link", "add", BRIDGE, "type", "bridge"], ["ip", "address", "add", pods, "dev", BRIDGE],
            ["ip", "link", "set", BRIDGE, "up"]):
        subprocess.run(command, check=True)
