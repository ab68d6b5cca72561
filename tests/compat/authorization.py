#!/usr/bin/env python3
"""Who may do what where webhooks decide, on both servers: the same configuration, webhooks and requests.

    KUBE_APISERVER=path/to/kube-apiserver tests/compat/authorization.py [--build DIR]

Compares the answers and what the webhooks were asked. Prints what differs, and ends with 1 if something does.
kube-apiserver needs an etcd in $PATH.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from lib import asking, servers
import identity  # tests/integration, which lib.servers has made known

REVIEWS = "/apis/authorization.k8s.io/v1"
DEFAULT = "/api/v1/namespaces/default"
# Besides those that servers.TOKENS has: method, path, body.
REQUESTS = (
    ("GET", DEFAULT + "/configmaps", None),
    ("GET", DEFAULT + "/configmaps?labelSelector=a%3Db,c+in+(x,w),!d,e,f!%3Dg", None),
    ("GET", DEFAULT + "/configmaps?fieldSelector=metadata.name%3Da,metadata.namespace!%3Db", None),
    ("GET", DEFAULT + "/configmaps?labelSelector=%3D%3D&fieldSelector=%3D", None),
    ("GET", DEFAULT + "/configmaps?watch=true&resourceVersion=0&timeoutSeconds=1&fieldSelector=metadata.name%3Dnone", None),
    ("GET", DEFAULT + "/configmaps/none", None),
    ("GET", DEFAULT + "/pods/none/log", None),
    ("POST", DEFAULT + "/configmaps", {"metadata": {"generateName": "a-"}}),
    ("DELETE", DEFAULT + "/configmaps?labelSelector=none%3Dx", None),
    ("DELETE", DEFAULT + "/configmaps/none", None),
    ("GET", "/apis/apps/v1/namespaces/default/deployments/none/scale", None),
    ("GET", "/api/v1/nodes", None),
    ("GET", "/api/v1/nodes?fieldSelector=spec.unschedulable%3Dtrue", None),
    ("GET", "/api", None),
    ("GET", "/nothing/here", None),
    ("GET", "/denied", None),
    ("GET", "/both", None),
    ("GET", "/broken", None),
    ("GET", "/nonsense", None),
    ("GET", "/nameless", None),
    ("POST", REVIEWS + "/selfsubjectrulesreviews", {"spec": {"namespace": "default"}}),
    ("POST", REVIEWS + "/selfsubjectaccessreviews", {"spec": {"nonResourceAttributes": {"verb": "x", "path": "/denied"}}}),
    ("POST", REVIEWS + "/selfsubjectaccessreviews", {"spec": {"nonResourceAttributes": {"verb": "x", "path": "/broken"}}}),
    ("POST", REVIEWS + "/selfsubjectaccessreviews", {"spec": {"resourceAttributes": {
        "verb": "list", "resource": "pods", "fieldSelector": {"rawSelector": "a=b"},
        "labelSelector": {"requirements": [{"key": "x", "operator": "In", "values": ["b", "a"]}]}}}}),
)
ADMIN_REQUESTS = (
    ("POST", REVIEWS + "/subjectaccessreviews", {"spec": {
        "user": "eve", "uid": "9", "groups": ["g"], "extra": {"B/c": ["1", "2"], "a": []},
        "resourceAttributes": {"verb": "get", "resource": "pods", "namespace": "a", "name": "b"}}}),
    ("POST", REVIEWS + "/namespaces/default/localsubjectaccessreviews", {"metadata": {"namespace": "default"}, "spec": {
        "user": "eve", "resourceAttributes": {"verb": "get", "resource": "pods", "namespace": "default"}}}),
)
CONDITIONS = (
    "request.user != 'carl'",
    "!has(request.resourceAttributes) || request.resourceAttributes.resource != 'nodes' || "
    "request.resourceAttributes.fieldSelector.requirements.exists(r, r.operator == 'In')",
)


def decide(spec):
    """A webhook's answer, from the path or the user."""
    path = spec.get("nonResourceAttributes", {}).get("path")
    if path == "/broken":
        return 403, "no"
    if path == "/nonsense":
        return 200, "[]"
    if path == "/nameless":
        return 200, {"status": {"allowed": True}}
    groups = spec.get("groups", spec.get("group", []))
    return {"allowed": "ops" in groups or path == "/both", "denied": path in ("/denied", "/both"),
            "reason": f"the webhook knows {spec['user']}", "evaluationError": "unused"}


