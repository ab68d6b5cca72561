"""Roles and bindings that others than administrators write: who may grant what to whom.

A seed makes users who may write roles and bindings, some of them with `escalate` or `bind` on some names, and who
hold random rules themselves. They then create, replace and patch roles, aggregated ones too, and bindings to roles
that they hold, hold in part, or that are absent. Everything they write is a dry run: what a user may grant depends
on nothing that another granted.
"""

import random

from generate import access
from generate import requests
from lib import scenario as scenarios

RECORDED = range(1, 3)  # the seeds whose answers are stored
LIVE = 30               # more of them are compared by `make diff`
WRITES = 100            # of each

WRITING = ["create", "update", "patch", "get"]
RESOURCES = ("roles", "rolebindings", "clusterroles", "clusterrolebindings")


class _Grants(access.Policy):
    """A policy by which each user may write roles and bindings, in the namespace or in the cluster."""

    def __init__(self, own_name):
        super().__init__(own_name)
        self.users = self._users
        for i, user in enumerate(self.users):
            in_cluster = self._random.random() < 0.5
            key = (not in_cluster, f"{own_name}-writer-{i}" if in_cluster else f"writer-{i}")
            self.roles[key] = self._writer()
            subject = {"kind": "User", "name": user, "apiGroup": access.GROUP}
            self.bindings.append((not in_cluster, key[1], key, [subject]))

    def _writer(self):
        rules = [{"verbs": WRITING, "apiGroups": [access.GROUP], "resources": list(RESOURCES)}]
        for verb in ("bind", "escalate"):
            if self._random.random() < 0.35:
                rule = {"verbs": [verb], "apiGroups": [access.GROUP], "resources": self._some(RESOURCES[::2], 2)}
                if self._random.random() < 0.6:
                    rule["resourceNames"] = self._some([name for _, name in self.roles], 2)
                rules.append(rule)
        if self._random.random() < 0.1:
            rules.append({"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]})
        return rules

    # --- what is written ---

    def write(self, name, user):
        rand, headers = self._random, requests.acting_as(user, self.users[user])
        namespaced = rand.random() < 0.5
        kind = rand.choice(("role", "role", "binding"))
        if kind == "binding":
            return self._write_binding(name, headers, namespaced)
        path = f"{access.RBAC}/namespaces/$ns/roles" if namespaced else f"{access.RBAC}/clusterroles"
        there = rand.choice([role for in_namespace, role in self.roles if in_namespace == namespaced])
        rules = self._granted(namespaced)
        body = {"rules": rules}
        if not namespaced and rand.random() < 0.2:
            body["aggregationRule"] = {"clusterRoleSelectors": [{"matchLabels": {"none": "such"}}]}
        return self._send(name, path, there, body, headers)

    def _granted(self, namespaced):
        """Often what a role of the policy grants, or less than that, so that somebody holds it."""
        roles = [rules for (in_namespace, _), rules in self.roles.items() if in_namespace or not namespaced]
        rules = [dict(rule) for rule in self._random.choice(roles) if not (namespaced and "nonResourceURLs" in rule)]
        if self._random.random() < 0.3:
            rules += self._rules(paths=not namespaced)
        for rule in rules:
            for key in ("verbs", "resources", "nonResourceURLs"):
                if key in rule and self._random.random() < 0.4:
                    rule[key] = self._some(rule[key], len(rule[key]))
            if "resources" in rule and self._random.random() < 0.2:
                rule["resourceNames"] = self._some(("a", "b", "c"), 2)
        return rules

    def _write_binding(self, name, headers, namespaced):
        rand = self._random
        path = f"{access.RBAC}/namespaces/$ns/rolebindings" if namespaced else f"{access.RBAC}/clusterrolebindings"
        there = rand.choice([one for in_namespace, one, _, _ in self.bindings if in_namespace == namespaced])
        choices = [*self.roles, (False, "view"), (False, "cluster-admin"), (True, "absent"), (False, "absent")]
        in_namespace, role = rand.choice([key for key in choices if namespaced or not key[0]])
        ref = {"apiGroup": access.GROUP, "kind": "Role" if in_namespace else "ClusterRole", "name": role}
        return self._send(name, path, there, {"roleRef": ref, "subjects": self._subjects()}, headers)

    def _send(self, name, path, there, body, headers):
        how = self._random.choice(("create", "create", "update", "put", "patch", "apply"))
        if how == "create":
            return access.send(name, "POST", path + "?dryRun=All", {"metadata": {"name": "new"}, **body}, headers)
        target = "new" if how in ("put", "apply") else there  # these may make it
        url = f"{path}/{target}?dryRun=All"
        if how == "patch":
            if "roleRef" in body:
                del body["roleRef"]  # it cannot be changed
            return access.send(name, "PATCH", url, body, {**headers, "Content-Type": "application/merge-patch+json"})
        body = {"metadata": {"name": target}, **body}
        if how == "apply":
            kind = {"roles": "Role", "clusterroles": "ClusterRole", "rolebindings": "RoleBinding",
                    "clusterrolebindings": "ClusterRoleBinding"}[path.rsplit("/", 1)[1]]
            body = {"apiVersion": f"{access.GROUP}/v1", "kind": kind, **body}
            return access.send(name, "PATCH", url + "&fieldManager=compat&force=true", body,
                               {**headers, "Content-Type": "application/apply-patch+yaml"})
        return access.send(name, "PUT", url, body, headers)


def _errors_in_one_order(policy, user):
    """More than one absent role makes upstream list the errors in any order."""
    _, absent = access.allowing(policy, user, policy.users[user], {"verb": "get", "path": "/", "namespace": "$ns"})
    return absent <= 1


def scenario(seed):
    policy = _Grants(f"grants-{seed}")
    steps = access.first_steps(policy)
    users = [user for user in policy.users if _errors_in_one_order(policy, user)]
    rand = random.Random(f"grants {seed}")
    writes = [policy.write(f"write-{i + 1}", rand.choice(users)) for i in range(WRITES)] if users else []
    return scenarios.Scenario(f"random/access/grants/{seed}", [*steps, *writes, *access.last_steps(policy)])


def matrix(seeds):
    return [scenario(seed) for seed in seeds]
