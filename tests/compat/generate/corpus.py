"""Makes the cases of every resource that a real kube-apiserver lists in its discovery."""

import json
import re

from generate import cases
from generate import repair
from generate import resource as resources
from generate import values

SCRATCH, SCRATCH_TAG = "compat-scratch", "scratch"


def generate(client, only, ids=None):
    """The scenarios of all resources that `only` may choose, whose ids match `ids` if given. Asks the server, changes
    nothing that cases see."""
    def read(path, accept="application/json"):
        answer = client.request("GET", path, {"Accept": accept})
        if answer.status != 200:
            raise RuntimeError(f"{path}: {answer.status} {answer.body[:200]!r}")
        return json.loads(answer.body)

    found = [one for one in resources.discover(read) if wanted(one, only) and (not ids or ids.match(one.id))]
    if not found:
        return []
    client.request("POST", "/api/v1/namespaces", {"Content-Type": "application/json"},
                   json.dumps({"metadata": {"name": SCRATCH}}))
    schemas = values.Schemas(read)
    made = []
    for one in found:
        schema_name = schemas.of_kind(one.group, one.version, one.kind)
        full = full_status = None
        if "create" in one.verbs:
            full, full_status = full_objects(client, read, schemas, schema_name, one)
        made += cases.scenarios(one, full, full_status, schemas, schema_name)
    return made


def wanted(one, only):
    """Whether `only` could match a scenario of the resource."""
    return not only or re.search(only, one.id + "/") or only.startswith(one.id)


def full_objects(client, read, schemas, schema_name, one):
    """An object with every field that upstream accepts, and one with every field of its status."""
    content = schemas.full(schema_name)
    for key in ("apiVersion", "kind", "metadata"):
        content.pop(key, None)
    status = content.pop("status", None)
    full = one.object("fulla", content)
    if full["metadata"]:
        full["metadata"]["annotations"] = {"example.com/note": "text"}
    full = accept(client, "POST", one.collection(), full, f"{one.id} full")

    full_status = None
    if status and "status" in one.subresources:
        minimal = one.minimal(SCRATCH_TAG)
        made = client.request("POST", one.collection(SCRATCH), {"Content-Type": "application/json"},
                              json.dumps(minimal).replace("$ns", SCRATCH))
        path = f"{one.collection()}/{minimal['metadata']['name']}"
        if made.status == 201:
            body = {**minimal, "status": one.fill(status, SCRATCH_TAG)}
            client.settle(path.replace("$ns", SCRATCH))
            body["metadata"]["resourceVersion"] = read(path.replace("$ns", SCRATCH))["metadata"]["resourceVersion"]
            full_status = accept(client, "PUT", path + "/status", body, f"{one.id} status")
            if full_status:
                full_status = {**one.minimal("statusa"), "status": full_status["status"]}
                full_status["metadata"]["labels"]["case"] = "status"
            client.request("DELETE", path.replace("$ns", SCRATCH) + "?gracePeriodSeconds=0")
    return full, full_status


def accept(client, method, path, body, what):
    """`repair.accept` in the scratch namespace."""
    body = json.loads(json.dumps(body).replace("$ns", SCRATCH))
    body = repair.accept(client, method, path.replace("$ns", SCRATCH), body, what)
    return json.loads(json.dumps(body).replace(SCRATCH, "$ns")) if body else None