def settings(folder, authority, hooks):
    """Name -> flags."""
    first, second = hooks
    ca = authority.certificate
    conditions = [{"expression": e} for e in CONDITIONS]
    config = folder / "authorization.json"
    config.write_text(identity.authorization_config(
        second.config(folder, ca, "second", failurePolicy="Deny",
                      matchConditions=[{"expression": "request.user == 'bob'"}]),
        "Node", "RBAC", first.config(folder, ca, "first", matchConditions=conditions)))
    hook = f"--authorization-webhook-config-file={first.kubeconfig(folder, ca)}"
    return {
        "v1": ("--authorization-mode=Node,RBAC,Webhook", hook, "--authorization-webhook-version=v1"),
        "v1beta1": ("--authorization-mode=Webhook,RBAC", hook,),
        "config": (f"--authorization-config={config}",),
    }


def answers(port, hooks):
    """Name -> answer of one server, and what was asked for it."""
    client, found = asking.Asking(port), {}

    def record(name, ask):
        for hook in hooks:
            hook.requests.clear()
        status, body = ask()
        if isinstance(body, dict):
            body = body.get("message") or body.get("status") or body.get("kind")
        asked = [(i, path, json.loads(review)) for i, hook in enumerate(hooks) for path, _, review in hook.requests]
        found[name] = {"status": status, "body": normalized(body), "asked": asked}

    for user in ("ann", "bob", "carl"):
        headers = {"Authorization": f"Bearer {user}-token"}
        for method, path, body in REQUESTS:
            record(f"{user} {method} {path} {json.dumps(body) if body else ''}",
                   lambda: client.request(method, path, body, headers))
    for method, path, body in ADMIN_REQUESTS:
        record(f"admin {method} {path} {json.dumps(body)}", lambda: client.admin(method, path, body))
    return found


def normalized(body):
    """Why a webhook failed is worded by the client that asked it."""
    if isinstance(body, str) and body.startswith("Internal Server Error"):
        head, _, why = body.partition(": ")[2].partition(": ")
        return [head, why if "cel evaluation" in why or "both allow and deny" in why else "..."]
    if isinstance(body, str) and re.match(r"configmaps? .*\ba-", body):
        return "..."
    if isinstance(body, dict) and "evaluationError" in body and "cel " not in body["evaluationError"] \
            and "rule resolution" not in body["evaluationError"] and "parse error" not in body["evaluationError"]:
        return {**body, "evaluationError": "..."}
    if isinstance(body, dict) and "resourceRules" in body:
        return {**body, "resourceRules": sorted(map(json.dumps, body["resourceRules"])),
                "nonResourceRules": sorted(map(json.dumps, body["nonResourceRules"]))}
    return body


