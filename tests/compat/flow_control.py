#!/usr/bin/env python3
"""What flow control decides about the same stream of requests, on both servers.

    KUBE_APISERVER=path/to/kube-apiserver tests/compat/flow_control.py [--build DIR]

Compares which flow schema and priority level each request goes through (by the uids in the answers); which of them
execute, wait or are refused once a level's seats are taken, in which queue they wait, how many seats each is thought to
need and who is next (saturation.py); the dumps, and the names and labels of the metrics. Prints what differs, and ends
with 1 if something does. kube-apiserver needs an etcd in $PATH, or ETCD=.
"""

import argparse
import http.client
import json
import pathlib
import re
import ssl
import sys

from lib import asking, saturation, servers
import harness  # tests/integration, which lib.servers has made known

GROUP = "/apis/flowcontrol.apiserver.k8s.io/v1"
DUMPS = "/debug/api_priority_and_fairness"
LEASES = "/apis/coordination.k8s.io/v1/namespaces"
PODS = "/api/v1/namespaces/default/pods"

# Name -> who asks: a token of servers.TOKENS, or whom the administrator impersonates, with these groups.
USERS = {
    "admin": None,
    "ann": "ann-token",
    "node": "node-token",
    "nobody": "",
    "scheduler": ("system:kube-scheduler", ()),
    "controller-manager": ("system:kube-controller-manager", ()),
    "node by name": ("system:node:n7", ("system:nodes",)),
    "account": ("system:serviceaccount:default:a", ("system:serviceaccounts", "system:serviceaccounts:default")),
    "system account": ("system:serviceaccount:kube-system:a",
                       ("system:serviceaccounts", "system:serviceaccounts:kube-system")),
    "endpoint controller": ("system:serviceaccount:kube-system:endpoint-controller",
                            ("system:serviceaccounts", "system:serviceaccounts:kube-system")),
    "garbage collector": ("system:serviceaccount:kube-system:generic-garbage-collector",
                          ("system:serviceaccounts", "system:serviceaccounts:kube-system")),
    "team": ("tess", ("team",)),
    "robot": ("system:serviceaccount:robots:r2", ("system:serviceaccounts", "system:serviceaccounts:robots")),
}
REQUESTS = (
    ("GET", PODS),
    ("GET", PODS + "/none"),
    ("GET", PODS + "/none/log"),
    ("GET", PODS + "?watch=true&timeoutSeconds=1"),
    ("GET", PODS + "?limit=abc"),
    ("POST", PODS),
    ("PUT", PODS + "/none"),
    ("PATCH", PODS + "/none/status"),
    ("DELETE", PODS + "/none"),
    ("DELETE", "/api/v1/namespaces/none/pods"),
    ("GET", "/api/v1/pods"),
    ("GET", "/api/v1/nodes"),
    ("PATCH", "/api/v1/nodes/n1/status"),
    ("PUT", "/api/v1/nodes/n1"),
    ("GET", "/api/v1/namespaces/default"),
    ("GET", "/api/v1/namespaces/kube-system/secrets"),
    ("GET", "/api/v1/namespaces/kube-system/endpoints/none"),
    ("PUT", "/api/v1/namespaces/default/endpoints/none"),
    ("GET", LEASES + "/kube-system/leases/none"),
    ("PUT", LEASES + "/kube-system/leases/none"),
    ("PUT", LEASES + "/kube-node-lease/leases/n1"),
    ("PUT", LEASES + "/default/leases/none"),
    ("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"),
    ("GET", "/apis/apps/v1/namespaces/default/deployments/none/scale"),
    ("GET", "/apis/nothing.example.com/v1/things"),
    ("GET", "/api"), ("GET", "/apis"), ("GET", "/version"), ("GET", "/openapi/v2"),
    ("GET", "/healthz"), ("GET", "/livez"), ("GET", "/readyz"), ("GET", "/readyz/ping"), ("POST", "/readyz"),
    ("GET", "/metrics"), ("GET", "/nothing/here"), ("OPTIONS", "/nothing"),
)


