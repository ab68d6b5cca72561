"""The scenarios that every resource gets."""

import copy
import json

from lib.scenario import Scenario, Step
from generate import mutations

JSON, YAML, PROTOBUF = "application/json", "application/yaml", "application/vnd.kubernetes.protobuf"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
PARTIAL = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
PARTIAL_LIST = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
MERGE, JSON_PATCH = "application/merge-patch+json", "application/json-patch+json"
STRATEGIC, APPLY = "application/strategic-merge-patch+json", "application/apply-patch+yaml"

LIMITS = {"pods": (130, 60)}  # fields that are made invalid, and that are changed
USUAL_LIMITS = (26, 14)


class Builder:
    """Collects the steps of one scenario of a resource. Tags in it start with the scenario's name."""

    def __init__(self, resource, name, bodies=None):
        self.resource = resource
        self.path = resource.collection()
        self.scenario = Scenario(f"{resource.id}/{name}", [], bodies, at=self.path)

    def add(self, name, method, path, body=None, content_type=None, accept=None, base=None, edits=None, **more):
        headers = {}
        if content_type or body is not None or base is not None:
            headers["Content-Type"] = content_type or JSON
        if accept:
            headers["Accept"] = accept
        if body is not None and not isinstance(body, str):
            body = json.dumps(body)
        writes = method != "GET" and "dryRun" not in path
        self.scenario.steps.append(Step(name, method, path, headers, body, base=base, edits=edits,
                                        settle=writes and method != "DELETE" and self.resource.settles, **more))

    def object(self, tag):
        return f"{self.path}/{self.resource.name(tag)}"

    def get(self, name, path, accept=None, **more):
        self.add(name, "GET", path, accept=accept, **more)

    def create(self, name, tag, query="", accept=None, content_type=None, **more):
        self.add(name, "POST", self.path + query, base="minimal", edits=self.renamed(tag), accept=accept,
                 content_type=content_type, **more)

    def renamed(self, tag):
        """Edits that turn the scenario's first object into another."""
        first, other = self.scenario.bodies["minimal"], self.resource.minimal(tag)
        if other["metadata"]:
            other["metadata"]["labels"] = first["metadata"]["labels"]
        return [[path, value] for path, value in _changed("", first, other)]


def _changed(path, first, other):
    if isinstance(first, dict) and isinstance(other, dict):
        pairs = [_changed(f"{path}/{key}" if path else key, first.get(key), other[key]) for key in other]
        return [pair for some in pairs for pair in some]
    return [] if first == other else [(path, other)]


def scenarios(resource, full, full_status, schemas, schema_name):
    """All scenarios of a resource; `full` and `full_status` may be None."""
    made = []
    if "create" in resource.verbs:
        made += [create(resource), invalid(resource)]
        if full:
            made.append(every_field(resource, full, schemas, schema_name))
    if "get" in resource.verbs and "create" in resource.verbs:
        made += [forms(resource), updates(resource), deletion(resource)]
        if "watch" in resource.verbs:
            made.append(watching(resource))
        if "patch" in resource.verbs:
            made.append(patches(resource))
        if "status" in resource.subresources:
            made.append(status(resource, full_status))
        if "scale" in resource.subresources:
            made.append(scale(resource))
    return made


def start(resource, name):
    minimal = resource.minimal(name + "a")
    if minimal["metadata"]:
        minimal["metadata"]["labels"]["case"] = name
    return Builder(resource, name, {"minimal": minimal})


def create(resource):
    b = start(resource, "create")
    b.create("minimal", "createa")
    if "get" in resource.verbs:
        b.get("get", b.object("createa"))
        b.create("again", "createa")
        b.create("again-dry-run", "createa", "?dryRun=All")
    b.create("dry-run", "createb", "?dryRun=All")
    if "get" in resource.verbs:
        b.get("not-there-after-dry-run", b.object("createb"))
    b.create("yaml", "createc", "?dryRun=All", accept=YAML, content_type=YAML)
    if resource.plural != "selfsubjectrulesreviews":  # lists rules in no certain order
        b.create("protobuf", "created", "?dryRun=All", accept=PROTOBUF)
    b.add("generate-name", "POST", b.path + "?dryRun=All", base="minimal",
          edits=[["metadata/name"], ["metadata/generateName", "gen-"]])
    return b.scenario


