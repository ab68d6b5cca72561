"""Objects for the steps of scale.py that delete: one owner and its dependents, in a namespace of their own."""

import json
import os
import pathlib
import threading
import time

NAMESPACE = "/api/v1/namespaces/many"
CONFIG_MAPS = NAMESPACE + "/configmaps"
OWNER = NAMESPACE + "/replicationcontrollers/owner"
CLIENTS = 8
JSON = {"Content-Type": "application/json"}


def create(server, count):
    """The namespace, a replication controller without pods, and `count` configmaps that it owns."""
    post(server, "/api/v1/namespaces", {"metadata": {"name": "many"}})
    owner = post(server, NAMESPACE + "/replicationcontrollers",
                 {"metadata": {"name": "owner"},
                  "spec": {"replicas": 0, "selector": {"a": "b"},
                           "template": {"metadata": {"labels": {"a": "b"}},
                                        "spec": {"containers": [{"name": "c", "image": "c"}]}}}})
    reference = {"apiVersion": "v1", "kind": "ReplicationController", "name": "owner", "uid": owner["metadata"]["uid"],
                 "controller": True, "blockOwnerDeletion": True}
    numbers, lock, failures = iter(range(count)), threading.Lock(), []

    def work():
        connection = server.connect(timeout=60)
        while not failures:
            with lock:
                number = next(numbers, None)
            if number is None:
                break
            body = {"metadata": {"name": f"dependent-{number:06d}", "ownerReferences": [reference], "labels": {"part": str(number % 100)}},
                    "data": {"key": "v" * 512}}
            connection.request("POST", CONFIG_MAPS, json.dumps(body), JSON)
            response = connection.getresponse()
            answer = response.read()
            if response.status != 201:
                failures.append(answer)
        connection.close()
    clients = [threading.Thread(target=work) for _ in range(CLIENTS)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    if failures:
        raise SystemExit(f"error: cannot create: {failures[0][:500]!r}")


def post(server, path, body):
    connection = server.connect(timeout=60)
    connection.request("POST", path, json.dumps(body), JSON)
    response = connection.getresponse()
    answer = response.read()
    connection.close()
    if response.status != 201:
        raise SystemExit(f"error: POST {path}: {response.status} {answer[:500]!r}")
    return json.loads(answer)


def delete(server, path, options):
    connection = server.connect(timeout=600)
    connection.request("DELETE", path, json.dumps({"apiVersion": "v1", "kind": "DeleteOptions", **options}), JSON)
    response = connection.getresponse()
    while data := response.read(1 << 20):
        last = data
    connection.close()
    if response.status not in (200, 202):
        raise SystemExit(f"error: DELETE {path}: {response.status} {last[:500]!r}")


def none_left(server):
    return not server.get(CONFIG_MAPS + "?limit=1").json()["items"]


def nobody_left(server):
    return none_left(server) and server.get(OWNER).status == 404


def wait_until(condition, what, seconds=600):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise SystemExit(f"error: not within {seconds} s: {what}")
        time.sleep(0.02)


def settle(server):
    """Until the server has done what it does after a start."""
    busy = [cpu_seconds(server.process.pid)]

    def idle():
        time.sleep(0.3)
        busy.append(cpu_seconds(server.process.pid))
        return busy[-1] - busy[-2] < 0.03
    wait_until(idle, "the server is idle")


def cpu_seconds(pid):
    """What the process has used, in user and kernel mode."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
