#!/usr/bin/env python3
"""What both servers record of the same requests under the same audit policy, event by event.

    KUBE_APISERVER=path/to/kube-apiserver tests/compat/audit.py [--build DIR]

Every request has an audit id of its own, so that its events are found in both logs. Prints what differs, and ends with
1 if something does. kube-apiserver needs an etcd in $PATH.
"""

import argparse
import base64
import json
import pathlib
import re
import sys
import tempfile

from lib import asking, servers
import admission_webhooks  # tests/integration, which lib.servers has made known
import harness
import identity

DEFAULT = "/api/v1/namespaces/default"
MAPS = DEFAULT + "/configmaps"
ADMISSION = "/apis/admissionregistration.k8s.io/v1"
MERGE = {"Content-Type": "application/merge-patch+json"}
STRATEGIC = {"Content-Type": "application/strategic-merge-patch+json"}
JSON_PATCH = {"Content-Type": "application/json-patch+json"}
APPLY = {"Content-Type": "application/apply-patch+yaml"}
TABLE = {"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"}
PARTIAL = {"Accept": "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json"}
PARTIALS = {"Accept": "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json"}
PROTOBUF = {"Accept": "application/vnd.kubernetes.protobuf"}
POD = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}

POLICY = {
    "apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitManagedFields": True,
    "rules": [
        {"level": "None", "nonResourceURLs": ["/readyz*", "/livez*"]},
        {"level": "None", "users": ["system:apiserver"]},
        {"level": "Metadata", "resources": [{"group": "", "resources": ["secrets", "serviceaccounts/token"]}]},
        {"level": "Request", "verbs": ["update"], "omitManagedFields": False},
        {"level": "Metadata", "resources": [{"group": "", "resources": ["endpoints"]}],
         "omitStages": ["RequestReceived"]},
        {"level": "RequestResponse", "resources": [{"group": ""}, {"group": "apps"}, {"group": "coordination.k8s.io"}]},
        {"level": "Metadata"},
    ],
}


