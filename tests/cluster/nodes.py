"""Real nodes on one machine: kubelet, containerd, runc and kube-proxy, each node in namespaces of its own.

A node has a network joined to the others' by a bridge, a subnet for its pods with routes between them, a host name, and
its own /run, /var/lib and /var/log; its pods' cgroups are below that of the sandbox. Rules of kube-proxy and mounts of
pods are the node's, not the machine's, and go with it.
"""

import json
import pathlib
import subprocess
import sys

import addons
import images
import machine
import registry
import sandbox

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "conformance"))
import cluster  # noqa: E402
import network  # noqa: E402
from cluster import identity  # noqa: E402

TOOLS = ["kubelet", "kube-proxy", "containerd", "containerd-shim-runc-v2", "ctr", "coredns"]
COUNT = 2
GATEWAY = "10.250.0.254"  # of the nodes: the network that the server is in
POD_RANGE = "10.244.0.0/16"
DNS_ADDRESS, DNS_DOMAIN = "10.96.0.10", "cluster.local"
KUBELET_CLIENT = "kube-apiserver-kubelet-client"  # the server, to kubelets
SOCKET = "/run/containerd/containerd.sock"


def join_network():
    """From now on this process and what it starts are in the network that the server is in."""
    network.enter([cluster.ADVERTISED], f"{GATEWAY}/24")


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise SystemExit(f"error: {' '.join(map(str, command))}: {done.stderr.strip()}")
    return done.stdout


class Authority:
    """Who vouches for kubelets to the server, and for the server to kubelets; and the flags that say so."""

    def __init__(self):
        self.authority = identity.Authority("kubelets")
        certificate, key = self.authority.issue(f"/CN={KUBELET_CLIENT}")
        self.certificate = self.authority.certificate
        self.flags = ["--kubelet-client-certificate", certificate, "--kubelet-client-key", key,
                      "--kubelet-certificate-authority", self.certificate,
                      "--kubelet-preferred-address-types", "InternalIP,Hostname"]

    def serving(self, address, name):
        return self.authority.issue(f"/CN={name}", usage="serverAuth", names=f"IP:{address},DNS:{name}")