def invalid(resource):
    """Wrong in ways that every kind has in common; nothing is written."""
    b = start(resource, "invalid")
    path = b.path + "?dryRun=All"

    def refused(name, edits, query=""):
        b.add(name, "POST", path + query, base="minimal", edits=edits)

    refused("no-name", [["metadata/name"]])
    refused("no-metadata", [["metadata"]])
    refused("bad-name", [["metadata/name", "Bad_Name"]])
    refused("long-name", [["metadata/name", "${a*254}"]])
    refused("slash-name", [["metadata/name", "a/b"]])
    refused("percent-name", [["metadata/name", "a%b"]])
    refused("bad-generate-name", [["metadata/name"], ["metadata/generateName", "Bad_"]])
    refused("bad-label", [["metadata/labels", {"a b": "c"}]])
    refused("bad-label-value", [["metadata/labels", {"d": "e f"}]])
    refused("long-label", [["metadata/labels", {"a": "${v*64}"}]])
    refused("bad-annotation", [["metadata/annotations", {"a b": "c"}]])
    refused("bad-finalizer", [["metadata/finalizers", ["a b"]]])
    refused("bad-owner", [["metadata/ownerReferences", [{"apiVersion": "v1", "kind": "Pod", "name": "", "uid": ""}]]])
    refused("unknown-field-strict", [["nope", 1], ["metadata/nope", 1]], "&fieldValidation=Strict")
    refused("unknown-field-warn", [["nope", 1], ["metadata/nope", 1]], "&fieldValidation=Warn")
    refused("unknown-field-ignore", [["nope", 1]], "&fieldValidation=Ignore")
    refused("wrong-kind", [["kind", "Nope"]])
    refused("wrong-version", [["apiVersion", "nope.example.com/v1"]])
    refused("wrong-type-of-metadata", [["metadata", "x"]])
    refused("wrong-type-of-label", [["metadata/labels", {"a": 1}]])
    refused("with-revision", [["metadata/resourceVersion", "5"]])
    if resource.namespaced:
        refused("other-namespace", [["metadata/namespace", "elsewhere"]])
    content = [key for key in b.scenario.bodies["minimal"] if key not in ("apiVersion", "kind", "metadata")]
    for key in content:
        refused(f"without.{key}", [[key]])
        refused(f"wrong-type.{key}", [[key, "x"]])
        if isinstance(b.scenario.bodies["minimal"][key], dict):
            refused(f"empty.{key}", [[key, {}]])
            refused(f"unknown-strict.{key}", [[f"{key}/nope", 1]], "&fieldValidation=Strict")
            for inner in b.scenario.bodies["minimal"][key]:
                refused(f"without.{key}.{inner}", [[f"{key}/{inner}"]])
                refused(f"wrong-type.{key}.{inner}", [[f"{key}/{inner}", {"x": []}]])
    text = json.dumps(b.scenario.bodies["minimal"])
    doubled = text[:-1] + ', "kind": "' + resource.kind + '"}'
    b.add("duplicate-field-strict", "POST", path + "&fieldValidation=Strict", body=doubled)
    b.add("duplicate-field-warn", "POST", path + "&fieldValidation=Warn", body=doubled)
    b.add("empty-object", "POST", path, body="{}")
    b.add("not-json", "POST", path, body=text[:-1])
    b.add("unsupported-media-type", "POST", path, body=text, content_type="text/plain")
    return b.scenario


def every_field(resource, full, schemas, schema_name):
    """With every field set; then wrong in one place; then changed in one place."""
    bodies = {"full": full}
    b = Builder(resource, "full", bodies)
    found = mutations.leaves(schemas, schema_name, full)
    most_invalid, most_changes = LIMITS.get(resource.plural, USUAL_LIMITS)
    dry = b.path + "?dryRun=All"
    b.add("dry-run", "POST", dry, base="full")
    for name, edit in mutations.invalid(found, most_invalid):
        b.add(name, "POST", dry, base="full", edits=[edit])
    if "get" not in resource.verbs:
        return b.scenario
    one = f"{b.path}/{full['metadata']['name']}"
    b.add("create", "POST", b.path, base="full")
    b.get("get", one)
    b.get("yaml", one, YAML)
    b.get("protobuf", one, PROTOBUF, captures={"pb": "raw"})
    b.get("table", one + "?includeObject=None", TABLE)
    b.add("put-protobuf", "PUT", one, body="$pb", content_type=PROTOBUF)
    revision = ["metadata/resourceVersion", "$rv"]
    b.get("before-put", one, captures={"rv": "metadata/resourceVersion"})
    b.add("put-same", "PUT", one, base="full", edits=[revision])
    b.get("after-put", one, captures={"rv": "metadata/resourceVersion"})
    for name, edit in mutations.changes(found, most_changes):
        b.add(name, "PUT", one + "?dryRun=All", base="full", edits=[revision, edit])
    b.add("apply", "PATCH", one + "?fieldManager=applier&force=true&dryRun=All", base="full", content_type=APPLY)
    b.add("delete", "DELETE", one + "?dryRun=All")
    return b.scenario