def rule(*resources):
    return {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": list(resources)}


def setup(url, ca):
    """(path, object) of what is there before requests are compared."""
    hook = lambda name, path, policy="Fail": {
        "name": name, "clientConfig": {"url": url + path, "caBundle": ca}, "rules": [rule("configmaps")],
        "sideEffects": "None", "admissionReviewVersions": ["v1"], "failurePolicy": policy,
        "objectSelector": {"matchLabels": {"hooked": "yes"}}}
    return (
        ("/api/v1/namespaces", {"metadata": {"name": "strict", "labels": {
            "pod-security.kubernetes.io/enforce": "baseline", "pod-security.kubernetes.io/audit": "restricted"}}}),
        ("/api/v1/namespaces", {"metadata": {"name": "open"}}),
        (DEFAULT + "/serviceaccounts", {"metadata": {"name": "ci"}}),
        (ADMISSION + "/mutatingwebhookconfigurations", {"metadata": {"name": "changing"}, "webhooks": [
            hook("patches.example.com", "/patch"), hook("passes.example.com", "/pass"),
            hook("breaks.example.com", "/break", "Ignore")]}),
        (ADMISSION + "/validatingwebhookconfigurations", {"metadata": {"name": "checking"}, "webhooks": [
            hook("notes.example.com", "/note"), hook("gone.example.com", "/break", "Ignore")]}),
        (ADMISSION + "/validatingadmissionpolicies", {"metadata": {"name": "named.example.com"}, "spec": {
            "matchConstraints": {"resourceRules": [rule("configmaps")]},
            "matchConditions": [{"name": "checked", "expression": "object.metadata.name.startsWith('checked')"}],
            "validations": [{"expression": "object.metadata.name == 'checked-good'", "message": "not < good"}],
            "auditAnnotations": [{"key": "name", "valueExpression": "' ' + object.metadata.name + ' '"},
                                 {"key": "none", "valueExpression": "null"}]}}),
        (ADMISSION + "/validatingadmissionpolicybindings", {"metadata": {"name": "b"}, "spec": {
            "policyName": "named.example.com", "validationActions": ["Audit", "Warn"]}}),
    )


# name, method, path, body, headers. The admin asks unless the headers say otherwise.
ANN = {"Authorization": "Bearer ann-token"}
REQUESTS = (
    ("create", "POST", MAPS, {"metadata": {"name": "a"}, "data": {"k": "<v>"}}, {}),
    ("create-again", "POST", MAPS, {"metadata": {"name": "a"}}, {}),
    ("create-generated", "POST", MAPS + "?dryRun=All", {"metadata": {"generateName": "g-"}}, {}),
    ("create-invalid", "POST", MAPS, {"metadata": {"name": "A B"}}, {}),
    ("create-other-namespace", "POST", MAPS, {"metadata": {"name": "x", "namespace": "open"}}, {}),
    ("create-not-json", "POST", MAPS, "{", {}),
    ("create-protobuf", "POST", MAPS, {"metadata": {"name": "b"}}, PROTOBUF),
    ("create-yaml", "POST", MAPS, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: yam}\n",
     {"Content-Type": "application/yaml"}),
    ("get", "GET", MAPS + "/a", None, {}),
    ("get-table", "GET", MAPS + "/a", None, TABLE),
    ("get-partial", "GET", MAPS + "/a", None, PARTIAL),
    ("get-protobuf", "GET", MAPS + "/a", None, PROTOBUF),
    ("get-missing", "GET", MAPS + "/none", None, {}),
    ("get-pretty", "GET", MAPS + "/a?pretty=true", None, {}),
    ("list", "GET", MAPS + "?labelSelector=none%3Dx", None, {}),
    ("list-table", "GET", MAPS + "?fieldSelector=metadata.name%3Da", None, TABLE),
    ("list-partial", "GET", MAPS + "?fieldSelector=metadata.name%3Da", None, PARTIALS),
    ("list-protobuf", "GET", MAPS + "?fieldSelector=metadata.name%3Da", None, PROTOBUF),
    ("watch", "GET", MAPS + "?watch=true&timeoutSeconds=1&fieldSelector=metadata.name%3Dnone", None, {}),
    ("update", "PUT", MAPS + "/a", {"metadata": {"name": "a", "resourceVersion": ""}, "data": {"k": "w"}}, {}),
    ("update-missing", "PUT", MAPS + "/none", {"metadata": {"name": "none"}}, {}),
    ("patch-merge", "PATCH", MAPS + "/a", '{ "data": {"k": "x"} }', MERGE),
    ("patch-strategic", "PATCH", MAPS + "/a", '{"data": {"l": "x"}}', STRATEGIC),
    ("patch-json", "PATCH", MAPS + "/a", '[{"op": "add", "path": "/data/m", "value": "1"}]', JSON_PATCH),
    ("apply", "PATCH", MAPS + "/applied?fieldManager=me",
     '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"applied"},"data":{"a":"b"}}', APPLY),
    ("delete-options", "DELETE", MAPS + "/b", {"propagationPolicy": "Background", "gracePeriodSeconds": 0}, {}),
    ("delete", "DELETE", MAPS + "/yam", None, {}),
    ("delete-missing", "DELETE", MAPS + "/none", None, {}),
    ("deletecollection", "DELETE", MAPS + "?labelSelector=none%3Dx", None, {}),
    ("secret", "POST", DEFAULT + "/secrets", {"metadata": {"name": "s"}, "stringData": {"a": "hidden"}}, {}),
    ("token", "POST", DEFAULT + "/serviceaccounts/ci/token", {"spec": {"expirationSeconds": 600}}, {}),
    ("token-other-uid", "POST", DEFAULT + "/serviceaccounts/ci/token", {"metadata": {"uid": "x"}}, {}),
    ("endpoints", "GET", DEFAULT + "/endpoints/none", None, {}),
    ("componentstatuses", "GET", "/api/v1/componentstatuses/none", None, {}),
    ("lease", "POST", "/apis/coordination.k8s.io/v1/namespaces/default/leases",
     {"metadata": {"name": "l"}, "spec": {"holderIdentity": "me", "renewTime": "2026-01-02T03:04:05.000006Z"}}, {}),
    ("deployment", "POST", "/apis/apps/v1/namespaces/default/deployments?dryRun=All",
     {"metadata": {"name": "d"}, "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": {
         "metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}}}, {}),
    ("deployment-strict", "POST", "/apis/apps/v1/namespaces/strict/deployments?dryRun=All",
     {"metadata": {"name": "d"}, "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": {
         "metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}}}, {}),
    ("pod", "POST", "/api/v1/namespaces/open/pods?dryRun=All", POD, {}),
    ("pod-strict", "POST", "/api/v1/namespaces/strict/pods?dryRun=All", POD, {}),
    ("pod-refused", "POST", "/api/v1/namespaces/strict/pods?dryRun=All",
     {**POD, "spec": {"hostNetwork": True, **POD["spec"]}}, {}),
    ("pod-log", "GET", DEFAULT + "/pods/none/log", None, {}),
    ("scale", "GET", "/apis/apps/v1/namespaces/default/deployments/none/scale", None, {}),
    ("hooked", "POST", MAPS + "?dryRun=All", {"metadata": {"name": "h", "labels": {"hooked": "yes"}}}, {}),
    ("checked-bad", "POST", MAPS + "?dryRun=All", {"metadata": {"name": "checked-bad"}}, {}),
    ("checked-good", "POST", MAPS + "?dryRun=All", {"metadata": {"name": "checked-good"}}, {}),
    ("forbidden", "GET", MAPS, None, ANN),
    ("forbidden-path", "GET", "/metrics", None, ANN),
    # Where several bindings allow it, upstream names one by chance.
    ("allowed-by-role", "GET", "/api", None, ANN),
    ("review", "POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
     {"spec": {"resourceAttributes": {"verb": "get", "resource": "pods"}}}, ANN),
    ("bad-token", "GET", MAPS, None, {"Authorization": "Bearer nonsense"}),
    ("no-token", "GET", MAPS, None, {"Authorization": ""}),
    ("anonymous-path", "GET", "/healthz", None, {"Authorization": ""}),
    ("bad-timeout", "GET", MAPS + "?timeout=x", None, {}),
    ("impersonation", "GET", MAPS, None, {"Impersonate-User": "bob", "Impersonate-Group": "ops",
                                          "Impersonate-Extra-a": "b"}),
    ("impersonation-refused", "GET", MAPS, None, {**ANN, "Impersonate-User": "bob"}),
    ("proxied", "GET", "/version", None, {"X-Forwarded-For": "192.0.2.1, nonsense, ::1", "X-Real-Ip": "192.0.2.2"}),
    ("user-agent", "GET", "/version", None, {"User-Agent": "u" * 1025}),
    ("options", "OPTIONS", "/version", None, {}),
    ("page", "GET", "/nothing", None, {}),
    ("no-group", "GET", "/apis/none.example.com/v1/things", None, {}),
    ("no-resource", "GET", "/api/v1/nothings", None, {}),
    ("no-method", "PUT", MAPS, {}, {}),
)


def hooks(request_patch):
    note = {"allowed": True, "auditAnnotations": {"seen": "yes", "not a key": "no"}}
    return {"/patch": lambda _: {**request_patch, "auditAnnotations": {"why": "asked"}},
            "/pass": lambda _: {"allowed": True}, "/note": lambda _: note,
            "/break": lambda _: admission_webhooks.Raw("broken", 500)}


def ask(client, name, method, path, body, headers):
    headers = {"Authorization": f"Bearer {servers.TOKEN}", "Audit-ID": name, "User-Agent": "compat", **headers}
    headers = {key: value for key, value in headers.items() if value}
    return client.request(method, path, body, headers)


VOLATILE = (
    (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "<uid>"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", "<micro time>"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "<time>"),
    (r'"resourceVersion": ?"[1-9]\d*"', '"resourceVersion":"<revision>"'),
    (r"\bg-[a-z0-9]{5}\b", "<generated>"),
)


def normalized(event):
    for patch in [k for k in event.get("annotations", {}) if k.startswith("apiserver.latency.k8s.io/")]:
        del event["annotations"][patch]
    if not event.get("annotations", True):
        del event["annotations"]
    # Tables have no descriptions here, and ages pass.
    answer = event.get("responseObject", {})
    for column in answer.get("columnDefinitions", []):
        column["description"] = ""
    for row in answer.get("rows", []):
        row["cells"] = [re.sub(r"^\d+s$", "<age>", cell) if isinstance(cell, str) else cell for cell in row["cells"]]
    text = json.dumps(event, sort_keys=True)
    for pattern, name in VOLATILE:
        text = re.sub(pattern, name, text)
    return json.loads(text)


def events(port, log, webhook_url, ca):
    client = asking.Asking(port)
    for path, body in setup(webhook_url, ca):
        status, answer = client.admin("POST", path, body)
        if status != 201:
            raise RuntimeError(f"{path}: {answer}")

    def policy_counts():
        status, _ = ask(client, "probe", "POST", MAPS + "?dryRun=All",
                        {"metadata": {"name": "checked-probe", "labels": {"hooked": "yes"}}}, {})
        return any(e["auditID"] == "probe" and "named.example.com/name" in e.get("annotations", {})
                   and "notes.example.com/seen" in e["annotations"]
                   and any(k.startswith("mutation.") for k in e["annotations"]) for e in read(log))
    harness.wait_until(policy_counts, "webhooks and policies count", seconds=60)
    for request in REQUESTS:
        ask(client, *request)
    # Upstream's watches end when their time is over, and so do ours.
    harness.wait_until(lambda: [e for e in read(log) if e["auditID"] == "watch" and e["stage"] == "ResponseComplete"],
                       "the end of the watch")
    found = {}
    for event in read(log):
        if event["auditID"] in {request[0] for request in REQUESTS}:
            found.setdefault(event["auditID"], []).append(normalized(event))
    return found


def read(log):
    return [json.loads(line) for line in log.read_text().splitlines() if line.endswith("}")]


def differences(expected, got, path=""):
    if isinstance(expected, dict) and isinstance(got, dict):
        for key in sorted(expected.keys() | got.keys()):
            yield from differences(expected.get(key), got.get(key), f"{path}.{key}")
    elif expected != got:
        yield f"{path}: kube-apiserver {json.dumps(expected)[:400]}, keelson {json.dumps(got)[:400]}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=str(servers.ROOT / "build"))
    options = parser.parse_args()
    upstream_binary = servers.upstream_binary(options.build)
    authority = identity.Authority("hook-ca")
    bundle = base64.b64encode(authority.certificate.read_bytes()).decode()
    server = admission_webhooks.AdmissionServer(authority)
    server.hooks = hooks(admission_webhooks.patch({"op": "add", "path": "/data", "value": {"x": "y"}}))
    with tempfile.TemporaryDirectory(prefix="compat-audit-") as name:
        folder = pathlib.Path(name)
        policy = folder / "policy.json"
        policy.write_text(json.dumps(POLICY))
        found = []
        for kind, make in (("upstream", lambda flags: servers.Upstream(upstream_binary, flags)),
                           ("keelson", lambda flags: servers.Keelson(pathlib.Path(options.build) / "keelson", flags))):
            log = folder / f"{kind}.log"
            with make((f"--audit-policy-file={policy}", f"--audit-log-path={log}")) as running:
                found.append(events(running.port, log, server.url, bundle))
    theirs, ours = found
    total = different = 0
    for request in REQUESTS:
        expected, got = theirs.get(request[0], []), ours.get(request[0], [])
        for i in range(max(len(expected), len(got))):
            pair = [side[i] if i < len(side) else None for side in (expected, got)]
            total += 1
            if found := list(differences(*pair)):
                different += 1
                print(f"{request[0]} event {i}\n  " + "\n  ".join(found))
    print(f"{total - different} of {total} events are the same")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
