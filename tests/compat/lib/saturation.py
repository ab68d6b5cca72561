"""A priority level whose seats are all taken, and what becomes of the requests that come then.

A POST whose body does not come holds its seats on both servers, for as long as it likes: that makes a stream of
requests whose decisions do not depend on time. They are seen in the dumps of /debug/api_priority_and_fairness.
"""

import contextlib
import json
import re
import socket
import ssl

from lib import servers
from lib.asking import Asking
import harness

GROUP = "/apis/flowcontrol.apiserver.k8s.io/v1"
DUMPS = "/debug/api_priority_and_fairness"
CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
QUEUE_LENGTH = 4
OBJECTS, OBJECT_BYTES = 35, 10_000  # 350 kB: four seats, and well away from three and five

LEVELS = (
    {"metadata": {"name": "held"}, "spec": {"type": "Limited", "limited": {
        "nominalConcurrencyShares": 15, "lendablePercent": 0, "borrowingLimitPercent": 0, "limitResponse": {
            "type": "Queue", "queuing": {"queues": 32, "handSize": 1, "queueLengthLimit": QUEUE_LENGTH}}}}},
    {"metadata": {"name": "unqueued"}, "spec": {"type": "Limited", "limited": {
        "nominalConcurrencyShares": 1, "lendablePercent": 0, "borrowingLimitPercent": 0,
        "limitResponse": {"type": "Reject"}}}},
)
# How lists are asked for, to see the seats they are thought to need.
LISTS = ("", "?limit=1", "?limit=12", "?limit=26", "?limit=500", "?resourceVersion=0", "?resourceVersion=0&limit=12",
         "?labelSelector=a%3Db", "?limit=12&labelSelector=a%3Db", "?limit=12&resourceVersion=0&labelSelector=a%3Db",
         "?fieldSelector=metadata.name%3Da", "?limit=x", "?resourceVersionMatch=NotOlderThan&resourceVersion=1&limit=12",
         "?resourceVersionMatch=Exact&resourceVersion=1", "?watch=true", "?watch=true&resourceVersion=0",
         "?watch=true&resourceVersion=1", "/one")


def schema(level):
    return {"metadata": {"name": level}, "spec": {
        "matchingPrecedence": 300, "priorityLevelConfiguration": {"name": level}, "distinguisherMethod": {"type": "ByUser"},
        "rules": [{"subjects": [{"kind": "Group", "group": {"name": level}}], "resourceRules": [
            {"verbs": ["*"], "apiGroups": [""], "resources": ["configmaps"], "namespaces": ["*"], "clusterScope": True}]}]}}


class Raw:
    """One request on a connection of its own, which may be left unfinished."""

    def __init__(self, port, user, group, method, path, body=None):
        self._body = json.dumps(body).encode() if body else b""
        self._socket = ssl._create_unverified_context().wrap_socket(socket.create_connection(("127.0.0.1", port), timeout=60))
        self._socket.sendall((f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {servers.TOKEN}\r\n"
                              f"Impersonate-User: {user}\r\nImpersonate-Group: {group}\r\nConnection: close\r\n"
                              f"Content-Type: application/json\r\nContent-Length: {len(self._body)}\r\n\r\n").encode())

    def finish(self):
        self._socket.sendall(self._body)
        return self.status()

    def status(self):
        head = b""
        while b"\r\n" not in head:
            if not (piece := self._socket.recv(4096)):
                return None
            head += piece
        return int(head.split()[1])

    def close(self):
        self._socket.close()


def hanging(port, user, group):
    """A create that has its seats until it is finished."""
    return Raw(port, user, group, "POST", CONFIG_MAPS, {"metadata": {"generateName": "held-"}})


def rows(port, dump):
    """The dump's rows by the names of its columns."""
    status, text = Asking(port).admin("GET", f"{DUMPS}/{dump}")
    assert status == 200, text
    head, *lines = [[cell.strip() for cell in line.split(",")] for line in text.splitlines()]
    return [dict(zip(head, line)) for line in lines]


def state(port, level):
    row, = (row for row in rows(port, "dump_priority_levels") if row["PriorityLevelName"] == level)
    return {name: int(row[name]) for name in ("ExecutingRequests", "WaitingRequests", "RejectedRequests")}


def waiting(port, level):
    """Those that wait: user, queue, position in it, seats."""
    found = [row for row in rows(port, "dump_requests?includeRequestDetails=1") if row["PriorityLevelName"] == level]
    return sorted((row["UserName"], row["QueueIndex"], row["RequestIndexInQueue"], row["InitialSeats"], row["FinalSeats"])
                  for row in found if row["StartTime"].startswith("0001"))