class Node:
    """One node. `folder` has its files."""

    def __init__(self, number, clu, real):
        self.number, self.name, self.address = number, f"node-{number}", f"10.250.0.{number}"
        self.pods = f"10.244.{number}"  # the first three numbers of their addresses
        self.clu, self.real, self.folder = clu, real, real.folder / self.name
        self.cgroup = f"{real.cgroup}/{self.name}"
        self.cable = f"cable-{number}"  # its end at the bridge
        self.machine = None  # a process whose namespaces are the node's
        for part in ("kubelet", "log", "containerd", "cni"):
            (self.folder / part).mkdir(parents=True)

    def inside(self, *command):
        """A command in the node's namespaces, with the machine's own files."""
        return ["nsenter", f"--target={self.machine.pid}", "--net", "--mount", "--uts", *command]

    def sh(self, script):
        run(*self.inside("sh", "-ec", script))

    def process(self, name, *command):
        started = cluster.Process(f"{self.name}-{name}", self.inside(*command), self.real.folder)
        self.clu.companions.append(started)
        return started

    def boot(self):
        """The node's namespaces, network and folders."""
        self.machine = cluster.Process(self.name, ["unshare", "--net", "--mount", "--uts", "--propagation=private",
                                                   "sleep", "infinity"], self.real.folder)
        self.clu.companions.append(self.machine)
        own = pathlib.Path("/proc/self/ns/net").readlink()
        cluster.wait_until(lambda: self._namespace() not in (None, own), f"{self.name} has namespaces")
        run("ip", "link", "add", self.cable, "type", "veth", "peer", "name", "eth0", "netns", self.machine.pid)
        run("ip", "link", "set", self.cable, "master", network.BRIDGE)
        self.plug()
        run("ip", "route", "add", f"{self.pods}.0/24", "via", self.address)
        self.sh(f"""
            hostname {self.name}
            mount -t tmpfs tmpfs /run
            mount -t tmpfs tmpfs /var/lib
            mkdir -p /run/netns /run/containerd /var/lib/kubelet /var/lib/cni
            mount --bind {self.folder}/kubelet /var/lib/kubelet
            mount --bind {self.folder}/log /var/log
            mount -t sysfs sysfs /sys
            mount --rbind {self.real.cgroups_seen} /sys/fs/cgroup
            mount --make-rshared /
            ip link set lo up
            ip address add {self.address}/24 dev eth0
            ip link set eth0 up
            ip route add default via {GATEWAY}
            echo 1 > /proc/sys/net/ipv4/ip_forward
            echo 1 > /proc/sys/net/bridge/bridge-nf-call-iptables""")
        for other in range(1, COUNT + 1):
            if other != self.number:
                self.sh(f"ip route add 10.244.{other}.0/24 via 10.250.0.{other}")

    def plug(self):
        run("ip", "link", "set", self.cable, "up")

    def unplug(self):
        """The node goes on, but reaches nobody, and nobody reaches it."""
        run("ip", "link", "set", self.cable, "down")

    def _namespace(self):
        self.machine.check()
        try:
            return pathlib.Path(f"/proc/{self.machine.pid}/ns/net").readlink()
        except OSError:
            return None

    def start_runtime(self, archives):
        (self.folder / "cni" / "10-pods.conflist").write_text(json.dumps(self._pod_network()))
        config = self.folder / "containerd.toml"
        config.write_text(self._containerd())
        self.process("containerd", "env", f"PATH={self.clu.bin_dir}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                     self.clu.bin_dir / "containerd", "--config", config)
        ctr = self.inside(self.clu.bin_dir / "ctr", "--address", SOCKET, "--namespace", "k8s.io")
        cluster.wait_until(lambda: subprocess.run([*map(str, ctr), "version"], capture_output=True, check=False).returncode == 0,
                           f"containerd of {self.name} answers")
        for archive in archives:
            run(*ctr, "images", "import", archive)

    def start_kubelet(self):
        kubeconfig = self.clu.kubeconfig(self.name, f"system:node:{self.name}", ["system:nodes"])
        config = self.folder / "kubelet.json"
        config.write_text(json.dumps(self._kubelet()))
        (self.folder / "resolv.conf").write_text("")
        self.process("kubelet", self.clu.bin_dir / "kubelet", "--config", config, "--kubeconfig", kubeconfig,
                     "--hostname-override", self.name, "--node-ip", self.address, "-v=2")
        proxy = self.folder / "kube-proxy.json"
        proxy.write_text(json.dumps({
            "apiVersion": "kubeproxy.config.k8s.io/v1alpha1", "kind": "KubeProxyConfiguration", "mode": "iptables",
            "clientConnection": {"kubeconfig": str(self.real.proxy_kubeconfig)}, "clusterCIDR": POD_RANGE,
            "hostnameOverride": self.name, "bindAddress": self.address, "conntrack": {"maxPerCore": 0}}))
        self.process("kube-proxy", self.clu.bin_dir / "kube-proxy", "--config", proxy)

    def _pod_network(self):
        return {"cniVersion": "1.0.0", "name": "pods", "plugins": [
            {"type": "bridge", "bridge": "cni0", "isGateway": True, "hairpinMode": True, "ipMasq": False,
             "ipam": {"type": "host-local", "ranges": [[{"subnet": f"{self.pods}.0/24"}]], "routes": [{"dst": "0.0.0.0/0"}]}},
            {"type": "portmap", "capabilities": {"portMappings": True}}]}

    def _containerd(self):
        runtime = "plugins.'io.containerd.cri.v1.runtime'"
        # Without that capability nobody may make a process less likely to be killed.
        restrict = "false" if machine.has_capability(machine.CAP_SYS_RESOURCE) else "true"
        return f"""version = 3
root = "{self.folder}/containerd"
state = "/run/containerd"
[grpc]
address = "{SOCKET}"
[plugins.'io.containerd.nri.v1.nri']
disable = true
[plugins.'io.containerd.cri.v1.images'.pinned_images]
sandbox = "{images.PAUSE}"
[plugins.'io.containerd.cri.v1.images'.registry]
config_path = "{self.real.registries}"
[{runtime}]
restrict_oom_score_adj = {restrict}
[{runtime}.cni]
bin_dirs = ["{machine.CNI_PLUGINS}"]
conf_dir = "{self.folder}/cni"
[{runtime}.containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
[{runtime}.containerd.runtimes.runc.options]
SystemdCgroup = false
"""

    def _kubelet(self):
        certificate, key = self.real.authority.serving(self.address, self.name)
        return {
            "apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration",
            "address": self.address, "healthzBindAddress": "127.0.0.1", "containerRuntimeEndpoint": f"unix://{SOCKET}",
            "authentication": {"anonymous": {"enabled": False}, "webhook": {"enabled": True},
                               "x509": {"clientCAFile": str(self.real.authority.certificate)}},
            "authorization": {"mode": "Webhook"}, "tlsCertFile": str(certificate), "tlsPrivateKeyFile": str(key),
            "cgroupDriver": "cgroupfs", "cgroupRoot": f"/{self.cgroup}", "failCgroupV1": False, "failSwapOn": False,
            "clusterDNS": [DNS_ADDRESS], "clusterDomain": DNS_DOMAIN, "resolvConf": str(self.folder / "resolv.conf"),
            # The disk is the machine's, and what else fills it is not this cluster's business.
            "imageGCHighThresholdPercent": 100, "imageGCLowThresholdPercent": 99,
            "evictionHard": {"memory.available": "100Mi", "nodefs.available": "1%", "imagefs.available": "1%"},
            "serializeImagePulls": False, "registryPullQPS": 0, "eventRecordQPS": 0}


class RealNodes:
    """The nodes of a cluster.Cluster; `authority` is the one whose flags the server was started with."""

    count = COUNT
    kind = "real"
    manager_flags = ["--allocate-node-cidrs=false"]

    def __init__(self, folder, cgroup, authority, archives):
        self.folder, self.cgroup, self.authority = folder, cgroup, authority
        self.archives, self.registries = archives, folder / "registries"
        self.proxy_kubeconfig = self.nodes = self.registry = None
        self.cgroups_seen = folder / "cgroups"

    def start(self, clu):
        """Also the cluster's DNS server, which is a pod."""
        # What /sys shows is fixed by the network it is mounted in; its cgroups are mounted there again.
        self.cgroups_seen.mkdir()
        run("mount", "--rbind", machine.CGROUPS, self.cgroups_seen)
        # Every node has the images; the registry is for pods that want them pulled all the same.
        self.registry = registry.Registry(self.archives, GATEWAY)
        (self.registries / "_default").mkdir(parents=True)
        (self.registries / "_default" / "hosts.toml").write_text(registry.hosts_toml(self.registry.url))
        self.proxy_kubeconfig = clu.kubeconfig("kube-proxy", "system:kube-proxy")
        clu.must("create", "clusterrolebinding", KUBELET_CLIENT, "--clusterrole=system:kubelet-api-admin",
                 f"--user={KUBELET_CLIENT}")
        self.nodes = [Node(number, clu, self) for number in range(1, COUNT + 1)]
        for node in self.nodes:
            sandbox.make_cgroup(node.cgroup)
            node.boot()
        for node in self.nodes:
            node.start_runtime(self.archives)
            node.start_kubelet()
        clu.must("apply", "-f", "-", input=json.dumps(addons.dns(DNS_ADDRESS, DNS_DOMAIN)))
        clu.wait(["-n", "kube-system", "get", "deployment", "coredns", "-o", "jsonpath={.status.readyReplicas}"],
                 lambda out: out == "1", "CoreDNS is ready")
