"""Pods and workloads that each check of the pod security standards looks at, at every level and version.

FRAGMENTS says how a pod that satisfies every check is changed; a scenario sends all of the changed pods to one
namespace, whose labels name a level and a version. Everything is a dry run, and of what is accepted only the
metadata is asked for: the refusals and the warnings are what counts.
"""

import json
import random

from lib import scenario as scenarios

# Two before and after each version with a check of its own; some that only clamp.
VERSIONS = ("latest", "v1.0", "v1.7", "v1.8", "v1.18", "v1.19", "v1.21", "v1.22", "v1.23", "v1.24", "v1.25", "v1.26",
            "v1.27", "v1.28", "v1.29", "v1.30", "v1.31", "v1.32", "v1.33", "v1.34", "v1.35", "v1.36", "v1.99")
LEVELS = ("baseline", "restricted")
LABEL = "pod-security.kubernetes.io/"
WARNED = ("latest", "v1.0", "v1.22", "v1.30")  # of VERSIONS, the ones that are also only warned of
COMBINATIONS = 40
METADATA_ONLY = {"Accept": "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"}

SECURE = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}


def _container(name):
    return {"name": name, "image": "i", "securityContext": json.loads(json.dumps(SECURE))}  # edits are of one container


POD = {"metadata": {"name": "p", "labels": {"app": "x"}, "annotations": {"example.com/a": "b"}}, "spec": {
    "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
    "containers": [_container("c"), _container("d")], "initContainers": [_container("i")]}}

C, D, I = "spec/containers/0", "spec/containers/1", "spec/initContainers/0"
ON_POD, ON_C, ON_D, ON_I = ("spec/securityContext", *(f"{one}/securityContext" for one in (C, D, I)))
APPARMOR = "metadata/annotations/container.apparmor.security.beta.kubernetes.io~1"
SECCOMP = "metadata/annotations/"
# Windows refuses what Linux needs.
NOTHING_OF_LINUX = [[ON_POD], [ON_C], [ON_D], [ON_I]]
WINDOWS = [*NOTHING_OF_LINUX, ["spec/os", {"name": "windows"}]]

VOLUMES = {
    "configMap": {"name": "n"}, "csi": {"driver": "example.com"}, "downwardAPI": {}, "emptyDir": {},
    "ephemeral": {"volumeClaimTemplate": {"spec": {"accessModes": ["ReadWriteOnce"],
                                                   "resources": {"requests": {"storage": "1Gi"}}}}},
    "persistentVolumeClaim": {"claimName": "n"}, "projected": {"sources": []}, "secret": {"secretName": "n"},
    "image": {"reference": "i"}, "hostPath": {"path": "/x"}, "gcePersistentDisk": {"pdName": "n"},
    "awsElasticBlockStore": {"volumeID": "n"}, "gitRepo": {"repository": "r"}, "nfs": {"server": "s", "path": "/x"},
    "iscsi": {"targetPortal": "192.0.2.7", "iqn": "iqn.2001-04.com.example:disk", "lun": 0},
    "glusterfs": {"endpoints": "e", "path": "/x"}, "rbd": {"monitors": ["m"], "image": "i"},
    "flexVolume": {"driver": "example.com/d"}, "cinder": {"volumeID": "n"}, "cephfs": {"monitors": ["m"]},
    "flocker": {"datasetName": "n"}, "fc": {"targetWWNs": ["50060e801049cfd1"], "lun": 0},
    "azureFile": {"secretName": "n", "shareName": "n"}, "vsphereVolume": {"volumePath": "/x"},
    "quobyte": {"registry": "r:1", "volume": "v"}, "azureDisk": {"diskName": "n", "diskURI": "/subscriptions/x", "kind": "Managed"},
    "photonPersistentDisk": {"pdID": "n"}, "portworxVolume": {"volumeID": "n"},
    "scaleIO": {"gateway": "g", "system": "s", "secretRef": {"name": "n"}, "volumeName": "v"},
    "storageos": {"volumeName": "n"},
}
SYSCTLS = ("kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range", "net.ipv4.tcp_syncookies",
           "net.ipv4.ping_group_range", "net.ipv4.ip_unprivileged_port_start", "net.ipv4.ip_local_reserved_ports",
           "net.ipv4.tcp_keepalive_time", "net.ipv4.tcp_fin_timeout", "net.ipv4.tcp_keepalive_intvl",
           "net.ipv4.tcp_keepalive_probes", "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem", "kernel.msgmax", "net/ipv4/x")
