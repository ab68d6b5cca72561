"""Requests of many users against random roles: users x verbs x resources x names x namespaces, as they are really sent.

A seed makes the roles and bindings that `access` describes, an object "a" of each kind, and requests by users
that the roles concern, and by some that they do not. Writes are dry runs, so that a request finds what the one
before it found. What is allowed is answered in full, and the whole answer is compared.
"""

import random

from generate import access
from generate import minimal
from lib import scenario as scenarios

RECORDED = range(1, 4)  # the seeds whose answers are stored
LIVE = 130              # more of them are compared by `make diff`: some 20,000 requests
REQUESTS = 160          # of each

KINDS = {
    ("", "pods"): "Pod", ("", "configmaps"): "ConfigMap", ("", "secrets"): "Secret",
    ("", "serviceaccounts"): "ServiceAccount", ("apps", "deployments"): "Deployment", ("batch", "jobs"): "Job",
    ("coordination.k8s.io", "leases"): "Lease", (access.GROUP, "roles"): "Role",
    ("", "nodes"): "Node", ("storage.k8s.io", "storageclasses"): "StorageClass", ("example.com", "things"): "Thing",
}
IN_CLUSTER = ("Node", "StorageClass")
OFTEN = (*access.RESOURCES, *access.RESOURCES)  # that roles are about
VERBS = ("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection")
NAMED = ("get", "update", "patch", "delete")
SUBRESOURCES = ("", "", "", "status", "log", "scale", "token")
PATCHES = ("application/merge-patch+json", "application/json-patch+json", "application/apply-patch+yaml")
# The same on all seeds: no role is about them.
STRANGERS = ({"Authorization": "-"}, {"Authorization": "Bearer ann-token"}, {"Authorization": "Bearer node-token"})


def identities(seed):
    """(user, groups, the headers that make a request theirs)"""
    users = [*access.users_of(seed).items(),
             *((f"system:serviceaccount:$ns:{name}", ()) for name in access.ACCOUNTS)]
    return [(user, groups, acting_as(user, groups)) for user, groups in users]


def acting_as(user, groups):
    headers = {"Impersonate-User": user}
    return {**headers, "Impersonate-Group": list(groups)} if groups else headers


def _base(group):
    return f"/apis/{group}/v1" if group else "/api/v1"


def _body(group, kind, name):
    metadata = {"name": name, "labels": {"by": "access"}}
    version = f"{group}/v1" if group else "v1"
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **minimal.MINIMAL.get(kind, {})}


