"""Random roles and bindings, and reviews of who may then do what: users x verbs x resources x names x namespaces.

A seed makes a scenario: some roles and bindings, then many SubjectAccessReviews. Where several bindings
allow a request, upstream names any of them as the reason, so those requests are left out: `allowing`
finds them.
"""

import json
import random

from lib import scenario as scenarios

RECORDED = range(1, 5)  # the seeds whose answers are stored
LIVE = 120              # more of them are compared by `make diff`: some 20,000 reviews
REVIEWS = 170           # of each

RBAC = "/apis/rbac.authorization.k8s.io/v1"
GROUP = "rbac.authorization.k8s.io"
ACCOUNTS = ("sweeper", "keeper")
VERBS = ("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "impersonate")
RESOURCES = (("", "pods"), ("", "configmaps"), ("apps", "deployments"), ("batch", "jobs"), ("example.com", "things"))
SUBRESOURCES = ("", "status", "log", "scale")
NAMES = ("", "a", "b")
PATHS = ("/x", "/x/y", "/xy", "/logs/", "/x/y/z")


def users_of(seed):
    """Name -> groups; a seed's own, as bindings in the cluster count for all scenarios."""
    red, blue = f"red-{seed}", f"blue-{seed}"
    return {f"u1-{seed}": (red, blue), f"u2-{seed}": (blue,), f"u3-{seed}": ()}


class Policy:
    """The objects of one seed. `ns` is the scenario's namespace as the objects write it."""

    def __init__(self, seed):
        self._random = random.Random(seed)
        self._prefix = f"access-{seed}"
        self._users = users_of(seed)
        self.roles = {}     # (in the namespace, name) -> rules
        self.bindings = []  # (in the namespace, name, (role in the namespace, role name), subjects)
        for i in range(4):
            self.roles[False, f"{self._prefix}-c{i}"] = self._rules(paths=True)
        for i in range(3):
            self.roles[True, f"r{i}"] = self._rules(paths=False)
        for i in range(3):
            role = self._random.choice([key for key in self.roles if not key[0]])
            self.bindings.append((False, f"{self._prefix}-b{i}", role, self._subjects()))
        for i in range(5):
            role = self._random.choice([*self.roles, (True, "absent")])
            self.bindings.append((True, f"b{i}", role, self._subjects()))

    def _some(self, choices, most):
        return self._random.sample(choices, self._random.randint(1, most))

    def _rules(self, paths):
        return [self._rule(paths) for _ in range(self._random.randint(1, 3))]

    def _rule(self, paths):
        if paths and self._random.random() < 0.2:
            return {"verbs": self._some(("get", "put", "*"), 2), "nonResourceURLs": self._some((*PATHS, "/x/*", "*"), 2)}
        groups = [group for group, _ in self._some(RESOURCES, 2)]
        resources = []
        for _, resource in self._some(RESOURCES, 3):
            sub = self._random.choice(("", "", *SUBRESOURCES))
            resources.append(f"{resource}/{sub}" if sub else resource)
        if self._random.random() < 0.3:
            resources.append(self._random.choice(("*", "*/status", "*/scale", "pods/*")))
        rule = {"verbs": self._some((*VERBS, "*"), 4),
                "apiGroups": sorted({*groups, *self._some(("", "apps", "*"), 1)}), "resources": resources}
        if self._random.random() < 0.3:
            rule["resourceNames"] = self._some(("a", "b", "c"), 2)
        return rule

    def _subjects(self):
        subjects = []
        for _ in range(self._random.randint(1, 2)):
            kind = self._random.choice(("User", "Group", "ServiceAccount"))
            if kind == "ServiceAccount":
                subject = {"kind": kind, "name": self._random.choice(ACCOUNTS), "namespace": "$ns"}
            else:
                groups = sorted({group for groups in self._users.values() for group in groups})
                name = self._random.choice(list(self._users) if kind == "User" else groups)
                subject = {"kind": kind, "name": name, "apiGroup": GROUP}
            if subject not in subjects:
                subjects.append(subject)
        return subjects


def _matches_rule(rule, attributes):
    if attributes["verb"] not in rule["verbs"] and "*" not in rule["verbs"]:
        return False
    if "path" in attributes:
        return any(url == attributes["path"] or url.endswith("*") and attributes["path"].startswith(url.rstrip("*"))
                   for url in rule.get("nonResourceURLs", ()))
    resource, sub = attributes["resource"], attributes.get("subresource")
    wanted = {f"{resource}/{sub}", f"*/{sub}", "*"} if sub else {resource, "*"}
    return (bool({attributes["group"], "*"} & set(rule.get("apiGroups", ())))
            and bool(wanted & set(rule.get("resources", ())))
            and ("resourceNames" not in rule or attributes.get("name", "") in rule["resourceNames"]))


def applies(subject, user, groups):
    return {"User": subject["name"] == user, "Group": subject["name"] in groups,
            "ServiceAccount": user == f"system:serviceaccount:$ns:{subject['name']}"}[subject["kind"]]


def allowing(policy, user, groups, attributes):
    """How many bindings allow it, and how many name a role that is not there."""
    granted = absent = 0
    for namespaced, _, role, subjects in policy.bindings:
        if namespaced and attributes.get("namespace") != "$ns":
            continue
        if not any(applies(subject, user, groups) for subject in subjects):
            continue
        absent += role not in policy.roles
        granted += any(_matches_rule(rule, attributes) for rule in policy.roles.get(role, ()))
    return granted, absent


def objects(policy):
    for (namespaced, name), rules in policy.roles.items():
        path = f"{RBAC}/namespaces/$ns/roles" if namespaced else f"{RBAC}/clusterroles"
        yield f"role-{name}", path, {"metadata": {"name": name}, "rules": rules}
    for namespaced, name, (role_namespaced, role), subjects in policy.bindings:
        path = f"{RBAC}/namespaces/$ns/rolebindings" if namespaced else f"{RBAC}/clusterrolebindings"
        ref = {"apiGroup": GROUP, "kind": "Role" if role_namespaced else "ClusterRole", "name": role}
        yield f"binding-{name}", path, {"metadata": {"name": name}, "roleRef": ref, "subjects": subjects}


def questions(seed):
    rand, users = random.Random(f"questions {seed}"), users_of(seed)
    while True:
        user = rand.choice([*users, *(f"system:serviceaccount:$ns:{name}" for name in ACCOUNTS)])
        groups = users.get(user, ())
        if rand.random() < 0.1:
            yield user, groups, {"verb": rand.choice(("get", "put")), "path": rand.choice(PATHS)}
            continue
        group, resource = rand.choice(RESOURCES)
        attributes = {"verb": rand.choice(VERBS), "group": group, "resource": resource}
        for key, choices in (("subresource", SUBRESOURCES), ("name", NAMES), ("namespace", ("$ns", "$ns", "other", ""))):
            if value := rand.choice(choices):
                attributes[key] = value
        yield user, groups, attributes


def _review(user, groups, attributes):
    key = "nonResourceAttributes" if "path" in attributes else "resourceAttributes"
    return {"spec": {"user": user, "groups": list(groups), key: attributes}}


def send(name, method, path, body, headers=None):
    return scenarios.Step(name, method, path, {**dict([scenarios.USUAL_HEADER]), **(headers or {})}, json.dumps(body))


def first_steps(policy):
    """An administrator makes the roles and bindings."""
    steps = [send(name, "POST", path, body) for name, path, body in objects(policy)]
    steps[-1].settle = True  # until upstream's authorizer knows them all
    return steps


def last_steps(policy):
    """Bindings in the cluster count for other scenarios too."""
    return [scenarios.Step(f"remove-{name}", "DELETE", f"{RBAC}/clusterrolebindings/{name}")
            for namespaced, name, _, _ in policy.bindings if not namespaced]


def scenario(seed):
    policy = Policy(seed)
    steps = first_steps(policy)
    count = 0
    for user, groups, attributes in questions(seed):
        granted, absent = allowing(policy, user, groups, attributes)
        if granted > 1 or absent > 1:
            continue
        count += 1
        steps.append(send(f"review-{count}", "POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews",
                          _review(user, groups, attributes)))
        if count == REVIEWS:
            break
    return scenarios.Scenario(f"random/access/reviews/{seed}", [*steps, *last_steps(policy)])


def matrix(seeds):
    return [scenario(seed) for seed in seeds]
