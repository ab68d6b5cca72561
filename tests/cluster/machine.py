"""What real nodes need of a machine, and what this one lacks."""

import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "conformance"))
import network  # noqa: E402

# Programs, and the package of Debian that has each.
PROGRAMS = {"runc": "runc", "iptables": "iptables", "iptables-restore": "iptables", "conntrack": "conntrack",
            "ip": "iproute2", "nsenter": "util-linux", "mount": "mount", "gcc": "build-essential", "openssl": "openssl"}
CNI_PLUGINS = pathlib.Path("/usr/lib/cni")
CGROUPS = pathlib.Path("/sys/fs/cgroup")
CAP_SYS_RESOURCE = 24
# Controllers that kubelet and runc use.
CONTROLLERS = ("cpu", "cpuset", "memory", "pids")


def has_capability(number):
    status = pathlib.Path("/proc/self/status").read_text()
    effective = next(line.split()[1] for line in status.splitlines() if line.startswith("CapEff:"))
    return bool(int(effective, 16) >> number & 1)


def cgroup_folders():
    """The roots of the hierarchies: one with cgroup v2, else one for each set of controllers."""
    if (CGROUPS / "cgroup.controllers").exists():
        return [CGROUPS]
    return sorted(folder for folder in CGROUPS.glob("*") if (folder / "cgroup.procs").exists() and not folder.is_symlink())


def _lacks_cgroups():
    folders = cgroup_folders()
    if folders == [CGROUPS]:
        present = (CGROUPS / "cgroup.controllers").read_text().split()
    else:
        present = [folder.name for folder in folders]
    absent = [name for name in CONTROLLERS if not any(name in have.split(",") for have in present)]
    if absent:
        return f"cgroups: no controller {', '.join(absent)} in {CGROUPS}"
    if not all(os.access(folder, os.W_OK) for folder in folders):
        return f"cgroups: {CGROUPS} cannot be written to"
    return None


def _trial(what, *commands, needs):
    """Runs commands in namespaces that nothing is left of."""
    script = "; ".join(("mount --make-rprivate /", *commands))
    done = subprocess.run(["unshare", "--mount", "--net", "--pid", "--fork", "sh", "-ec", script],
                          capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return None
    return f"{what}: {done.stderr.strip().rpartition(chr(10))[2] or 'failed'} (needs {needs})"


def missing(folder):
    """What this machine lacks, a line each. `folder` is where the nodes will have their files."""
    lacks = []
    if os.uname().sysname != "Linux" or os.geteuid() != 0:
        return ["root on Linux: nodes have namespaces, mounts and cgroups of their own"]
    for program, package in PROGRAMS.items():
        if not shutil.which(program):
            lacks.append(f"the program {program} (package {package})")
    for plugin in ("bridge", "host-local", "loopback", "portmap"):
        if not (CNI_PLUGINS / plugin).exists():
            lacks.append(f"the CNI plugin {plugin} (package containernetworking-plugins)")
    if lacks:
        return lacks
    for hidden in ("/run", "/var/lib", "/var/log"):
        if folder.resolve().is_relative_to(hidden):
            lacks.append(f"a build folder outside {hidden}, which nodes have of their own ({folder} is in it)")
    if not pathlib.Path("/dev/kmsg").exists():
        lacks.append("/dev/kmsg, which kubelet reads")
    folder.mkdir(parents=True, exist_ok=True)
    overlay = " ".join(f"{folder}/.trial/{part}" for part in ("lower", "upper", "work", "merged"))
    mount = (f"mount -t overlay overlay -o lowerdir={folder}/.trial/lower,upperdir={folder}/.trial/upper,"
             f"workdir={folder}/.trial/work {folder}/.trial/merged")
    lacks += filter(None, [
        network.missing(), _lacks_cgroups(),
        _trial("overlayfs", f"mkdir -p {overlay}", mount, needs=f"a file system below {folder} that it can use"),
        _trial("iptables with NAT", "iptables -t nat -A POSTROUTING -m comment --comment x -m mark --mark 1 -j MASQUERADE",
               "iptables -A FORWARD -m conntrack --ctstate NEW -m statistic --mode random --probability 0.5 -j ACCEPT",
               needs="kernel modules nf_nat, xt_MASQUERADE, xt_comment, xt_conntrack, xt_statistic"),
        _trial("bridges that pass through iptables",
               "ip link add name pods type bridge", "echo 1 > /proc/sys/net/bridge/bridge-nf-call-iptables",
               needs="kernel module br_netfilter")])
    shutil.rmtree(folder / ".trial", ignore_errors=True)
    return lacks


def check(folder):
    """Ends the program if something is missing, and says what."""
    lacks = missing(folder)
    if lacks:
        raise SystemExit("error: real nodes cannot run here. This machine lacks:\n" +
                         "\n".join(f"  - {line}" for line in lacks))
