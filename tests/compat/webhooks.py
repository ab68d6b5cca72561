#!/usr/bin/env python3
"""Admission webhooks on both servers: the same configurations, requests and webhook server.

    KUBE_APISERVER=path/to/kube-apiserver tests/compat/webhooks.py [--build DIR] [--only REGEX]

Compares the answers, the warnings, and the reviews that the webhooks were sent. Prints what differs, and ends with 1 if
something does. kube-apiserver needs an etcd in $PATH.
"""

import argparse
import base64
import http.client
import json
import pathlib
import re
import ssl
import sys

from lib import asking, servers
import admission_webhooks as hooks  # tests/integration, which lib.servers has made known
import harness
import identity

CORE, REVIEWS = "/api/v1/namespaces/hooked", "/apis/authorization.k8s.io/v1"
MAPS = CORE + "/configmaps"
WIDGETS = "/apis/hooks.example.com/{}/namespaces/hooked/widgets"
APPLY = {"Content-Type": "application/apply-patch+yaml"}
MERGE = {"Content-Type": "application/merge-patch+json"}


def config_map(name, case, **more):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": {"case": case}}, **more}


def pod(name, case, **spec):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"case": case}},
            "spec": {"containers": [{"name": "c", "image": "i"}], **spec}}


def scaler(version, case, name="h"):
    spec = {"scaleTargetRef": {"kind": "Deployment", "name": "d", "apiVersion": "apps/v1"}, "maxReplicas": 3}
    if version == "v1":
        spec["targetCPUUtilizationPercentage"] = 70
    return {"apiVersion": f"autoscaling/{version}", "kind": "HorizontalPodAutoscaler",
            "metadata": {"name": name, "labels": {"case": case}}, "spec": spec}


def label(key, value="yes"):
    return {"op": "add", "path": f"/metadata/labels/{key}", "value": value}


def answer(value):
    return lambda request: value


def unless_labelled(key, response):
    """An idempotent hook."""
    def decide(request):
        labels = (request["object"] or {}).get("metadata", {}).get("labels", {})
        return {"allowed": True} if key in labels else response
    return decide


def encoded(text):
    return base64.b64encode(text.encode()).decode()


def whole(api_version, kind="AdmissionReview", **response):
    """A review that names its version itself."""
    def decide(request):
        review = {"response": {"uid": request["uid"], "allowed": True, **response}}
        review["apiVersion"] = api_version
        if kind:
            review["kind"] = kind
        return review
    return decide


def raw(body, status=200, **headers):
    return answer(hooks.Raw(body, status, {k.replace("_", "-"): v for k, v in headers.items()}))


ALLOW = answer({"allowed": True})
MAP_RULE = hooks.rule("configmaps")


class Case:
    """Webhooks that see only objects labelled with the case, and requests. A hook is (kind, name, behaviour, changes of
    the webhook)."""

    def __init__(self, *requests, **by_kind):
        self.requests, self.by_kind = requests, by_kind

    def hooks(self, case):
        for kind, listed in self.by_kind.items():
            for position, (behaviour, changes) in enumerate(listed):
                yield kind, f"{case}{position}.example.com", f"/{case}/{kind}/{position}", behaviour, changes


def one(behaviour, *requests, kind="validating", **changes):
    changes.setdefault("rules", [MAP_RULE])
    return Case(*requests, **{kind: [(behaviour, changes)]})


def mutate(behaviour, *requests, **changes):
    return one(behaviour, *(requests or (CREATE,)), kind="mutating", **changes)


CREATE = ("POST", MAPS, config_map("{case}", "{case}", data={"a": "1"}), {})
NAME = "{case}"


def named(verb, resource=MAPS):
    return f"{resource}/{{case}}{verb}"


def lifecycle(path, make, verbs="*"):
    created = make(NAME)
    changed = json.loads(json.dumps(created))
    changed["metadata"]["annotations"] = {"x": "y"}
    at = f"{path}/{{case}}"
    return (("POST", path + "?fieldManager=m&fieldValidation=Strict", created, {}),
            ("PUT", at, changed, {}),
            ("PATCH", at, {"metadata": {"annotations": {"z": "1"}}}, MERGE),
            ("PATCH", at + "?dryRun=All", {"metadata": {"annotations": {"z": "2"}}}, MERGE),
            ("PATCH", at + "?fieldManager=applier&force=true", {**created, "metadata": {
                **created["metadata"], "annotations": {"applied": "1"}}}, APPLY),
            ("DELETE", at + "?gracePeriodSeconds=5&propagationPolicy=Background&dryRun=All", None, {}),
            ("DELETE", at, {"kind": "DeleteOptions", "apiVersion": "v1", "preconditions": {"uid": "no-such"}}, {}),
            ("DELETE", path + "?labelSelector=case%3D{case}", None, {}))