CAPABILITIES = ("AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE",
                "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT", "NET_RAW", "SYS_ADMIN", "ALL", "CAP_CHOWN", "chown")


def _volumes(*sources):
    return [["spec/volumes", [{"name": f"v{i}", source: VOLUMES[source]} for i, source in enumerate(sources)]]]


def _sysctls(*names):
    return [[f"{ON_POD}/sysctls", [{"name": name, "value": "1"} for name in names]]]


def _handler(container, kind, host):
    """A probe or a lifecycle hook that asks some host."""
    action = {"port": 80, "host": host}
    where, source = kind.split("/")
    if where in ("postStart", "preStop"):
        return [[f"{container}/lifecycle/{where}", {source: action}]]
    return [[f"{container}/{where}", {source: action}]]


def _fragments():
    """Name -> edits of POD."""
    out = {"nothing": []}
    escalation = "allowPrivilegeEscalation"
    for where, paths in (("c", [ON_C]), ("i", [ON_I]), ("all", [ON_C, ON_D, ON_I])):
        out[f"{escalation}-{where}-true"] = [[f"{path}/{escalation}", True] for path in paths]
        out[f"{escalation}-{where}-none"] = [[f"{path}/{escalation}"] for path in paths]
        out[f"privileged-{where}-false"] = [[f"{path}/privileged", False] for path in paths]
        out[f"privileged-{where}-true"] = [edit for path in paths
                                           for edit in ([f"{path}/{escalation}"], [f"{path}/privileged", True])]
    out["no-security-at-all"] = NOTHING_OF_LINUX

    for value in ("runtime/default", "localhost/x", "unconfined", ""):
        out[f"apparmor-annotation-{value.replace('/', '-') or 'empty'}"] = [[f"{APPARMOR}c", value]]
    out["apparmor-annotations"] = [[f"{APPARMOR}c", "unconfined"], [f"{APPARMOR}i", "unconfined"]]
    for where, path in (("pod", ON_POD), ("c", ON_C), ("i", ON_I)):
        for kind in ("RuntimeDefault", "Unconfined", "Localhost"):
            profile = {"type": kind, **({"localhostProfile": "p"} if kind == "Localhost" else {})}
            out[f"apparmor-{where}-{kind}"] = [[f"{path}/appArmorProfile", profile]]
            out[f"seccomp-{where}-{kind}"] = [[f"{path}/seccompProfile", profile]]
    out["apparmor-several"] = [[f"{path}/appArmorProfile", {"type": "Unconfined"}] for path in (ON_POD, ON_C, ON_I)]
    out["seccomp-several"] = [[f"{path}/seccompProfile", {"type": "Unconfined"}] for path in (ON_POD, ON_C, ON_I)]
    out["seccomp-none"] = [[f"{ON_POD}/seccompProfile"]]
    out["seccomp-none-but-c"] = [[f"{ON_POD}/seccompProfile"], [f"{ON_C}/seccompProfile", {"type": "RuntimeDefault"}]]
    out["seccomp-containers"] = [[f"{ON_POD}/seccompProfile"],
                                 *([f"{path}/seccompProfile", {"type": "RuntimeDefault"}] for path in (ON_C, ON_D, ON_I))]
    for where, key in (("pod", "seccomp.security.alpha.kubernetes.io~1pod"),
                       ("c", "container.seccomp.security.alpha.kubernetes.io~1c")):
        for value in ("runtime/default", "docker/default", "localhost/x", "unconfined"):
            out[f"seccomp-annotation-{where}-{value.replace('/', '-')}"] = [[f"{ON_POD}/seccompProfile"],
                                                                            [SECCOMP + key, value]]

    for name in CAPABILITIES:
        out[f"capability-{name}"] = [[f"{ON_C}/capabilities/add", [name]]]
    out["capabilities-several"] = [[f"{path}/capabilities/add", ["SYS_ADMIN", "CHOWN", "NET_RAW"]]
                                   for path in (ON_C, ON_I)]
    out["capabilities-drop-none"] = [[f"{ON_C}/capabilities/drop"]]
    out["capabilities-drop-all-but-one"] = [[f"{ON_I}/capabilities"]]
    out["capabilities-drop-some"] = [[f"{ON_C}/capabilities/drop", ["KILL"]], [f"{ON_D}/capabilities/drop", ["all"]]]

    for field in ("hostNetwork", "hostPID", "hostIPC"):
        out[field] = [[f"spec/{field}", True]]
    out["host-everything"] = [[f"spec/{field}", True] for field in ("hostNetwork", "hostPID", "hostIPC")]
    for name in VOLUMES:
        out[f"volume-{name}"] = _volumes(name)
    out["volumes-several"] = _volumes("hostPath", "nfs", "emptyDir", "hostPath", "rbd")
    out["hostPort-zero"] = [[f"{C}/ports", [{"containerPort": 80, "hostPort": 0}]]]
    out["hostPort"] = [[f"{C}/ports", [{"containerPort": 80, "hostPort": 8080}]]]
    out["hostPorts"] = [[f"{C}/ports", [{"containerPort": 80, "hostPort": 8080}, {"containerPort": 81, "hostPort": 81}]],
                        [f"{D}/ports", [{"containerPort": 82, "hostPort": 82}]],
                        [f"{I}/ports", [{"containerPort": 80, "hostPort": 8080}]]]
    for kind in ("livenessProbe/httpGet", "readinessProbe/tcpSocket", "startupProbe/httpGet", "livenessProbe/tcpSocket",
                 "postStart/httpGet", "preStop/tcpSocket", "preStop/httpGet"):
        for host in ("127.0.0.1", ""):
            out[f"{kind.replace('/', '-')}-{host or 'none'}"] = _handler(C, kind, host)
    out["probes-several"] = [*_handler(C, "livenessProbe/httpGet", "b.example"), *_handler(D, "preStop/httpGet", "a.example"),
                             [f"{I}/restartPolicy", "Always"], *_handler(I, "livenessProbe/tcpSocket", "c.example")]

    for users in ("", "-own-users"):
        own = [["spec/hostUsers", False]] if users else []
        for value in ("Default", "Unmasked"):
            out[f"procMount-{value}{users}"] = [*own, [f"{ON_C}/procMount", value]]
        out[f"procMount-several{users}"] = [*own, *([f"{path}/procMount", "Unmasked"] for path in (ON_C, ON_I))]
        out[f"runAsNonRoot-none{users}"] = [*own, [f"{ON_POD}/runAsNonRoot"]]
        out[f"runAsNonRoot-pod-false{users}"] = [*own, [f"{ON_POD}/runAsNonRoot", False]]
        out[f"runAsNonRoot-c-false{users}"] = [*own, [f"{ON_C}/runAsNonRoot", False]]
        out[f"runAsNonRoot-both-false{users}"] = [*own, [f"{ON_POD}/runAsNonRoot", False], [f"{ON_I}/runAsNonRoot", False]]
        out[f"runAsNonRoot-containers{users}"] = [*own, [f"{ON_POD}/runAsNonRoot"],
                                                  *([f"{path}/runAsNonRoot", True] for path in (ON_C, ON_D, ON_I))]
        for where, path in (("pod", ON_POD), ("c", ON_C), ("i", ON_I)):
            for user in (0, 1000):
                out[f"runAsUser-{where}-{user}{users}"] = [*own, [f"{path}/runAsUser", user]]
        out[f"runAsUser-several{users}"] = [*own, *([f"{path}/runAsUser", 0] for path in (ON_POD, ON_C, ON_D))]
    out["hostUsers-true"] = [["spec/hostUsers", True]]

    for where, path in (("pod", ON_POD), ("c", ON_C)):
        for kind in ("", "container_t", "container_init_t", "container_kvm_t", "container_engine_t", "spc_t"):
            out[f"selinux-{where}-type-{kind or 'empty'}"] = [[f"{path}/seLinuxOptions", {"type": kind}]]
        for field in ("user", "role", "level"):
            out[f"selinux-{where}-{field}"] = [[f"{path}/seLinuxOptions", {field: "x"}]]
    out["selinux-several"] = [[f"{ON_POD}/seLinuxOptions", {"type": "b", "user": "u"}],
                              [f"{ON_C}/seLinuxOptions", {"type": "a"}], [f"{ON_I}/seLinuxOptions", {"role": "r"}]]
    for name in SYSCTLS:
        out[f"sysctl-{name.replace('/', '-')}"] = _sysctls(name)
    out["sysctls-several"] = _sysctls("kernel.msgmax", "kernel.shm_rmid_forced", "a.b")

    out["windows"] = WINDOWS
    out["windows-host-process"] = [*WINDOWS, ["spec/hostNetwork", True],
                                   [ON_POD, {"windowsOptions": {"hostProcess": True}}]]
    out["windows-host-process-c"] = [
        *WINDOWS, ["spec/hostNetwork", True],
        *([path, {"windowsOptions": {"hostProcess": True}}] for path in (ON_C, ON_D, ON_I))]
    out["windows-non-root"] = [*WINDOWS, [ON_POD, {"runAsNonRoot": True}]]
    out["linux-named"] = [["spec/os", {"name": "linux"}]]
    return out