def rule(subjects, *, resources=None, urls=None, verbs=("*",), groups=("*",), namespaces=(), cluster=False):
    made = {"subjects": subjects}
    if resources:
        made["resourceRules"] = [{"verbs": list(verbs), "apiGroups": list(groups), "resources": list(resources),
                                  "namespaces": list(namespaces), "clusterScope": cluster}]
    if urls:
        made["nonResourceRules"] = [{"verbs": list(verbs), "nonResourceURLs": list(urls)}]
    return made


def schema(name, precedence, level, method, *rules):
    return {"metadata": {"name": name},
            "spec": {"matchingPrecedence": precedence, "priorityLevelConfiguration": {"name": level},
                     **({"distinguisherMethod": {"type": method}} if method else {}), "rules": list(rules)}}


TEAM = [{"kind": "Group", "group": {"name": "team"}}]
ROBOTS = [{"kind": "ServiceAccount", "serviceAccount": {"namespace": "robots", "name": "*"}}]
EVERYBODY = [{"kind": "User", "user": {"name": "*"}}]
LEVELS = (
    {"metadata": {"name": "team"}, "spec": {"type": "Limited", "limited": {
        "nominalConcurrencyShares": 7, "lendablePercent": 13, "borrowingLimitPercent": 50,
        "limitResponse": {"type": "Queue", "queuing": {"queues": 9, "handSize": 3, "queueLengthLimit": 5}}}}},
    {"metadata": {"name": "robots"}, "spec": {"type": "Limited", "limited": {
        "nominalConcurrencyShares": 0, "limitResponse": {"type": "Reject"}}}},
    {"metadata": {"name": "plain"}, "spec": {"type": "Limited", "limited": {
        "nominalConcurrencyShares": 30, "lendablePercent": 50, "limitResponse": {"type": "Reject"}}}},
)
SCHEMAS = (
    schema("team-pods", 700, "team", "ByNamespace", rule(TEAM, resources=["pods", "pods/status"], verbs=["get", "list", "patch"],
                                                        groups=[""], namespaces=["default"])),
    schema("team-nodes", 700, "plain", "ByUser", rule(TEAM, resources=["nodes", "nodes/status"], groups=[""], cluster=True),
           rule(TEAM, urls=["/api", "/nothing/*"], verbs=["get"])),
    schema("a-dangling-one", 600, "no-such-level", None, rule(TEAM, resources=["*"], namespaces=["*"], cluster=True)),
    schema("robots", 690, "robots", "ByUser", rule(ROBOTS, resources=["leases"], namespaces=["*"])),
    schema("openapi", 650, "plain", None, rule(EVERYBODY, urls=["/openapi/v2"])),
)


# Two families that are there from the first wait on.
NOT_COMPARED = {f"family apiserver_flowcontrol_{name}" for name in ("current_inqueue_requests", "current_inqueue_seats")}


def ask(port, method, path, user, body=None):
    who = USERS[user]
    headers = {"Content-Type": "application/json" if method != "PATCH" else "application/merge-patch+json"}
    if isinstance(who, tuple):
        headers["Impersonate-User"] = who[0]
    token = who if isinstance(who, str) else servers.TOKEN
    if token:
        headers["Authorization"] = f"Bearer {token}"
    connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=60, context=ssl._create_unverified_context())
    try:
        connection.putrequest(method, path)
        text = json.dumps(body or {}).encode() if method in ("POST", "PUT", "PATCH") else b""
        for key, value in headers.items():
            connection.putheader(key, value)
        for group in who[1] if isinstance(who, tuple) else ():
            connection.putheader("Impersonate-Group", group)
        connection.putheader("Content-Length", str(len(text)))
        connection.endheaders(text)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()
    finally:
        connection.close()


def names(port, collection):
    _, _, text = ask(port, "GET", f"{GROUP}/{collection}", "admin")
    return {o["metadata"]["uid"]: o["metadata"]["name"] for o in json.loads(text)["items"]}