def forms(resource):
    """Read in every form there is."""
    b = start(resource, "forms")
    b.create("create", "formsa")
    one, selected = b.object("formsa"), b.path + "?labelSelector=case=forms"
    for name, accept in (("json", JSON), ("yaml", YAML), ("protobuf", PROTOBUF), ("table", TABLE), ("partial", PARTIAL),
                         ("not-acceptable", "text/html")):
        b.get(name, one, accept)
    b.get("absent", b.object("formsz"))
    b.get("absent-yaml", b.object("formsz"), YAML)
    for name, accept in (("list", JSON), ("list-yaml", YAML), ("list-protobuf", PROTOBUF), ("list-table", TABLE),
                         ("list-partial", PARTIAL_LIST), ("list-partial-of-one", PARTIAL)):
        b.get(name, selected, accept)
    b.get("table-with-objects", selected + "&includeObject=Object", TABLE)
    b.get("empty-list", b.path + "?labelSelector=case=nothing")
    b.get("empty-table", b.path + "?labelSelector=case=nothing", TABLE)
    b.get("by-name", b.path + f"?fieldSelector=metadata.name={resource.name('formsa')}")
    b.get("unknown-field-selector", b.path + "?fieldSelector=nope=1")
    b.get("bad-selector", b.path + "?labelSelector=a+b+c")
    if resource.namespaced:
        b.get("all-namespaces", resource.collection().replace("/namespaces/$ns", "") +
              f"?fieldSelector=metadata.name={resource.name('formsa')},metadata.namespace=$ns")
    if not resource.namespaced:
        return b.scenario  # whether there is a next page depends on objects of other scenarios
    b.create("second", "formsb")
    b.get("page", selected + "&limit=1", captures={"next": "metadata/continue"})
    b.get("next-page", selected + "&limit=1&continue=$next")
    b.get("table-page", selected + "&limit=1", TABLE)
    return b.scenario


def updates(resource):
    b = start(resource, "update")
    b.add("absent", "PUT", b.object("updatez"), base="minimal", edits=b.renamed("updatez"))
    b.create("create", "updatea", captures={"rv": "metadata/resourceVersion", "uid": "metadata/uid"})
    one = b.object("updatea")
    revision = ["metadata/resourceVersion", "$rv"]

    def put(name, *edits, query=""):
        b.add(name, "PUT", one + query, base="minimal", edits=list(edits))

    put("same", revision)
    put("annotate", revision, ["metadata/annotations", {"example.com/a": "b"}])
    put("stale", revision, ["metadata/annotations", {"example.com/a": "c"}])
    put("without-revision", ["metadata/annotations", {"example.com/a": "d"}])
    put("other-uid", ["metadata/uid", "11111111-1111-1111-1111-111111111111"])
    put("other-name", ["metadata/name", resource.name("updateb")])
    put("no-name", ["metadata/name"])
    put("bad-label", ["metadata/labels", {"a b": "c"}])
    put("creation-time", ["metadata/creationTimestamp", "2001-02-03T04:05:06Z"])
    put("deletion-time", ["metadata/deletionTimestamp", "2001-02-03T04:05:06Z"])
    put("wrong-kind", ["kind", "Nope"])
    put("unknown-field", ["nope", 1], query="?fieldValidation=Strict")
    put("dry-run", ["metadata/annotations", {"example.com/a": "e"}], query="?dryRun=All")
    for key in b.scenario.bodies["minimal"]:
        if key not in ("apiVersion", "kind", "metadata"):
            put(f"without.{key}", [key], query="?dryRun=All")
    b.get("at-the-end", one)
    return b.scenario