def _combined(fragments):
    """Several things wrong at once: the order in which they are told is part of the answer."""
    rand = random.Random("combinations")
    simple = [name for name in fragments if not name.startswith(("windows", "no-security"))]
    for i in range(COMBINATIONS):
        names = rand.sample(simple, rand.randint(2, 5))
        yield f"combination-{i}", [edit for name in names for edit in fragments[name]]


FRAGMENTS = _fragments()
FRAGMENTS.update(_combined(dict(FRAGMENTS)))

# kind -> (the collection, where the pod is in it)
WORKLOADS = {
    "Deployment": ("/apis/apps/v1/namespaces/$ns/deployments", "spec/template"),
    "DaemonSet": ("/apis/apps/v1/namespaces/$ns/daemonsets", "spec/template"),
    "StatefulSet": ("/apis/apps/v1/namespaces/$ns/statefulsets", "spec/template"),
    "ReplicaSet": ("/apis/apps/v1/namespaces/$ns/replicasets", "spec/template"),
    "ReplicationController": ("/api/v1/namespaces/$ns/replicationcontrollers", "spec/template"),
    "Job": ("/apis/batch/v1/namespaces/$ns/jobs", "spec/template"),
    "CronJob": ("/apis/batch/v1/namespaces/$ns/cronjobs", "spec/jobTemplate/spec/template"),
    "PodTemplate": ("/api/v1/namespaces/$ns/podtemplates", "template"),
}


