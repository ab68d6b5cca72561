#!/usr/bin/env python3
"""Conversion webhooks on both servers: the same definitions, requests and webhook server.

    KUBE_APISERVER=path/to/kube-apiserver tests/compat/conversion.py [--build DIR] [--only REGEX]

Compares the answers, and of the reviews the first that a request leads to: kube-apiserver keeps a cache for each
version, and asks when that is filled rather than when somebody reads. Prints what differs, and ends with 1 if something
does. kube-apiserver needs an etcd in $PATH.
"""

import base64
import json
import re
import sys

import webhooks
from webhooks import APPLY, MERGE, answer, raw
from lib import servers
import admission_webhooks as hooks  # tests/integration, which lib.servers has made known
import conversion_webhooks as conversion
import harness
import identity

PATCH = {"Content-Type": "application/json-patch+json"}
TABLE = {"Accept": "application/json;as=Table;g=meta.k8s.io;v=v1"}
PARTIAL = {"Accept": "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"}
WORKS = conversion.convert


def site(version, name="a", **more):
    """Of the case's plural, which is put in when it is asked."""
    return {**conversion.site("{case}s", version, name, **more), "kind": "{Case}"}


def at(version, name="", query=""):
    return conversion.path("{case}s", version, name) + query


class Case:
    """A definition whose webhook behaves so, and requests. `compares_reviews`: the first review of each is compared."""

    def __init__(self, behaviour, *requests, compares_reviews=False, **definition):
        self.behaviour, self.requests, self.definition = behaviour, requests, definition
        self.compares_reviews = compares_reviews


def failing(behaviour, **definition):
    """What is stored is there before the webhook fails."""
    return Case(behaviour, ("POST", at("v2"), site("v2"), {}), ("GET", at("v1", "a"), None, {}),
                ("GET", at("v2", "a"), None, {}), ("POST", at("v1"), site("v1", "b"), {}), **definition)


def edited(change):
    """A conversion that is right but for what `change` does to each object."""
    def decide(request):
        objects = conversion.convert(request)["convertedObjects"]
        for each in objects:
            change(each)
        return {"convertedObjects": objects}
    return decide


def with_metadata(**more):
    return edited(lambda each: each["metadata"].update(more))


def whole(**members):
    def decide(request):
        review = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
                  "response": {"uid": request["uid"], "result": {"status": "Success"}, **conversion.convert(request)}}
        review.update(members)
        return hooks.Raw(json.dumps({k: v for k, v in review.items() if v is not None}))
    return decide