def reached(port, level, **counts):
    def is_so():
        now = state(port, level)
        return all(now[name] == count for name, count in counts.items())
    harness.wait_until(is_so, f"{level}: {counts}, not {state(port, level)}")


def prepare(port):
    ask = Asking(port).admin
    objects = [(CONFIG_MAPS, {"metadata": {"name": f"large-{i}"}, "data": {"a": "x" * OBJECT_BYTES}}) for i in range(OBJECTS)]
    objects += [(f"{GROUP}/prioritylevelconfigurations", level) for level in LEVELS]
    objects += [(f"{GROUP}/flowschemas", schema(level["metadata"]["name"])) for level in LEVELS]
    for level in LEVELS:
        name = level["metadata"]["name"]
        objects.append(("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
            "metadata": {"name": name},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": name}]}))
    for path, body in objects:
        status, answer = ask("POST", path, body)
        assert status == 201, answer


def seats_of(port, level):
    _, text = Asking(port).admin("GET", "/metrics")
    found = re.search(rf'^apiserver_flowcontrol_nominal_limit_seats{{priority_level="{level}"}} (\d+)', text, re.MULTILINE)
    return int(found[1])


@contextlib.contextmanager
def full(port, level):
    """All seats of the level are taken, by one user. Gives the requests that have them."""
    requests = [hanging(port, "hog", level) for _ in range(seats_of(port, level))]
    try:
        reached(port, level, ExecutingRequests=len(requests), WaitingRequests=0)
        yield requests
    finally:
        for request in requests:
            request.close()
        reached(port, level, ExecutingRequests=0, WaitingRequests=0)


def arrive(port, level, users):
    """What becomes of each of these creates, in that order, and those of them that wait."""
    decided, waits = [], []
    for user in users:
        before = state(port, level)
        request = hanging(port, user, level)

        def is_decided(before=before):
            now = state(port, level)
            return now["WaitingRequests"] > before["WaitingRequests"] or now["RejectedRequests"] > before["RejectedRequests"]
        harness.wait_until(is_decided, "a decision")
        if state(port, level)["WaitingRequests"] > before["WaitingRequests"]:
            decided.append((user, "waits"))
            waits.append((user, request))
        else:
            decided.append((user, request.status()))
            request.close()
    return decided, waits


def list_seats(port, query):
    """The seats that a list which waits is thought to need."""
    request = Raw(port, "lister", "held", "GET", CONFIG_MAPS + query)
    try:
        found = []

        def is_there():
            found[:] = [row for row in waiting(port, "held") if row[0] == "lister"]
            return found
        harness.wait_until(is_there, f"the list {query} waits")
        return found[0][3:]
    finally:
        request.close()
        harness.wait_until(lambda: not any(row[0] == "lister" for row in waiting(port, "held")), "the list has left")


def knows_sizes(port):
    with full(port, "held"):
        return list_seats(port, "")[0] != "1"


def answers(port):
    found = {f"seats of {level['metadata']['name']}": seats_of(port, level["metadata"]["name"]) for level in LEVELS}
    with full(port, "unqueued") as holders:
        request = hanging(port, "small", "unqueued")
        found["unqueued: one more"] = request.status()
        request.close()
        found["unqueued: those with seats"] = [holder.finish() for holder in holders]
    # kube-apiserver looks at sizes once a minute, and gives up a request after one.
    harness.wait_until(lambda: knows_sizes(port), "the sizes of objects are known", seconds=150)
    with full(port, "held") as holders:
        for query in LISTS:
            found[f"held: seats of a list: {query}"] = list_seats(port, query)
        decided, waits = arrive(port, "held", ["hog"] * (QUEUE_LENGTH + 2) + ["small", "other", "hog", "small"])
        found["held: decisions"] = decided
        found["held: who waits where"] = waiting(port, "held")
        left = len(waits)
        for turn in range(3):  # one seat after the other becomes free
            found[f"held: the holder's answer {turn}"] = holders.pop().finish()
            left -= 1
            reached(port, "held", WaitingRequests=left)
            found[f"held: who still waits {turn}"] = [row[:2] for row in waiting(port, "held")]
        statuses = [holder.finish() for holder in holders] + [request.finish() for _, request in waits]
        found["held: all others' answers"] = statuses
        for _, request in waits:
            request.close()
        holders.clear()
    return found
