#!/usr/bin/env python3
"""Admission plug-ins as --admission-control-config-file configures them, on both servers: the same file, the same
requests.

    KUBE_APISERVER=path/to/kube-apiserver tests/compat/admission_config.py [--build DIR]

Prints each answer that differs, and ends with 1 if one does. kube-apiserver needs an etcd in $PATH.
"""

import argparse
import json
import pathlib
import sys
import tempfile
import time

from authentication import Asking
from lib import servers
import identity  # tests/integration, which lib.servers has made known

PLUGINS = ("EventRateLimit", "ImagePolicyWebhook", "PodNodeSelector", "PodTolerationRestriction")


def configuration(kubeconfig):
    """The file of both servers."""
    restrictions = [{"key": key, "operator": "Exists"} for key in
                    ("ok", "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable",
                     "node.kubernetes.io/memory-pressure", "more")]
    plugins = {
        "PodSecurity": {
            "apiVersion": "pod-security.admission.config.k8s.io/v1", "kind": "PodSecurityConfiguration",
            "defaults": {"enforce": "baseline", "enforce-version": "v1.30", "warn": "restricted"},
            "exemptions": {"usernames": ["bob"], "namespaces": ["free"], "runtimeClasses": ["gvisor"]}},
        "ResourceQuota": {
            "apiVersion": "apiserver.config.k8s.io/v1", "kind": "ResourceQuotaConfiguration",
            "limitedResources": [
                {"resource": "persistentvolumeclaims", "matchContains": [".storageclass.storage.k8s.io/requests"]},
                {"resource": "pods", "matchScopes": [
                    {"scopeName": "PriorityClass", "operator": "In", "values": ["system-cluster-critical", "x"]}]},
                {"apiGroup": "apps", "resource": "deployments", "matchContains": ["deployments"]}]},
        "EventRateLimit": {
            "apiVersion": "eventratelimit.admission.k8s.io/v1alpha1", "kind": "Configuration",
            "limits": [{"type": "Namespace", "qps": 1, "burst": 1}, {"type": "User", "qps": 1, "burst": 1000},
                       {"type": "SourceAndObject", "qps": 1, "burst": 1}]},
        "ImagePolicyWebhook": {"imagePolicy": {"kubeConfigFile": str(kubeconfig), "retryBackoff": 1}},
        "PodNodeSelector": {"podNodeSelectorPluginConfig": {"clusterDefaultNodeSelector": "env=test",
                                                            "strict": "env=test,k=v"}},
        "PodTolerationRestriction": {
            "apiVersion": "podtolerationrestriction.admission.k8s.io/v1alpha1", "kind": "Configuration",
            "default": restrictions[:1], "whitelist": restrictions}}
    return {"apiVersion": "apiserver.config.k8s.io/v1", "kind": "AdmissionConfiguration",
            "plugins": [{"name": name, "configuration": text} for name, text in plugins.items()]}


def pod(name="p", image="good", **spec):
    return {"metadata": {"name": name}, "spec": {"containers": [{"name": "c", "image": image}], **spec}}


def event(ns, component):
    return {"metadata": {"generateName": "e-"}, "source": {"component": component, "host": "h"},
            "involvedObject": {"kind": "Pod", "namespace": ns, "name": "p", "uid": "u", "apiVersion": "v1"}}


def namespaces():
    alpha = "scheduler.alpha.kubernetes.io/"
    for name, labels, annotations in (
            ("plain", {}, {}), ("strict", {}, {}), ("free", {"pod-security.kubernetes.io/enforce": "restricted"}, {}),
            ("labels", {"pod-security.kubernetes.io/enforce": "privileged"}, {}),
            ("selects", {}, {alpha + "node-selector": "zone=a, env=prod"}),
            ("broken", {}, {alpha + "node-selector": "a=b=c"}),
            ("unlabelled", {}, {alpha + "node-selector": "a b=c"}),
            ("defaults", {}, {alpha + "defaultTolerations": json.dumps([{"key": "more", "operator": "Exists"}])}),
            ("allows", {}, {alpha + "tolerationsWhitelist": json.dumps([{"key": "ok", "operator": "Exists"}])}),
            ("nothing", {}, {alpha + "defaultTolerations": "", alpha + "tolerationsWhitelist": ""})):
        yield {"metadata": {"name": name, "labels": labels, "annotations": annotations}}