def cases():
    writes = (("POST", at("v1"), site("v1"), {}),
              ("GET", at("v1", "a"), None, {}), ("GET", at("v2", "a"), None, {}),
              ("PATCH", at("v1", "a"), {"spec": {"port": 81}}, MERGE),
              ("PATCH", at("v1", "a"), [{"op": "replace", "path": "/spec/host", "value": "j"}], PATCH),
              ("PATCH", at("v2", "a"), {"spec": {"address": "k:82"}}, MERGE),
              ("PATCH", at("v1", "a/status"), {"status": {"replicas": 2}}, MERGE),
              ("GET", at("v1", "a/scale"), None, {}),
              ("PATCH", at("v1", "a/scale"), {"spec": {"replicas": 5}}, MERGE),
              ("GET", at("v2", "a"), None, {}), ("GET", at("v1", "a"), None, TABLE), ("GET", at("v2", "a"), None, TABLE),
              ("GET", at("v1", "a"), None, PARTIAL),
              ("PATCH", at("v1", "a", "?dryRun=All"), {"spec": {"port": 99}}, MERGE),
              ("DELETE", at("v1", "a"), None, {}), ("GET", at("v1", "a"), None, {}))
    managers = (("PATCH", at("v1", "a", "?fieldManager=one"), site("v1"), APPLY),
                ("PATCH", at("v2", "a", "?fieldManager=two"), site("v2"), APPLY),
                ("PATCH", at("v2", "a", "?fieldManager=two"), site("v2", spec={"address": "j:80", "replicas": 1}), APPLY),
                ("PATCH", at("v2", "a", "?fieldManager=two&force=true"), site("v2", spec={"address": "j:80"}), APPLY),
                ("PATCH", at("v1", "a", "?fieldManager=three"), {"spec": {"replicas": 7}}, MERGE),
                ("PATCH", at("v1", "a", "?fieldManager=one"), {**site("v1"), "spec": {"host": "j"}}, APPLY),
                ("GET", at("v2", "a"), None, {}))
    held = {"metadata": {"name": "a", "finalizers": ["example.com/hold"]}}
    return {
        # --- what works
        "writes": Case(WORKS, *writes),
        "older": Case(WORKS, *writes, stored="v1"),
        "beta": Case(WORKS, *writes, review_versions=["v9", "v1beta1", "v1"]),
        "managers": Case(WORKS, *managers),
        "lists": Case(WORKS, *(("POST", at("v1"), site("v1", f"a{i}"), {}) for i in range(3)), ("GET", at("v1"), None, {}),
                      ("GET", at("v2"), None, {}), ("GET", at("v1"), None, TABLE),
                      ("DELETE", at("v1", "", "?labelSelector=none%3Dof"), None, {})),
        "empty": Case(answer(hooks.RESET), ("GET", at("v1"), None, {}), ("GET", at("v1", "absent"), None, {}),
                      ("DELETE", at("v1", "absent"), None, {})),
        "held": Case(WORKS, ("POST", at("v1"), site("v1", **held), {}), ("DELETE", at("v1", "a"), None, {}),
                     ("PATCH", at("v1", "a"), {"metadata": {"finalizers": None}}, MERGE)),
        "invalid": Case(WORKS, ("POST", at("v1"), {**site("v1"), "spec": {"port": "text"}}, {}),
                        ("POST", at("v1", "", "?fieldValidation=Strict"), {**site("v1"), "spec": {"address": "h:1"}}, {}),
                        ("POST", at("v1"), {**site("v2")}, {})),
        "review": Case(WORKS, ("POST", at("v2"), site("v2"), {}), ("GET", at("v1", "a"), None, {}), compares_reviews=True),
        "labels": Case(with_metadata(labels={"converted": "yes"}, annotations={"a": "b"}), *writes[:3]),
        "othermetadata": Case(with_metadata(generation=77, finalizers=["x/y"], ownerReferences=[]), *writes[:3]),
        "unknownfields": Case(edited(lambda each: each["spec"].update(unknown=1)), *writes[:3]),
        # --- what does not
        "versions": failing(WORKS, review_versions=["v1beta1"]),
        "uid": failing(answer({"uid": "other", "convertedObjects": []})),
        "count": failing(answer({"convertedObjects": []})),
        "refused": failing(answer({"result": {"status": "Failure", "message": "not today"}})),
        "refusedsilently": failing(answer({"result": {"status": "Failure"}})),
        "nostatus": failing(answer({"result": {}})),
        "samever": failing(lambda request: {"convertedObjects": request["objects"]}),
        "otherkind": failing(edited(lambda each: each.update(kind="Other"))),
        "nokind": failing(edited(lambda each: each.pop("kind"))),
        "othername": failing(with_metadata(name="other")),
        "otherns": failing(with_metadata(namespace="other")),
        "otheruid": failing(with_metadata(uid="other")),
        "nometadata": failing(edited(lambda each: each.pop("metadata"))),
        "textmetadata": failing(edited(lambda each: each.update(metadata="text"))),
        "textlabels": failing(with_metadata(labels="text")),
        "numberlabel": failing(with_metadata(labels={"a": 1})),
        "badlabel": failing(with_metadata(labels={"in valid": "a"})),
        "badannotation": failing(with_metadata(annotations={"in valid": "a"})),
        "nullobject": failing(answer({"convertedObjects": [None]})),
        "noresponse": failing(whole(response=None)),
        "unnamed": failing(whole(kind=None, apiVersion=None)),
        "otherreview": failing(whole(kind="AdmissionReview")),
        "otherreviewversion": failing(whole(apiVersion="apiextensions.k8s.io/v1beta1")),
        "garbage": failing(raw("garbage")),
        "emptybody": failing(raw("")),
        "e500": failing(raw("boom\n", 500, Content_Type="text/plain")),
        "e404": failing(raw("no", 404)),
        "redirects": failing(raw("", 307, Location="/elsewhere")),
    }


class Asked:
    """One server: sets it up, and asks it the cases."""

    def __init__(self, port, server, bundle):
        self._port, self._server, self._bundle = port, server, bundle

    def define(self, case, spec):
        definition = conversion.definition(f"{case}s", {"url": f"{self._server.url}/{case}", "caBundle": self._bundle},
                                           **spec.definition)
        status, made, _ = webhooks.request(self._port, "POST", conversion.DEFINITIONS, definition, {})
        assert status == 201, made
        harness.wait_until(lambda: all(webhooks.request(self._port, "GET", conversion.path(f"{case}s", v), None, {})[0] == 200
                                       for v in ("v1", "v2")), f"{case} is served")

    def answers(self, case, spec):
        self.define(case, spec)
        found = []
        requests = json.dumps(spec.requests).replace("{case}", case).replace("{Case}", case.capitalize())
        for method, path, body, headers in json.loads(requests):
            self._server.reviews.clear()
            status, answered, warnings = webhooks.request(self._port, method, path, body, headers)
            if isinstance(answered, dict):
                for column in answered.get("columnDefinitions") or ():
                    column.pop("description")  # upstream's are prose
            one = {"request": f"{method} {path}", "status": status, "answer": answered, "warnings": warnings}
            if spec.compares_reviews and method == "GET":
                one["asked"] = self._server.reviews[:1]
            found.append(webhooks.normalized(one))
        return found


# What differs on purpose, and why.
ALLOWED = {"redirects": "redirects are not followed"}


def main():
    options = webhooks.parsed_options()
    authority = identity.Authority("hook-ca")
    server = conversion.ConversionServer(authority)
    bundle = base64.b64encode(authority.certificate.read_bytes()).decode()
    all_cases = {case: spec for case, spec in cases().items() if re.search(options.only, case)}
    for case, spec in all_cases.items():
        server.hooks[f"/{case}"] = spec.behaviour

    def ask(running):
        asked = Asked(running.port, server, bundle)
        return {case: asked.answers(case, spec) for case, spec in all_cases.items()}

    answers = webhooks.on_both(options.build, ask)
    server.close()
    authority.close()
    return webhooks.report(all_cases, *answers, ALLOWED)


if __name__ == "__main__":
    sys.exit(main())