def decisions(port, phase):
    """Name -> (status, flow schema, priority level)."""
    schemas, levels = names(port, "flowschemas"), names(port, "prioritylevelconfigurations")
    found = {}
    for user in USERS:
        for method, path in REQUESTS:
            status, headers, _ = ask(port, method, path, user)
            uids = headers["X-Kubernetes-PF-FlowSchema-UID"], headers["X-Kubernetes-PF-PriorityLevel-UID"]
            found[f"{phase}: {user} {method} {path}"] = (
                status, uids[0] and schemas.get(uids[0], "?"), uids[1] and levels.get(uids[1], "?"))
    return found


def metrics(text):
    """The families of flow control: name -> type and label names. Also the values that configuration decides."""
    families, values = {}, {}
    for line in text.splitlines():
        if typed := re.match(r"# TYPE (apiserver_flowcontrol_\w+) (\w+)", line):
            families.setdefault(typed[1], [typed[2], []])
        if series := re.match(r"(apiserver_flowcontrol_\w+?)(?:_bucket|_sum|_count)?\{([^}]*)\} (\S+)", line):
            labels = sorted(set(re.findall(r'(\w+)="', series[2])) - {"le"})
            if series[1] in families:
                families[series[1]][1] = labels
            if re.search(r"(nominal|lower|upper)_limit_seats$", series[1]):
                values[line.rpartition(" ")[0]] = series[3]
    return families, values


def facts(port):
    found = {}
    for dump in ("dump_priority_levels", "dump_queues", "dump_requests", "dump_requests?includeRequestDetails=1"):
        status, headers, text = ask(port, "GET", f"{DUMPS}/{dump}", "admin")
        rows = [[cell.strip() for cell in line.split(",")] for line in text.splitlines()]
        found[dump + " head"] = status, headers["Content-Type"], [re.sub(r" +", " ", text.splitlines()[0])]
        if dump == "dump_priority_levels":
            found[dump] = [(row[0], *row[2:4]) for row in rows[1:]]
            found[dump + " widths"] = [[len(cell) for cell in line.split(",")[:5]] for line in text.splitlines()]
        elif dump == "dump_queues":
            found[dump] = sorted((row[0], int(row[1])) for row in rows[1:])
        else:  # the request itself is there
            found[dump] = [[re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "TIME", cell) for cell in row] for row in rows[1:]]
    status, _, _ = ask(port, "GET", f"{DUMPS}/dump_queues", "ann")
    found["dumps are not for all"] = status
    families, values = metrics(ask(port, "GET", "/metrics", "admin")[2])
    found.update({f"family {name}": family for name, family in families.items()})
    found.update({f"value {name}": value for name, value in values.items()})
    return found


def answers(port):
    saturation.prepare(port)  # kube-apiserver takes a minute to know how large the objects are
    found = decisions(port, "bootstrap")
    for collection, objects in (("prioritylevelconfigurations", LEVELS), ("flowschemas", SCHEMAS)):
        for one in objects:
            status, _, text = ask(port, "POST", f"{GROUP}/{collection}", "admin", one)
            assert status == 201, text

    def counts():
        status, headers, _ = ask(port, "GET", "/openapi/v2", "ann")
        return names(port, "flowschemas").get(headers["X-Kubernetes-PF-FlowSchema-UID"]) == "openapi"
    harness.wait_until(counts, "the new objects to count")
    found.update(decisions(port, "more"))
    found.update(facts(port))
    found.update(saturation.answers(port))
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=str(servers.ROOT / "build"))
    options = parser.parse_args()
    with servers.Upstream(servers.upstream_binary(options.build)) as upstream:
        theirs = answers(upstream.port)
    with servers.Keelson(pathlib.Path(options.build) / "keelson") as keelson:
        ours = answers(keelson.port)
    for name in theirs.keys() - ours.keys():
        ours[name] = None
    return asking.compare({name: answer for name, answer in theirs.items() if name not in NOT_COMPARED}, ours)


if __name__ == "__main__":
    sys.exit(main())