def patches(resource):
    b = start(resource, "patch")
    b.create("create", "patcha")
    one = b.object("patcha")

    def patch(name, content_type, body, query=""):
        b.add(name, "PATCH", one + query, body=body, content_type=content_type)

    patch("merge", MERGE, {"metadata": {"annotations": {"example.com/a": "1"}}})
    patch("merge-nothing", MERGE, {})
    patch("merge-remove", MERGE, {"metadata": {"annotations": {"example.com/a": None}}})
    patch("merge-unknown-warn", MERGE, {"nope": 1}, "?fieldValidation=Warn&dryRun=All")
    patch("merge-bad-label", MERGE, {"metadata": {"labels": {"a b": "c"}}})
    patch("merge-name", MERGE, {"metadata": {"name": "other"}})
    patch("strategic", STRATEGIC, {"metadata": {"annotations": {"example.com/s": "1"}}})
    patch("strategic-replace", STRATEGIC, {"metadata": {"annotations": {"$patch": "replace", "example.com/r": "1"}}})
    patch("json", JSON_PATCH, [{"op": "add", "path": "/metadata/annotations/example.com~1j", "value": "1"}])
    patch("json-test-fails", JSON_PATCH, [{"op": "test", "path": "/metadata/name", "value": "x"}])
    patch("json-bad-path", JSON_PATCH, [{"op": "remove", "path": "/nope/nope"}])
    patch("unknown-type", "application/nope+json", {})
    patch("dry-run", MERGE, {"metadata": {"annotations": {"example.com/d": "1"}}}, "?dryRun=All")
    patch("apply", APPLY, applied(resource, "patcha", {"example.com/applied": "1"}), "?fieldManager=one")
    patch("apply-again", APPLY, applied(resource, "patcha", {"example.com/applied": "1"}), "?fieldManager=one")
    patch("apply-conflict", APPLY, applied(resource, "patcha", {"example.com/applied": "2"}), "?fieldManager=two")
    patch("apply-force", APPLY, applied(resource, "patcha", {"example.com/applied": "2"}),
          "?fieldManager=two&force=true")
    patch("apply-drops", APPLY, applied(resource, "patcha", {}), "?fieldManager=two")
    patch("apply-no-manager", APPLY, applied(resource, "patcha", {}))
    b.get("at-the-end", one)
    b.add("absent", "PATCH", b.object("patchz"), body={}, content_type=MERGE)
    b.add("apply-creates", "PATCH", b.object("patchb") + "?fieldManager=one", base="minimal", content_type=APPLY,
          edits=b.renamed("patchb"))
    b.add("apply-same", "PATCH", b.object("patchb") + "?fieldManager=one", base="minimal", content_type=APPLY,
          edits=b.renamed("patchb"))
    return b.scenario


def applied(resource, tag, annotations):
    return {"apiVersion": resource.api_version, "kind": resource.kind,
            "metadata": {"name": resource.name(tag), "annotations": annotations}}


def status(resource, full_status):
    b = start(resource, "status")
    b.create("create", "statusa")
    one = b.object("statusa")
    b.get("get", one + "/status")
    b.get("get-absent", b.object("statusz") + "/status")
    b.add("unchanged", "PUT", one + "/status", base="minimal")
    b.add("label-by-status", "PATCH", one + "/status", body={"metadata": {"labels": {"by": "status"}}},
          content_type=MERGE)
    if full_status:
        b.scenario.bodies["status"] = full_status
        b.get("as-it-is", one, captures={"rv": "metadata/resourceVersion"})
        b.add("put", "PUT", one + "/status", base="status", edits=[["metadata/resourceVersion", "$rv"]])
        b.get("get-after-put", one)
        b.get("protobuf", one, PROTOBUF)
        b.get("table", one + "?includeObject=None", TABLE)
        b.add("status-by-main", "PUT", one, base="minimal")
        b.add("json-patch", "PATCH", one + "/status", body=[{"op": "remove", "path": "/status"}],
              content_type=JSON_PATCH)
        apply = copy.deepcopy(full_status)
        b.scenario.bodies["apply"] = {key: apply[key] for key in ("apiVersion", "kind", "status")} | {
            "metadata": {"name": apply["metadata"]["name"]}}
        b.add("apply", "PATCH", one + "/status?fieldManager=one&force=true", base="apply", content_type=APPLY)
    b.get("at-the-end", one)
    return b.scenario