BAD_CONFIGURATIONS = (
    (),
    ({},),
    ({"type": "Foo", "name": "foo"},),
    ("RBAC", "RBAC"),
    ({"type": "RBAC", "name": "r"}, {"type": "Node", "name": "n"}),
    ({"type": "RBAC", "name": "A B"},),
    ({"type": "RBAC", "name": "rbac", "webhook": {}},),
    ({"type": "Webhook", "name": "w"},),
    ({"type": "Webhook", "name": "w", "webhook": {}},),
    ({"type": "Webhook", "name": "w", "webhook": {"authorizedTTL": "-1s", "unauthorizedTTL": "-1m"}},),
    ({"change": {"timeout": "31s"}},),
    ({"change": {"subjectAccessReviewVersion": "v2"}},),
    ({"change": {"matchConditionSubjectAccessReviewVersion": "v2"}},),
    ({"change": {"matchConditionSubjectAccessReviewVersion": "", "matchConditions": [{"expression": "true"}]}},),
    ({"change": {"failurePolicy": "Fail"}},),
    ({"change": {"connectionInfo": {"type": "Foo"}}},),
    ({"change": {"connectionInfo": {"type": "KubeConfigFile", "kubeConfigFile": "a"}}},),
    ({"change": {"connectionInfo": {"type": "KubeConfigFile", "kubeConfigFile": "/no/such"}}},),
    ({"change": {"connectionInfo": {"type": "KubeConfigFile", "kubeConfigFile": "/"}}},),
    ({"change": {"connectionInfo": {"type": "InClusterConfig", "kubeConfigFile": "/"}}},),
    ({"change": {"matchConditions": [{"expression": e} for e in ("1", "request.x", " ", "true", "true")]}},),
    ({"change": {"matchConditions": [{"expression": f"{i} == 0"} for i in range(65)]}},),
    ({"change": {"unknown": 1}},),
    ("RBAC", {"type": "Node", "name": "node", "nam": "x"}),
)


def refusals(command, folder, hook, ca):
    """What a server says of each bad configuration, the part that upstream words."""
    found = {}
    for authorizers in BAD_CONFIGURATIONS:
        file = folder / "bad.json"
        file.write_text(identity.authorization_config(*(
            hook.config(folder, ca, "w", **a["change"]) if isinstance(a, dict) and "change" in a else a
            for a in authorizers)))
        done = subprocess.run([*map(str, command), f"--authorization-config={file}"], capture_output=True, timeout=60)
        # kube-apiserver's log quotes what it says, or indents its lines.
        said = (done.stderr + done.stdout).decode().replace('\\"', '"').replace("\\\\", "\\")
        at = min((said.find(mark) for mark in ("[authorizers", "authorizers", "[expected", "expected", "failed to load")
                  if mark in said), default=-1)
        lines = said[at:].splitlines() if at >= 0 else [said]
        text = "\n".join(line.strip() for line in lines if line.strip().startswith("|") or line is lines[0])
        found["start " + json.dumps(authorizers)] = (done.returncode != 0, re.sub(r'[\]"}\s]+$', "", text))
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=str(servers.ROOT / "build"))
    options = parser.parse_args()
    keelson_binary = pathlib.Path(options.build) / "keelson"
    upstream_binary = servers.upstream_binary(options.build)
    theirs, ours = {}, {}
    with tempfile.TemporaryDirectory(prefix="compat-authz-") as name:
        folder = pathlib.Path(name)
        authority = identity.Authority("hook-ca")
        hooks = [identity.AccessWebhook(authority, decide) for _ in range(2)]
        for setting, flags in settings(folder, authority, hooks).items():
            with servers.Upstream(upstream_binary, flags) as upstream:
                theirs.update({f"{setting}: {k}": v for k, v in answers(upstream.port, hooks).items()})
            with servers.Keelson(keelson_binary, flags) as keelson:
                ours.update({f"{setting}: {k}": v for k, v in answers(keelson.port, hooks).items()})
        upstream_start = (upstream_binary, "--etcd-servers=http://127.0.0.1:1", f"--cert-dir={folder}/certs",
                          "--service-account-issuer=https://a", f"--service-account-key-file={hooks[0].key_file}",
                          f"--service-account-signing-key-file={hooks[0].key_file}")
        keelson_start = (keelson_binary, "serve", "--storage-backend=memory", f"--data-dir={folder}/data",
                         "--bind-address=127.0.0.1", "--secure-port=0")
        theirs.update(refusals(upstream_start, folder, hooks[0], authority.certificate))
        ours.update(refusals(keelson_start, folder, hooks[0], authority.certificate))
        for part in (*hooks, authority):
            part.close()
    return asking.compare(theirs, ours)


if __name__ == "__main__":
    sys.exit(main())