def interesting(answer):
    """What the plug-ins decide: a refusal, or where the pod may run."""
    status, body = answer
    if status >= 400:
        return status, {key: body.get(key) for key in ("reason", "message", "details")}
    spec = body.get("spec", {})
    return status, {key: spec.get(key) for key in ("nodeSelector", "tolerations")}


def answers(port):
    """Name -> answer of one server."""
    asking, found = Asking(port), {}

    def post(name, path, body, token=servers.TOKEN):
        found[name] = interesting(asking.request("POST", path, body, {"Authorization": f"Bearer {token}"}))

    # ann and bob may do what the tests ask for.
    rbac = "rbac.authorization.k8s.io"
    asking.admin("POST", f"/apis/{rbac}/v1/clusterrolebindings", {
        "metadata": {"name": "devs"}, "subjects": [{"kind": "Group", "name": "devs", "apiGroup": rbac}],
        "roleRef": {"kind": "ClusterRole", "name": "cluster-admin", "apiGroup": rbac}})
    for namespace in namespaces():
        post("namespace " + namespace["metadata"]["name"], "/api/v1/namespaces", namespace)
    time.sleep(2)  # kube-apiserver reads namespaces and roles from caches
    host = pod(hostNetwork=True)
    for ns in ("plain", "free", "labels"):
        post(f"host network in {ns}", f"/api/v1/namespaces/{ns}/pods", host)
    post("host network of bob", "/api/v1/namespaces/plain/pods", pod("bobs", hostNetwork=True), "bob-token")
    post("host network of ann", "/api/v1/namespaces/plain/pods", pod("anns", hostNetwork=True), "ann-token")
    for ns in ("plain", "strict", "selects", "broken", "unlabelled", "defaults", "allows", "nothing"):
        path = f"/api/v1/namespaces/{ns}/pods"
        post(f"plain pod in {ns}", path, pod("a"))
        post(f"selector in {ns}", path, pod("b", nodeSelector={"zone": "b", "k": "v"}))
        post(f"generated name in {ns}", path,
             {**pod(nodeSelector={"env": "x"}), "metadata": {"generateName": "g-"}})
        post(f"toleration in {ns}", path, pod("c", tolerations=[{"key": "foreign", "operator": "Exists"}]))
        post(f"value in {ns}", path, pod("d", tolerations=[
            {"key": "ok", "operator": "Equal", "value": "v"}, {"key": "more", "effect": "NoSchedule", "value": "v"}]))
        burstable = pod("e")
        burstable["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "1"}}
        post(f"burstable in {ns}", path, burstable)
    for image in ("bad", "bad: not signed"):
        post("image " + image, "/api/v1/namespaces/plain/pods", pod("i", image))
    post("priority", "/api/v1/namespaces/plain/pods", pod("q", priorityClassName="system-cluster-critical"))
    claim = {"metadata": {"name": "c"}, "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "gold",
                                                 "resources": {"requests": {"storage": "1Gi"}}}}
    post("claim", "/api/v1/namespaces/plain/persistentvolumeclaims", claim)
    deployment = {"metadata": {"name": "d"}, "spec": {
        "selector": {"matchLabels": {"a": "b"}},
        "template": {"metadata": {"labels": {"a": "b"}}, "spec": pod()["spec"]}}}
    post("deployment", "/apis/apps/v1/namespaces/plain/deployments", deployment)
    for i, component in enumerate(("one", "one", "two")):
        post(f"event {i} of {component}", "/api/v1/namespaces/plain/events", event("plain", component))
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=str(servers.ROOT / "build"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="compat-admission-") as folder:
        authority = identity.Authority("image-ca")
        webhook = identity.ImageWebhook(authority)
        file = pathlib.Path(folder) / "admission.json"
        file.write_text(json.dumps(configuration(webhook.kubeconfig(folder, authority.certificate))))
        flags = (f"--admission-control-config-file={file}", f"--enable-admission-plugins={','.join(PLUGINS)}")
        with servers.Upstream(servers.upstream_binary(options.build), flags) as upstream:
            theirs = answers(upstream.port)
        with servers.Keelson(pathlib.Path(options.build) / "keelson", flags) as keelson:
            ours = answers(keelson.port)
        webhook.close()
        authority.close()
    different = [name for name in theirs if theirs[name] != ours[name]]
    for name in different:
        print(f"{name}\n  kube-apiserver {json.dumps(theirs[name])}\n  keelson        {json.dumps(ours[name])}")
    print(f"{len(theirs) - len(different)} of {len(theirs)} answers are the same")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