def scale(resource):
    b = start(resource, "scale")
    b.create("create", "scalea")
    one = b.object("scalea") + "/scale"
    b.get("get", one, captures={"rv": "metadata/resourceVersion"})
    b.get("protobuf", one, PROTOBUF)
    b.get("absent", b.object("scalez") + "/scale")
    body = {"metadata": {"name": resource.name("scalea")}, "spec": {"replicas": 3}}
    b.add("put", "PUT", one, body=body)
    b.add("same", "PUT", one, body=body)
    stale = copy.deepcopy(body)
    stale["metadata"]["resourceVersion"] = "$rv"
    b.add("stale", "PUT", one, body=stale)
    b.add("patch", "PATCH", one, body={"spec": {"replicas": 4}}, content_type=MERGE)
    b.add("negative", "PATCH", one, body={"spec": {"replicas": -1}}, content_type=MERGE)
    b.add("apply", "PATCH", one + "?fieldManager=one&force=true", content_type=APPLY, body={
        "apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": resource.name("scalea")},
        "spec": {"replicas": 5}})
    b.add("dry-run", "PUT", one + "?dryRun=All", body=body)
    b.get("at-the-end", b.object("scalea"))
    return b.scenario


def deletion(resource):
    b = start(resource, "delete")
    b.create("a", "deletea", captures={"uid": "metadata/uid"})
    one = b.object("deletea")
    b.add("absent", "DELETE", b.object("deletez"))
    b.add("dry-run", "DELETE", one + "?dryRun=All")
    for policy in ("Background", "Foreground", "Orphan"):
        b.add(policy.lower(), "DELETE", one + f"?dryRun=All&propagationPolicy={policy}")
    b.add("bad-policy", "DELETE", one + "?propagationPolicy=Nope")
    b.add("other-uid", "DELETE", one, body={"preconditions": {"uid": "11111111-1111-1111-1111-111111111111"}})
    b.add("other-revision", "DELETE", one, body={"preconditions": {"resourceVersion": "1"}})
    b.add("not-options", "DELETE", one, body={"kind": "Nope", "apiVersion": "v1"})
    if resource.plural == "namespaces":
        return b.scenario  # their content is deleted by a controller, which upstream's server does not have
    b.add("now", "DELETE", one + "?gracePeriodSeconds=0", body={"preconditions": {"uid": "$uid"}})
    if resource.plural == "customresourcedefinitions":
        return b.scenario  # a finalizer holds them for an uncertain time
    b.get("gone", one)
    b.add("again", "DELETE", one)
    b.create("b", "deleteb")
    b.create("c", "deletec")
    b.add("yaml-answer", "DELETE", b.object("deletec") + "?dryRun=All", accept=YAML)
    if "deletecollection" in resource.verbs:
        b.add("collection-bad-selector", "DELETE", b.path + "?labelSelector=a+b+c")
        b.add("collection-dry-run", "DELETE", b.path + "?dryRun=All&labelSelector=case=delete")
        b.add("collection-by-name", "DELETE", b.path + "?gracePeriodSeconds=0&labelSelector=case=delete&fieldSelector="
              f"metadata.name={resource.name('deleteb')}")
        b.add("collection", "DELETE", b.path + "?gracePeriodSeconds=0&labelSelector=case=delete")
        b.get("left", b.path + "?labelSelector=case=delete")
    return b.scenario


def watching(resource):
    b = start(resource, "watch")
    b.get("start", b.path + "?labelSelector=case=watch", captures={"rv": "metadata/resourceVersion"})
    b.create("create", "watcha")
    one = b.object("watcha")
    b.add("annotate", "PATCH", one, body={"metadata": {"annotations": {"example.com/a": "1"}}}, content_type=MERGE)
    b.add("leave", "PATCH", one, body={"metadata": {"labels": {"case": "left"}}}, content_type=MERGE)
    b.add("return", "PATCH", one, body={"metadata": {"labels": {"case": "watch"}}}, content_type=MERGE)
    if resource.plural == "namespaces":
        last = 4
    else:
        b.add("delete", "DELETE", one + "?gracePeriodSeconds=0")
        last = 5
    if resource.settles:
        return b.scenario  # how often a controller writes in between is not the same twice
    query = "?watch=true&timeoutSeconds=5&resourceVersion=$rv&"
    b.get("events", b.path + query + "labelSelector=case=watch", events=last)
    b.get("by-name", b.path + query + f"fieldSelector=metadata.name={resource.name('watcha')}", events=last)
    b.get("table", b.path + query + "labelSelector=case=watch&includeObject=None", TABLE, events=2)
    b.get("partial", b.path + query + "labelSelector=case=watch", PARTIAL, events=2)
    return b.scenario