def _workload(kind):
    template = {"metadata": {key: POD["metadata"][key] for key in ("labels", "annotations")}, "spec": POD["spec"]}
    if "Job" in kind:
        template = {**template, "spec": {**POD["spec"], "restartPolicy": "Never"}}
    spec = {"template": template}
    if kind == "CronJob":
        spec = {"schedule": "@daily", "jobTemplate": {"spec": spec}}
    elif kind == "ReplicationController":
        spec["selector"] = {"app": "x"}
    elif kind != "Job":
        spec["selector"] = {"matchLabels": {"app": "x"}}
    if kind == "StatefulSet":
        spec["serviceName"] = "s"
    metadata = {"metadata": {"name": "w"}}
    return {**metadata, "template": template} if kind == "PodTemplate" else {**metadata, "spec": spec}


def _label(name, labels):
    step = scenarios.Step(name, "PATCH", "/api/v1/namespaces/$ns", {"Content-Type": "application/merge-patch+json"},
                          json.dumps({"metadata": {"labels": {LABEL + key: value for key, value in labels.items()}}}))
    step.settle = True  # until upstream's cache of namespaces has it
    return step


def _post(name, path, edits, query="?dryRun=All"):
    return scenarios.Step(name, "POST", path + query, {**dict([scenarios.USUAL_HEADER]), **METADATA_ONLY},
                          base="object", edits=edits)


def pods(mode, level, version):
    """Refused with `enforce`, warned of with `warn`."""
    steps = [_label("label", {mode: level, f"{mode}-version": version})]
    steps += [_post(name, "/api/v1/namespaces/$ns/pods", edits) for name, edits in FRAGMENTS.items()]
    return scenarios.Scenario(f"podsecurity/pods/{mode}/{level}-{version}", steps, {"object": POD})


def workloads(kind, level, version):
    """Never refused: the namespace enforces what it warns of."""
    path, template = WORKLOADS[kind]
    labels = {mode + suffix: value for mode in ("enforce", "warn", "audit")
              for suffix, value in (("", level), ("-version", version))}
    steps = [_label("label", labels)]
    for name, edits in FRAGMENTS.items():
        steps.append(_post(name, path, [[f"{template}/{where}", *value] for where, *value in edits]))
    return scenarios.Scenario(f"podsecurity/workloads/warn/{level}-{version}-{kind.lower()}", steps,
                              {"object": _workload(kind)})