class _Request:
    """What a user asks for, as attributes and as a step."""

    def __init__(self, rand, own_name):
        self.group, self.resource = rand.choice((*KINDS, *OFTEN))
        self.kind = KINDS[self.group, self.resource]
        self.verb = rand.choice(VERBS)
        self.subresource = rand.choice(SUBRESOURCES) if self.verb in (*NAMED, "create") else ""
        self.namespace = rand.choice(("$ns", "$ns", "other", ""))
        self.name = rand.choice(("a", "b"))
        if self.verb not in NAMED and not self.subresource and rand.random() < 0.6:
            self.name = ""  # of a whole collection
        if self.kind in IN_CLUSTER:  # names are the cluster's
            self.namespace, self.name = "", f"{self.name or 'a'}-{own_name}"
        self._head, self._patch = rand.random() < 0.1, rand.choice(PATCHES)

    def aim_at(self, rand, rule):
        """Turns it into one that the rule may allow; whether there is such a request."""
        verb = rand.choice(rule["verbs"])
        resource, _, subresource = rand.choice(rule.get("resources", [""])).partition("/")
        resource = rand.choice([name for _, name in KINDS]) if resource == "*" else resource
        groups = [group for group, name in KINDS if name == resource]
        self.verb = rand.choice(VERBS) if verb == "*" else verb
        if self.verb not in VERBS or not {*groups, "*"} & set(rule.get("apiGroups", ())):
            return False
        self.group, self.resource, self.kind = groups[0], resource, KINDS[groups[0], resource]
        self.subresource = subresource if self.verb in (*NAMED, "create") else ""
        if self.kind in IN_CLUSTER:
            return False
        self.name = rand.choice(rule.get("resourceNames", ("a", "a", "b")))
        self.namespace = "$ns"
        return True

    def attributes(self):
        """As `access.allowing` wants them; the name of what is created is in the body."""
        name = "" if self.verb == "create" and not self.subresource else self.name
        out = {"verb": self.verb, "group": self.group, "resource": self.resource}
        return {**out, **{key: value for key, value in (("subresource", self.subresource), ("name", name),
                                                        ("namespace", self.namespace)) if value}}

    def _path(self):
        path = _base(self.group)
        if self.namespace:
            path += f"/namespaces/{self.namespace}"
        path += f"/{self.resource}"
        if self.verb in NAMED or self.subresource:
            path += f"/{self.name}"
        return path + (f"/{self.subresource}" if self.subresource else "")

    def _query(self):
        """Collections of the whole cluster are asked only for what is this scenario's."""
        query, selectors = [], []
        if self.verb in ("list", "watch", "deletecollection"):
            if self.name:
                selectors.append(f"metadata.name%3D{self.name}")
            if not self.namespace and self.kind not in IN_CLUSTER:
                selectors.append("metadata.namespace%3D$ns")
        if selectors:
            query.append("fieldSelector=" + "%2C".join(selectors))
        if self.verb == "watch":
            query.append("watch=true")
        if self.verb not in ("get", "list", "watch"):
            query.append("dryRun=All")
        if self.verb == "patch" and "apply" in self._patch:
            query.append("fieldManager=compat")
        return "?" + "&".join(query) if query else ""

    def step(self, name, headers):
        path = self._path() + self._query()
        if self.verb in ("get", "list", "watch"):
            method = "HEAD" if self._head and self.verb == "get" else "GET"
            return scenarios.Step(name, method, path, headers, events=0 if self.verb == "watch" else None)
        if self.verb in ("delete", "deletecollection"):
            return scenarios.Step(name, "DELETE", path, headers)
        body = _body(self.group, self.kind, self.name or "b")
        if self.subresource == "token":
            body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"audiences": ["x"]}}
        if self.verb != "patch":
            return access.send(name, {"create": "POST", "update": "PUT"}[self.verb], path, body, headers)
        if "json-patch" in self._patch:
            body = [{"op": "add", "path": "/metadata/labels", "value": {"by": "patch"}}]
        elif "merge" in self._patch:
            body = {"metadata": {"labels": {"by": "patch"}}}
        return access.send(name, "PATCH", path, body, {**headers, "Content-Type": self._patch})


def _things(own_name):
    """Makes an object of each kind for the requests to be about."""
    for (group, resource), kind in KINDS.items():
        base = _base(group)
        if kind in IN_CLUSTER:
            yield access.send(f"make-{resource}", "POST", f"{base}/{resource}", _body(group, kind, f"a-{own_name}"))
        elif kind in minimal.MINIMAL:
            yield access.send(f"make-{resource}", "POST", f"{base}/namespaces/$ns/{resource}", _body(group, kind, "a"))


def _rules_of(policy, user, groups):
    """The rules that some binding gives the user; a rule that allows nothing if there is none."""
    return [rule for _, _, role, subjects in policy.bindings for rule in policy.roles.get(role, ())
            if any(access.applies(subject, user, groups) for subject in subjects)] or [{"verbs": [""]}]


def scenario(seed):
    own_name = f"requests-{seed}"  # not that of reviews
    policy, rand = access.Policy(own_name), random.Random(own_name)
    steps = [*_things(own_name), *access.first_steps(policy)]
    who, count = identities(own_name), 0
    while count < REQUESTS:
        if rand.random() < 0.12:
            user, groups, headers = "", (), rand.choice(STRANGERS)
        else:
            user, groups, headers = rand.choice(who)
        if rand.random() < 0.06:
            path, verb = rand.choice(access.PATHS), rand.choice(("get", "put"))
            attributes = {"verb": verb, "path": path}
            step = scenarios.Step("", verb.upper(), path, headers)
        else:
            request = _Request(rand, own_name)
            if user and rand.random() < 0.6 and not request.aim_at(rand, rand.choice(_rules_of(policy, user, groups))):
                continue
            attributes, step = request.attributes(), request.step("", headers)
        granted, absent = access.allowing(policy, user, groups, attributes)
        if absent > 1 or granted and attributes.get("path") == "/logs/":  # the logs of that machine
            continue
        count += 1
        step.name = f"request-{count}"
        steps.append(step)
    removals = [scenarios.Step(f"remove-{resource}", "DELETE", f"{_base(group)}/{resource}/a-{own_name}")
                for (group, resource), kind in KINDS.items() if kind in IN_CLUSTER]
    return scenarios.Scenario(f"random/access/requests/{seed}", [*steps, *access.last_steps(policy), *removals])


def matrix(seeds):
    return [scenario(seed) for seed in seeds]