def cases():
    everything = {"rules": [hooks.rule("*/*", ["*"], ["*"])]}
    found = {
        # --- what is asked
        "life": one(ALLOW, *lifecycle(MAPS, lambda n: config_map(n, NAME, data={"a": "1"}))),
        "lifem": mutate(ALLOW, *lifecycle(MAPS, lambda n: config_map(n, NAME, data={"a": "1"}))),
        "beta": one(ALLOW, CREATE, admissionReviewVersions=["v2", "v1beta1", "v1"]),
        "unknownversion": one(ALLOW, CREATE, admissionReviewVersions=["v2", "v1"]),
        "generate": one(ALLOW, ("POST", MAPS, {"metadata": {"generateName": "g-", "labels": {"case": NAME}}}, {}),
                        kind="mutating"),
        "generatev": one(ALLOW, ("POST", MAPS, {"metadata": {"generateName": "g-", "labels": {"case": NAME}}}, {})),
        "pods": one(ALLOW, ("POST", CORE + "/pods", pod(NAME, NAME), {}),
                    ("PATCH", named("", CORE + "/pods"), {"metadata": {"annotations": {"a": "b"}}}, MERGE),
                    ("PATCH", named("/status", CORE + "/pods"), {"status": {"message": "m"}}, MERGE),
                    rules=[hooks.rule(["pods", "pods/status"])]),
        "poddeleted": one(ALLOW, ("POST", CORE + "/pods", pod(NAME, NAME), {}),
                          ("DELETE", named("?gracePeriodSeconds=0", CORE + "/pods"), None, {}),
                          rules=[hooks.rule("pods", operations=["DELETE"])]),
        "podsm": mutate(ALLOW, ("POST", CORE + "/pods", pod(NAME, NAME), {}), rules=[hooks.rule("pods")]),
        "updatecreates": one(ALLOW, ("PATCH", named("?fieldManager=a"), config_map(NAME, NAME), APPLY)),
        "namespaces": one(ALLOW, ("POST", "/api/v1/namespaces", {"metadata": {"name": NAME, "labels": {"case": NAME}}}, {}),
                          ("PATCH", "/api/v1/namespaces/{case}", {"metadata": {"annotations": {"a": "b"}}}, MERGE),
                          ("DELETE", "/api/v1/namespaces/{case}", None, {}), **everything),
        "namespacedonly": one(ALLOW, ("POST", "/api/v1/namespaces", {"metadata": {"name": NAME, "labels": {"case": NAME}}}, {}),
                              CREATE, rules=[hooks.rule("*", scope="Namespaced")]),
        "clusteronly": one(ALLOW, ("POST", "/api/v1/namespaces", {"metadata": {"name": NAME, "labels": {"case": NAME}}}, {}),
                           CREATE, rules=[hooks.rule("*", scope="Cluster")]),
        "nodes": one(ALLOW, ("POST", "/api/v1/nodes", {"metadata": {"name": NAME, "labels": {"case": NAME}}}, {}), **everything),
        "deployments": one(ALLOW, ("POST", "/apis/apps/v1/namespaces/hooked/deployments", {
            "metadata": {"name": NAME, "labels": {"case": NAME}}, "spec": {
                "selector": {"matchLabels": {"a": "b"}}, "template": {
                    "metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}}}, {}),
            **everything),
        # --- denials
        "deny": one(answer(hooks.deny("no")), CREATE),
        "denyreason": one(answer(hooks.deny(reason="Because")), CREATE),
        "denysilently": one(answer({"allowed": False}), CREATE),
        "denyempty": one(answer({"allowed": False, "status": {}}), CREATE),
        "denycode": one(answer(hooks.deny("teapot", code=418, reason="Short")), CREATE),
        "denyok": one(answer(hooks.deny("fine", code=200, status="Success")), CREATE),
        "denydetails": one(answer(hooks.deny("so", code=422, reason="Invalid", details={
            "name": "n", "group": "g", "kind": "k", "causes": [{"reason": "FieldValueInvalid", "message": "m", "field": "f"}]})),
            CREATE),
        "denym": mutate(answer(hooks.deny("no", code=409))),
        "denyignore": one(answer(hooks.deny("no")), CREATE, failurePolicy="Ignore"),
        # --- warnings
        "warn": one(answer({"allowed": True, "warnings": ["one", "two", "one", "a \"b\"\n c"]}), CREATE),
        "warndeny": one(answer({**hooks.deny("no"), "warnings": ["beware"]}), CREATE),
        "warnlong": one(answer({"allowed": True, "warnings": ["x" * 5000, "y" * 300]}), CREATE),
        "warnbad": one(answer({"allowed": True, "warnings": ["\u0001", "ü", ""]}), CREATE),
        "audit": one(answer({"allowed": True, "auditAnnotations": {"k": "v"}}), CREATE),
        # --- answers that are wrong
        "uid": one(answer({"allowed": True, "uid": "other"}), CREATE),
        "uidignore": one(answer({"allowed": True, "uid": "other"}), CREATE, failurePolicy="Ignore"),
        "uidbeta": one(answer({"allowed": True, "uid": "other"}), CREATE, admissionReviewVersions=["v1beta1"]),
        "noresponse": one(answer({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}), CREATE),
        "otherversion": one(whole("admission.k8s.io/v1beta1"), CREATE),
        "otherversionbeta": one(whole("admission.k8s.io/v1"), CREATE, admissionReviewVersions=["v1beta1"]),
        "unknowngroup": one(whole("example.com/v1"), CREATE),
        "unknownkind": one(whole("admission.k8s.io/v1", "Foo"), CREATE),
        "nokind": one(whole("admission.k8s.io/v1", None), CREATE),
        "noversion": one(lambda r: {"apiVersion": "", "kind": "AdmissionReview", "response": {"uid": r["uid"], "allowed": True}}, CREATE),
        "nothing": one(lambda r: hooks.Raw(json.dumps({"response": {"uid": r["uid"], "allowed": True}})), CREATE),
        "nothingbeta": one(lambda r: hooks.Raw(json.dumps({"response": {"uid": r["uid"], "allowed": True}})), CREATE,
                           admissionReviewVersions=["v1beta1"]),
        "garbage": one(raw("garbage"), CREATE),
        "list": one(raw("[]"), CREATE),
        "null": one(raw("null"), CREATE),
        "emptybody": one(raw(""), CREATE),
        "wrongtype": one(lambda r: {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
                                    "response": {"uid": r["uid"], "allowed": "yes"}}, CREATE),
        "unknownfield": one(answer({"allowed": True, "foo": {}}), CREATE),
        "validatorpatches": one(answer(hooks.patch(label("x"))), CREATE),
        "validatorpatchtype": one(answer({"allowed": True, "patchType": "JSONPatch"}), CREATE),
        # --- statuses that are wrong
        "e500": one(raw("boom\n", 500, Content_Type="text/plain"), CREATE),
        "e500json": one(raw("{}", 500, Content_Type="application/json"), CREATE),
        "e500status": one(raw(json.dumps({"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "said so",
                                          "code": 500}), 500, Content_Type="application/json"), CREATE),
        "e400": one(raw("bad", 400), CREATE),
        "e401": one(raw("who", 401), CREATE),
        "e403": one(raw("no", 403, Content_Type="text/plain; charset=utf-8"), CREATE),
        "e404": one(raw("no", 404), CREATE),
        "e409": one(raw("no", 409), CREATE),
        "e422": one(raw("no", 422), CREATE),
        "e429": one(raw("no", 429), CREATE),
        "e503": one(raw("no", 503), CREATE),
        "e504": one(raw("no", 504), CREATE),
        "e418": one(raw("no", 418), CREATE),
        "e204": one(raw("", 204), CREATE),
        "e503ignore": one(raw("no", 503), CREATE, failurePolicy="Ignore"),
        "hang": one(answer(hooks.HANG), CREATE, timeoutSeconds=1),
        "longest": one(ALLOW, CREATE, timeoutSeconds=30),
        "hangignore": one(answer(hooks.HANG), CREATE, timeoutSeconds=1, failurePolicy="Ignore"),
        "reset": one(answer(hooks.RESET), CREATE),
        # --- patches
        "patch": mutate(answer(hooks.patch(label("x"), {"op": "add", "path": "/data/b", "value": "2"}))),
        "patchbeta": mutate(answer({"allowed": True, "patch": encoded(json.dumps([label("x")]))}), admissionReviewVersions=["v1beta1"]),
        "patchnotype": mutate(answer({"allowed": True, "patch": encoded(json.dumps([label("x")]))})),
        "patchtypeonly": mutate(answer({"allowed": True, "patchType": "JSONPatch"})),
        "patchothertype": mutate(answer({"allowed": True, "patchType": "Foo", "patch": encoded(json.dumps([label("x")]))})),
        "patchemptytype": mutate(answer({"allowed": True, "patchType": "", "patch": encoded(json.dumps([label("x")]))})),
        "patchnojson": mutate(answer({"allowed": True, "patchType": "JSONPatch", "patch": encoded("nope")})),
        "patchnobase64": mutate(answer({"allowed": True, "patchType": "JSONPatch", "patch": "%%%"})),
        "patchobject": mutate(answer({"allowed": True, "patchType": "JSONPatch", "patch": encoded("{}")})),
        "patchempty": mutate(answer(hooks.patch())),
        "patchmissing": mutate(answer(hooks.patch({"op": "remove", "path": "/nope/x"}))),
        "patchtest": mutate(answer(hooks.patch({"op": "test", "path": "/data/a", "value": "2"}))),
        "patchbadop": mutate(answer(hooks.patch({"op": "foo", "path": "/data/a"}))),
        "patchtypes": mutate(answer(hooks.patch({"op": "add", "path": "/data", "value": 5}))),
        "patchunknown": mutate(answer(hooks.patch({"op": "add", "path": "/foo", "value": 5}))),
        "patchinvalid": mutate(answer(hooks.patch({"op": "add", "path": "/data/in valid", "value": "5"}))),
        "patchname": mutate(answer(hooks.patch({"op": "replace", "path": "/metadata/name", "value": "renamed"}))),
        "patchmanaged": mutate(answer(hooks.patch({"op": "add", "path": "/metadata/managedFields", "value": [
            {"manager": "x", "operation": "Foo", "fieldsType": "FieldsV1", "apiVersion": "v1"}]}))),
        "patchowners": mutate(answer(hooks.patch({"op": "add", "path": "/metadata/ownerReferences", "value": [
            {"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "1"}] * 2}))),
        "patchdelete": mutate(answer(hooks.patch(label("x"))), ("DELETE", named(""), None, {}),
                              rules=[hooks.rule("configmaps", operations=["DELETE"])]),
        "patchdefaults": mutate(unless_labelled("done", hooks.patch(
            {"op": "add", "path": "/spec/containers/-", "value": {"name": "more", "image": "j", "ports": [{"containerPort": 1}]}},
            label("done"))), ("POST", CORE + "/pods", pod(NAME, NAME), {}), rules=[hooks.rule("pods")]),
        "patchupdate": mutate(answer(hooks.patch({"op": "add", "path": "/data/b", "value": "2"})), CREATE,
                              ("PATCH", named(""), {"data": {"c": "3"}}, MERGE),
                              ("PATCH", named("?fieldManager=f"), config_map(NAME, NAME, data={"d": "4"}), APPLY)),
        "patchdryrun": mutate(answer(hooks.patch(label("x"))), ("POST", MAPS + "?dryRun=All", config_map(NAME, NAME), {}),
                              sideEffects="NoneOnDryRun"),
        # --- several, and again
        "order": Case(CREATE, mutating=[(answer(hooks.patch(label("a"))), {"rules": [MAP_RULE]}),
                                        (answer(hooks.patch(label("b"))), {"rules": [MAP_RULE]})],
                      validating=[(ALLOW, {"rules": [MAP_RULE]}), (ALLOW, {"rules": [MAP_RULE]})]),
        "again": Case(CREATE, mutating=[
            (unless_labelled("a", hooks.patch(label("a"))), {"rules": [MAP_RULE], "reinvocationPolicy": "IfNeeded"}),
            (unless_labelled("b", hooks.patch(label("b"))), {"rules": [MAP_RULE], "reinvocationPolicy": "IfNeeded"}),
            (unless_labelled("c", hooks.patch(label("c"))), {"rules": [MAP_RULE]}),
            (ALLOW, {"rules": [MAP_RULE], "reinvocationPolicy": "IfNeeded"})]),
        "againpods": Case(("POST", CORE + "/pods", pod(NAME, NAME), {}), mutating=[
            (unless_labelled("a", hooks.patch(label("a"), {"op": "add", "path": "/spec/priorityClassName",
                                                           "value": "system-node-critical"},
                                              {"op": "remove", "path": "/spec/priority"})),
             {"rules": [hooks.rule("pods")], "reinvocationPolicy": "IfNeeded"})]),
        "tworefuse": Case(CREATE, validating=[(answer(hooks.deny("same")), {"rules": [MAP_RULE]}), (ALLOW, {"rules": [MAP_RULE]})]),
        # --- conditions
        "conditiontrue": one(ALLOW, CREATE, matchConditions=[{"name": "a", "expression": "object.data.a == '1'"}]),
        "conditionfalse": one(answer(hooks.deny()), CREATE, matchConditions=[
            {"name": "a", "expression": "request.userInfo.username == 'nobody'"}]),
        "conditionerror": one(ALLOW, CREATE, matchConditions=[{"name": "a", "expression": "object.data.b == '1'"},
                                                              {"name": "b", "expression": "object.spec.c == 1"}]),
        "conditionerrorfalse": one(answer(hooks.deny()), CREATE, matchConditions=[
            {"name": "a", "expression": "object.data.b == '1'"}, {"name": "b", "expression": "false"}]),
        "conditionignore": one(answer(hooks.deny()), CREATE, failurePolicy="Ignore", matchConditions=[
            {"name": "a", "expression": "object.data.b == '1'"}]),
        "conditionauthorizer": one(ALLOW, CREATE, matchConditions=[
            {"name": "a", "expression": "authorizer.group('').resource('pods').check('create').allowed() && "
                                        "authorizer.requestResource.check('x').allowed()"}]),
        "conditionold": one(ALLOW, CREATE, ("PATCH", named(""), {"data": {"a": "2"}}, MERGE), ("DELETE", named(""), None, {}),
                            matchConditions=[{"name": "a", "expression": "oldObject != null && oldObject.data.a == '1'"}]),
        # --- versions
        "equivalent": one(ALLOW, ("POST", "/apis/autoscaling/v1/namespaces/hooked/horizontalpodautoscalers", scaler("v1", NAME, NAME), {}),
                          ("PATCH", "/apis/autoscaling/v1/namespaces/hooked/horizontalpodautoscalers/{case}",
                           {"spec": {"maxReplicas": 4}}, MERGE),
                          ("DELETE", "/apis/autoscaling/v1/namespaces/hooked/horizontalpodautoscalers/{case}", None, {}),
                          rules=[hooks.rule("horizontalpodautoscalers", ["autoscaling"], ["v2"])],
                          matchConditions=[{"name": "v", "expression": "request.kind.version == 'v2' && request.requestKind.version == 'v1'"}]),
        "equivalentback": mutate(answer(hooks.patch({"op": "add", "path": "/spec/targetCPUUtilizationPercentage", "value": 50})),
                                 ("POST", "/apis/autoscaling/v2/namespaces/hooked/horizontalpodautoscalers", scaler("v2", NAME, NAME), {}),
                                 rules=[hooks.rule("horizontalpodautoscalers", ["autoscaling"], ["v1"])]),
        "exact": one(answer(hooks.deny()), ("POST", "/apis/autoscaling/v1/namespaces/hooked/horizontalpodautoscalers",
                                            scaler("v1", NAME, NAME), {}),
                     matchPolicy="Exact", rules=[hooks.rule("horizontalpodautoscalers", ["autoscaling"], ["v2"])]),
        "bothversions": one(ALLOW, ("POST", "/apis/autoscaling/v1/namespaces/hooked/horizontalpodautoscalers", scaler("v1", NAME, NAME), {}),
                            rules=[hooks.rule("horizontalpodautoscalers", ["autoscaling"], ["v2"]),
                                   hooks.rule("horizontalpodautoscalers", ["autoscaling"], ["v1"])]),
        "events": one(ALLOW, ("POST", "/apis/events.k8s.io/v1/namespaces/hooked/events", {
            "metadata": {"name": NAME, "labels": {"case": NAME}}, "regarding": {"namespace": "hooked"}, "note": "n", "reason": "r",
            "type": "Normal", "action": "a", "reportingController": "c", "reportingInstance": "i",
            "eventTime": "2026-01-02T03:04:05.000006Z"}, {}), rules=[hooks.rule("events")]),
        "custom": one(ALLOW, ("POST", WIDGETS.format("v1"), {"apiVersion": "hooks.example.com/v1", "kind": "Widget", "metadata": {
            "name": NAME, "labels": {"case": NAME}}, "spec": {"size": 1, "pruned": 2}}, {}),
            ("PATCH", WIDGETS.format("v2") + "/{case}", {"spec": {"size": 2}}, MERGE),
            ("PATCH", WIDGETS.format("v1") + "/{case}/status", {"status": {"ok": True}}, MERGE),
            ("DELETE", WIDGETS.format("v2") + "/{case}", None, {}),
            rules=[hooks.rule(["widgets", "widgets/status"], ["hooks.example.com"], ["v2"])]),
        "customm": mutate(unless_labelled("x", hooks.patch(label("x"), {"op": "add", "path": "/spec/unknown", "value": 1},
                                                           {"op": "add", "path": "/spec/color", "value": "red"})),
                          ("POST", WIDGETS.format("v1"), {"apiVersion": "hooks.example.com/v1", "kind": "Widget", "metadata": {
                              "name": NAME, "labels": {"case": NAME}}, "spec": {"size": 1}}, {}),
                          ("GET", WIDGETS.format("v2") + "/{case}", None, {}),
                          rules=[hooks.rule("widgets", ["hooks.example.com"], ["v2"])]),
        "custominvalid": mutate(answer(hooks.patch({"op": "add", "path": "/spec/size", "value": "big"})),
                                ("POST", WIDGETS.format("v1"), {"apiVersion": "hooks.example.com/v1", "kind": "Widget", "metadata": {
                                    "name": NAME, "labels": {"case": NAME}}, "spec": {"size": 1}}, {}),
                                rules=[hooks.rule("widgets", ["hooks.example.com"], ["v1"])]),
        # --- namespaces by their labels
        "selected": one(ALLOW, CREATE, namespaceSelector={"matchLabels": {"hooks": "on"}}),
        "notselected": one(answer(hooks.deny()), CREATE, namespaceSelector={"matchLabels": {"hooks": "off"}}),
        "namespacelabels": one(ALLOW, ("POST", "/api/v1/namespaces", {"metadata": {"name": NAME, "labels": {"case": NAME, "new": "1"}}}, {}),
                               ("DELETE", "/api/v1/namespaces/{case}", None, {}),
                               namespaceSelector={"matchLabels": {"new": "1"}}, **everything),
        "nonamespace": one(ALLOW, ("POST", "/api/v1/namespaces/none/configmaps", config_map(NAME, NAME), {}),
                           namespaceSelector={"matchLabels": {"new": "1"}}),
        # --- exempt
        "exempt": one(answer(hooks.deny()), ("POST", "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", {
            "metadata": {"name": "exempted", "labels": {"case": NAME}}, "webhooks": []}, {}), **everything),
    }
    return found


def unlabelled(port):
    """Cases about what has no labels: they are told apart by a condition."""
    def only(expression, behaviour, *requests, kind="validating", rules=None):
        return one(behaviour, *requests, kind=kind, rules=rules or [hooks.rule("*/*", ["*"], ["*"])],
                   objectSelector={}, matchConditions=[{"name": "only", "expression": expression}])
    as_ann = {"Authorization": "Bearer ann-token"}
    return {
        "scale": only("has(request.subResource) && request.subResource == 'scale'", answer(hooks.patch({"op": "replace", "path": "/spec/replicas", "value": 7})),
                      ("PATCH", "/apis/apps/v1/namespaces/hooked/deployments/d/scale", {"spec": {"replicas": 5}}, MERGE), kind="mutating"),
        "scalev": only("has(request.subResource) && request.subResource == 'scale'", ALLOW,
                       ("PATCH", "/apis/apps/v1/namespaces/hooked/deployments/d/scale", {"spec": {"replicas": 6}}, MERGE)),
        "customscale": only("request.resource.resource == 'widgets'", ALLOW,
                            ("POST", WIDGETS.format("v1"), {"apiVersion": "hooks.example.com/v1", "kind": "Widget",
                                                            "metadata": {"name": "w"}, "spec": {"size": 1}}, {}),
                            ("PATCH", WIDGETS.format("v2") + "/w/scale", {"spec": {"replicas": 5}}, MERGE),
                            ("PATCH", WIDGETS.format("v1") + "/w/scale", {"spec": {"replicas": 6}}, MERGE),
                            rules=[hooks.rule(["widgets", "widgets/scale"], ["hooks.example.com"], ["v1"])]),
        "binding": only("has(request.subResource) && request.subResource == 'binding'", ALLOW,
                        ("POST", CORE + "/pods/p/binding", {"metadata": {"name": "p"}, "target": {"kind": "Node", "name": "n1"}}, {})),
        "eviction": only("has(request.subResource) && request.subResource == 'eviction'", ALLOW,
                         ("POST", CORE + "/pods/p/eviction", {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "p"}}, {})),
        "token": only("has(request.subResource) && request.subResource == 'token'", ALLOW,
                      ("POST", CORE + "/serviceaccounts/none/token", {"spec": {"audiences": ["a"]}}, {})),
        "exec": only("has(request.subResource) && request.subResource == 'exec'", answer(hooks.deny("no shells", code=403)),
                     ("POST", CORE + "/pods/p/exec?command=ls&command=-l&stdin=true&container=c", None, {})),
        "execm": only("has(request.subResource) && request.subResource == 'attach'", answer(hooks.patch({"op": "add", "path": "/tty", "value": True})),
                      ("POST", CORE + "/pods/none/attach?stdout=true", None, {}), kind="mutating"),
        "proxy": only("has(request.subResource) && request.subResource == 'proxy'", answer(hooks.deny("no proxies")),
                      ("GET", CORE + "/services/s/proxy/a/b?x=y", None, {}), ("GET", "/api/v1/nodes/n/proxy", None, {})),
        "review": only("request.resource.resource == 'selfsubjectaccessreviews'", ALLOW,
                       ("POST", REVIEWS + "/selfsubjectaccessreviews", {"spec": {"resourceAttributes": {"verb": "get", "resource": "pods"}}},
                        as_ann)),
        "reviewdenied": only("request.resource.resource == 'tokenreviews'", answer(hooks.deny("no")),
                             ("POST", "/apis/authentication.k8s.io/v1/tokenreviews", {"spec": {"token": "x"}}, {})),
        "status": only("has(request.subResource) && request.subResource == 'status' && request.resource.resource == 'deployments'", ALLOW,
                       ("PATCH", "/apis/apps/v1/namespaces/hooked/deployments/d/status", {"status": {"observedGeneration": 3}}, MERGE)),
        "finalize": only("has(request.subResource) && request.subResource == 'finalize'", ALLOW,
                         ("PUT", "/api/v1/namespaces/hooked/finalize", {"metadata": {"name": "hooked"}, "spec": {"finalizers": ["kubernetes"]}}, {})),
    }


def services():
    """Webhooks behind services that lead nowhere."""
    def at(name, **service):
        case = one(ALLOW, CREATE)
        case.by_kind["validating"][0][1]["clientConfig"] = {"service": {"namespace": "hooked", "name": name, **service}}
        return case
    return {"noservice": at("none", path="/a/b/"), "noport": at("s", port=444), "external": at("external", path="/x"),
            "headless": at("headless")}


def strangers(authority):
    """Webhooks whose certificates are not trusted, or that are not there."""
    other = identity.Authority("other-ca")
    expired = authority.issue_between("/CN=localhost", "20200101000000Z", "20200102000000Z", "serverAuth", "IP:127.0.0.1")
    late = authority.issue_between("/CN=localhost", "20900101000000Z", "20900102000000Z", "serverAuth", "IP:127.0.0.1")
    gone = hooks.AdmissionServer(authority)
    gone.close()
    found = {
        "expired": hooks.AdmissionServer(authority, certificate=expired),
        "notyet": hooks.AdmissionServer(authority, certificate=late),
        "othername": hooks.AdmissionServer(authority, names="DNS:a.example.com,DNS:b.example.com"),
        "otheraddress": hooks.AdmissionServer(authority, names="IP:10.1.2.3,IP:fd00::1"),
        "otherca": hooks.AdmissionServer(other),
        "gone": gone,
    }
    made = {}
    for name, server in found.items():
        made[name] = one(ALLOW, CREATE)
        made[name].by_kind["validating"][0][1]["clientConfig"] = {"url": server.url + "/x"}
    made["named"] = one(ALLOW, CREATE)
    made["named"].by_kind["validating"][0][1]["clientConfig"] = {"url": found["othername"].url.replace("127.0.0.1", "localhost")}
    return made


CUSTOM = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
          "metadata": {"name": "widgets.hooks.example.com"},
          "spec": {"group": "hooks.example.com", "scope": "Namespaced",
                   "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
                   "versions": [{"name": version, "served": True, "storage": version == "v1",
                                 "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.size",
                                                                          "statusReplicasPath": ".status.size"}},
                                 "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                                     "spec": {"type": "object", "properties": {
                                         "size": {"type": "integer"}, "color": {"type": "string", "default": "blue"}}},
                                     "status": {"type": "object", "properties": {
                                         "ok": {"type": "boolean"}, "size": {"type": "integer"}}}}}}}
                                for version in ("v1", "v2")]}}
SETUP = (
    ("POST", "/api/v1/namespaces", {"metadata": {"name": "hooked", "labels": {"hooks": "on"}}}),
    ("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", CUSTOM),
    ("POST", "/apis/apps/v1/namespaces/hooked/deployments", {
        "metadata": {"name": "d"}, "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": {
            "metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}}}),
    ("POST", CORE + "/pods", {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}),
    ("POST", CORE + "/services", {"metadata": {"name": "s"}, "spec": {"ports": [{"port": 443}], "clusterIP": "10.0.0.77"}}),
    ("POST", CORE + "/services", {"metadata": {"name": "external"}, "spec": {"type": "ExternalName", "externalName": "localhost",
                                                                             "ports": [{"port": 1}]}}),
    ("POST", CORE + "/services", {"metadata": {"name": "headless"}, "spec": {"clusterIP": "None", "ports": [{"port": 443}]}}),
    ("POST", CORE + "/configmaps", config_map("patchdelete", "patchdelete")),
)


class Asked:
    """One server: sets it up, and asks it the cases."""

    def __init__(self, port, server, bundle):
        self._port, self._server, self._bundle = port, server, bundle
        self._client = asking.Asking(port)

    def request(self, method, path, body, headers):
        return request(self._port, method, path, body, headers)

    def set_up(self, all_cases):
        for method, path, body in SETUP:
            status, made, _ = self.request(method, path, body, {})
            assert status == 201, (path, made)
        harness.wait_until(lambda: self.request("GET", WIDGETS.format("v2"), None, {})[0] == 200, "the custom resource")
        by_kind = {"mutating": [], "validating": []}
        for case, spec in all_cases.items():
            for kind, name, path, _, changes in spec.hooks(case):
                by_kind[kind].append(hooks.webhook(name, {"url": self._server.url + path, "caBundle": self._bundle}, **{
                    "objectSelector": {"matchLabels": {"case": case}}, **changes}))
                by_kind[kind][-1]["clientConfig"]["caBundle"] = self._bundle
        for kind, listed in by_kind.items():
            # The last of a kind tells that all are known.
            listed.append(hooks.webhook("marker.example.com", {"url": self._server.url + "/marker", "caBundle": self._bundle},
                                        [MAP_RULE], objectSelector={"matchLabels": {"case": "marker" + kind}}))
            path, body = hooks.configuration(kind, "compared", *listed)
            status, made, _ = self.request("POST", path, body, {})
            assert status == 201, made
            harness.wait_until(lambda: "marked" in str(self.request(
                "POST", MAPS + "?dryRun=All", config_map("m", "marker" + kind), {})[1]), "the webhooks are known")

    def answers(self, case, spec):
        found = []
        for method, path, body, headers in json.loads(json.dumps(spec.requests).replace("{case}", case)):
            self._server.reviews.clear()
            status, answered, warnings = self.request(method, path, body, headers)
            asked = [[at, review] for at, review in self._server.reviews]
            if any("/validating/" in at for at, _ in asked):
                asked.sort(key=lambda each: each[0])
            found.append(normalized({"request": f"{method} {path}", "status": status, "answer": answered,
                                     "warnings": warnings, "asked": asked}))
        return found


PATTERNS = (
    (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "<uid>"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "<time>"),
    (r'"resourceVersion": "\d+"', '"resourceVersion": "<rv>"'),
    (r"\bg-[a-z0-9]{5}\b", "g-<random>"),
    (r"(127\.0\.0\.1|localhost):\d+", "<server>"),
    (r"read tcp [^ ]*->", "read tcp "),
)


def ordered(value):
    """Managed fields are sorted by their times, to the second: which of two is first depends on the server's speed."""
    if isinstance(value, list):
        return [ordered(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {key: sorted(each, key=lambda entry: json.dumps([entry.get(each) or "" for each in (
                "manager", "operation", "apiVersion", "subresource")]))
            if key == "managedFields" and isinstance(each, list) else ordered(each) for key, each in value.items()}


def normalized(value):
    text = json.dumps(ordered(value), sort_keys=True)
    for pattern, replacement in PATTERNS:
        text = re.sub(pattern, replacement, text)
    return json.loads(text)


# What differs on purpose, and why.
ALLOWED = {"poddeleted": "a deletion that marks the object before it removes it is judged once, not at each of the two steps"}


def differences(name, expected, got):
    """Paths at which two values differ."""
    if isinstance(expected, dict) and isinstance(got, dict):
        for key in sorted({*expected, *got}):
            yield from differences(f"{name}/{key}", expected.get(key), got.get(key))
    elif isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        for i, (a, b) in enumerate(zip(expected, got)):
            yield from differences(f"{name}/{i}", a, b)
    elif expected != got:
        yield f"{name}\n    kube-apiserver {json.dumps(expected)}\n    keelson        {json.dumps(got)}"


def report(all_cases, theirs, ours, allowed):
    """Prints what differs; the exit code."""
    different = 0
    for case in all_cases:
        found = list(differences(case, theirs[case], ours[case]))
        if case in allowed:
            print(f"{case}: {allowed[case] if found else 'is the same by now, and allowed to differ'}")
            found = found[:0] if found else [case]
        different += bool(found)
        for line in found:
            print(line)
    print(f"{len(all_cases) - different} of {len(all_cases)} cases are the same")
    return 1 if different else 0


def request(port, method, path, body, headers):
    """The status, the answer and its warnings."""
    context = ssl._create_unverified_context()
    connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=60, context=context)
    try:
        connection.request(method, path, json.dumps(body) if body is not None else None, {
            "Authorization": f"Bearer {servers.TOKEN}", "Content-Type": "application/json", "User-Agent": "compat/1",
            **headers})
        answer = connection.getresponse()
        text = answer.read().decode()
        return answer.status, json.loads(text) if text.startswith("{") else text, answer.headers.get_all("Warning") or []
    finally:
        connection.close()


def parsed_options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=str(servers.ROOT / "build"))
    parser.add_argument("--only", default="")
    return parser.parse_args()


def on_both(build, ask):
    """What `ask` returns for kube-apiserver and for Keelson, each while it runs."""
    answers = []
    for start in (lambda: servers.Upstream(servers.upstream_binary(build)),
                  lambda: servers.Keelson(pathlib.Path(build) / "keelson")):
        with start() as running:
            answers.append(ask(running))
    return answers


def main():
    options = parsed_options()
    authority = identity.Authority("hook-ca")
    server = hooks.AdmissionServer(authority)
    server.hooks["/marker"] = answer(hooks.deny("marked"))
    bundle = base64.b64encode(authority.certificate.read_bytes()).decode()
    all_cases = {**cases(), **unlabelled(server.port), **services(), **strangers(authority)}
    all_cases = {case: spec for case, spec in all_cases.items() if re.search(options.only, case)}
    for case, spec in all_cases.items():
        for _, _, path, behaviour, _ in spec.hooks(case):
            server.hooks[path] = behaviour

    def ask(running):
        asked = Asked(running.port, server, bundle)
        asked.set_up(all_cases)
        return {case: asked.answers(case, spec) for case, spec in all_cases.items()}

    answers = on_both(options.build, ask)
    server.close()
    authority.close()
    return report(all_cases, *answers, ALLOWED)


if __name__ == "__main__":
    sys.exit(main())