def updates():
    """Pods that were there before the labels, and what may still be done to them."""
    pod, metadata = "/api/v1/namespaces/$ns/pods", {"Content-Type": "application/merge-patch+json", **METADATA_ONLY}
    bad = {name: FRAGMENTS[name] for name in ("privileged-c-true", "hostPorts", "volume-hostPath", "runAsUser-pod-0")}
    steps = [_post(f"make-{name}", pod, [["metadata/name", name.lower()], *edits], "") for name, edits in bad.items()]
    steps += [_post(f"make-again-{i}", pod, [["metadata/name", f"again-{i}"], *FRAGMENTS["hostNetwork"]], "")
              for i in range(3)]
    steps.append(_post("make-good", pod, [["metadata/name", "good"]], ""))
    steps[-1].settle = True
    for level, version in (("baseline", "latest"), ("restricted", "latest"), ("restricted", "v1.20"), ("privileged", "latest")):
        steps.append(_label(f"enforce-{level}-{version}", {"enforce": level, "enforce-version": version}))
    steps.append(_label("warn-only", {"warn": "restricted"}))
    steps.append(_label("enforce", {"enforce": "restricted", "enforce-version": "latest", "warn": None}))
    steps.append(_label("enforce-again", {"enforce": "restricted", "audit": "baseline"}))
    for name in ("hostports", "good"):
        for what, body in {"label": {"metadata": {"labels": {"a": "b"}}},
                           "image": {"spec": {"containers": [{"name": "c", "image": "j"}, {"name": "d", "image": "i"}]}},
                           "finalizer": {"metadata": {"finalizers": ["example.com/f"]}}}.items():
            steps.append(scenarios.Step(
                f"{what}-{name}", "PATCH", f"{pod}/{name}?dryRun=All",
                {**metadata, "Content-Type": "application/strategic-merge-patch+json"}, json.dumps(body)))
        for what, context in {"none": {}, "secure": SECURE, "privileged": {"privileged": True},
                              "root": {**SECURE, "runAsUser": 0}}.items():
            container = {"name": "e", "image": "i", "securityContext": context}
            steps.append(scenarios.Step(
                f"ephemeral-{what}-{name}", "PATCH", f"{pod}/{name}/ephemeralcontainers?dryRun=All",
                {**metadata, "Content-Type": "application/strategic-merge-patch+json"},
                json.dumps({"spec": {"ephemeralContainers": [container]}})))
    return scenarios.Scenario("podsecurity/pods/updates", steps, {"object": POD})


def namespaces():
    """Levels and versions as labels, good and bad ones."""
    steps, i = [], 0
    for mode in ("enforce", "warn", "audit"):
        for level in ("privileged", "baseline", "restricted", "", "strict", "Baseline"):
            for version in (None, "latest", "v1.25", "v1.0", "v1.99", "v2.0", "1.25", "v1.025", "v1", "v1.25.1", "", "x"):
                labels = {LABEL + mode: level, **({LABEL + mode + "-version": version} if version is not None else {})}
                i += 1
                steps.append(scenarios.Step(
                    f"{mode}-{i}", "POST", "/api/v1/namespaces?dryRun=All", {**dict([scenarios.USUAL_HEADER]), **METADATA_ONLY},
                    json.dumps({"metadata": {"name": "podsecurity-labels", "labels": labels}})))
    return scenarios.Scenario("podsecurity/namespaces/labels", steps)


RECORDED = (*(("enforce", level, "latest") for level in LEVELS), ("warn", "restricted", "v1.24"))
RECORDED_WORKLOADS = (("Deployment", "restricted", "latest"), ("CronJob", "baseline", "v1.33"))


def recorded():
    return [*(pods(*one) for one in RECORDED), *(workloads(*one) for one in RECORDED_WORKLOADS), updates(), namespaces()]


def others():
    """Those whose answers are not stored."""
    for level in LEVELS:
        for version in VERSIONS:
            for mode in ("enforce", "warn") if version in WARNED else ("enforce",):
                if (mode, level, version) not in RECORDED:
                    yield pods(mode, level, version)
        for kind in WORKLOADS:
            if (kind, level, "latest") not in RECORDED_WORKLOADS:
                yield workloads(kind, level, "latest")
