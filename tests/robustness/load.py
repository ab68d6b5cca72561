"""Clients at work on a server, or on several behind one address: they write, read and watch, and keep a history of it."""

import dataclasses
import http.client
import json
import pathlib
import random
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "integration"))

import harness  # noqa: E402  (the folder is only known now)
from history import Event, History, Relist, check  # noqa: E402

KEYS = [f"key-{i}" for i in range(6)]
WRITERS = 3
HEADERS = {"Content-Type": "application/json"}
LOST = (OSError, http.client.HTTPException, ValueError)
PATIENCE = 120  # seconds without any answer after which a client gives up


@dataclasses.dataclass(frozen=True)
class Target:
    """A resource that is written, and the field of its objects that tells one write from another."""
    path: str
    api_version: str
    kind: str
    field: tuple  # of two names
    keys: tuple = tuple(KEYS)
    only_versioned: bool = False  # an update must say of which version

    def body(self, key, value):
        outer, inner = self.field
        return {"apiVersion": self.api_version, "kind": self.kind, "metadata": {"name": key}, outer: {inner: value}}

    def value(self, obj):
        outer, inner = self.field
        return obj[outer][inner]


CONFIG_MAPS = Target("/api/v1/namespaces/default/configmaps", "v1", "ConfigMap", ("data", "value"))


def any_server_error(status, _headers, _text):
    return status >= 500


class Client:
    """One connection, made again when it is lost. None: no answer, or one that leaves the outcome open.

    `open_outcome` says of a status, headers and the body whether they do; `trouble` is told of every attempt that came to nothing.
    """

    def __init__(self, server, open_outcome=any_server_error, trouble=lambda what: None):
        self._server, self._connection = server, None
        self._open_outcome, self._trouble = open_outcome, trouble

    def ask(self, method, path, body=None, timeout=10, headers=None):
        try:
            if self._connection is None:
                self._connection = self._server.connect(timeout=timeout)
            self._connection.request(method, path, json.dumps(body) if body is not None else None, headers or HEADERS)
            response = self._connection.getresponse()
            text = response.read()
            status = response.status
            if status == 429:
                self._trouble("429")
                return status, None
            if self._open_outcome(status, response.headers, text):
                self._trouble(str(status))
                return None, None
            return status, json.loads(text)
        except LOST as error:
            self._trouble(type(error).__name__)
            self.close()
            return None, None

    def close(self):
        if self._connection is not None:
            self._connection.close()
            self._connection = None


class Worker(threading.Thread):
    """Writes and reads at random until it is stopped."""

    KINDS = ["create", "update", "update", "delete", "get", "get"]

    def __init__(self, number, client, history, stop, target=CONFIG_MAPS):
        super().__init__(daemon=True)
        self.random, self.client, self.target = random.Random(number), client, target
        self.history, self._stop_asked = history, stop
        self._answered = time.monotonic()
        self.acknowledged = 0
        self.failure = None
        self.pause = 0  # seconds between two steps

    def run(self):
        try:
            while not self._stop_asked.is_set():
                self.run_step()
                if self.pause:
                    self._stop_asked.wait(self.pause)
        except Exception as error:  # the test reports it
            self.failure = error
        self.client.close()

    def run_step(self):
        self.step(self.random.choice(self.target.keys), self.random.choice(self.KINDS))

    def step(self, key, kind):
        value = self.history.new_value() if kind in ("create", "update") else None
        operation = self.history.begin(kind, key, value)
        status, answer = self.ask(kind, key, value)
        if self.answered(status):
            self.judge(operation, status, answer)

    def ask(self, kind, key, value):
        path = f"{self.target.path}/{key}"
        if kind == "create":
            return self.client.ask("POST", self.target.path, self.target.body(key, value))
        if kind == "update":
            return self.client.ask("PUT", path, self.target.body(key, value))
        return self.client.ask("DELETE" if kind == "delete" else "GET", path)

    def answered(self, status):
        """Waits a little when there is no answer; there must be one in the end."""
        now = time.monotonic()
        if status is None or status == 429:
            assert now - self._answered < PATIENCE, f"nothing was answered for {PATIENCE} s"
            time.sleep(0.02)
        else:
            self._answered = now
        return status is not None

    def judge(self, operation, status, answer):
        operation.returned = time.monotonic()
        self.acknowledged += status != 429
        if status in (200, 201):
            operation.outcome = "ok"
            if operation.kind == "delete":
                operation.uid = answer["details"]["uid"]
            else:
                operation.revision = int(answer["metadata"]["resourceVersion"])
            if operation.kind == "get":
                operation.value = self.target.value(answer)
        elif operation.kind == "get" and status == 404:
            operation.outcome = "ok"
        elif status in (404, 409, 429):
            operation.outcome = "failed"
        else:
            raise AssertionError(f"{operation.kind} {operation.key}: {status} {answer}")


class Follower(threading.Thread):
    """Lists and watches, resuming where it was whenever the watch ends."""

    def __init__(self, server, log, stop, key=None, target=CONFIG_MAPS, make_client=Client, trouble=lambda what: None):
        super().__init__(daemon=True)
        self._server, self._log, self._stop_asked, self._target = server, log, stop, target
        self._make_client, self._trouble = make_client, trouble
        self._query = f"&fieldSelector=metadata.name%3D{key}" if key else ""
        self.relists = self.resumed = 0
        self.failure = None

    @property
    def position(self):
        return self._log.position

    def run(self):
        revision = None
        try:
            while not self._stop_asked.is_set():
                revision = self._list() if revision is None else self._watch(revision)
        except Exception as error:  # the test reports it
            self.failure = error

    def _list(self):
        client = self._make_client(self._server)
        status, answer = client.ask("GET", f"{self._target.path}?{self._query}")
        client.close()
        if status != 200:
            time.sleep(0.02)
            return None
        self.relists += 1
        revision = int(answer["metadata"]["resourceVersion"])
        state = tuple((o["metadata"]["name"], int(o["metadata"]["resourceVersion"]), self._target.value(o), o["metadata"]["uid"])
                      for o in answer["items"] if o["metadata"]["name"] in self._target.keys)
        self._log.entries.append(Relist(revision, state))
        self._log.position = revision
        return revision

    def _watch(self, revision):
        """The revision to go on from; None: list again."""
        connection = self._server.connect(timeout=5)
        try:
            connection.request("GET", f"{self._target.path}?watch=1&allowWatchBookmarks=true&timeoutSeconds=60"
                                      f"&resourceVersion={revision}{self._query}")
            response = connection.getresponse()
            if response.status != 200:
                self._trouble(f"watch {response.status}")
                time.sleep(0.02)
                return revision
            self.resumed += 1
            while not self._stop_asked.is_set() and (line := response.readline()):
                event = json.loads(line)
                if event["type"] == "ERROR":
                    self._trouble(f"watch ended with {event['object']['code']}")
                    return None if event["object"]["code"] == 410 else revision
                revision = self._take(event)
        except LOST:
            time.sleep(0.02)
        finally:
            connection.close()
        return revision

    def _take(self, event):
        meta = event["object"]["metadata"]
        revision = int(meta["resourceVersion"])
        if event["type"] != "BOOKMARK" and meta["name"] in self._target.keys:
            self._log.entries.append(Event(revision, event["type"], meta["name"], self._target.value(event["object"]), meta["uid"]))
        self._log.position = max(self._log.position, revision)
        return revision


class Load:
    """Clients at work on one resource of a server."""

    def __init__(self, server):
        self.history, self._stop_asked = History(), threading.Event()
        self.workers = [Worker(i, Client(server), self.history, self._stop_asked) for i in range(WRITERS)]
        self.followers = [Follower(server, self.history.watcher(f"watcher {i}"), self._stop_asked) for i in range(2)]
        self.followers.append(Follower(server, self.history.watcher("watcher of one", frozenset(KEYS[:1])),
                                       self._stop_asked, KEYS[0]))

    def __enter__(self):
        for thread in (*self.followers, *self.workers):
            thread.start()
        return self

    def __exit__(self, *_):
        self._stop_asked.set()
        for thread in (*self.followers, *self.workers):
            thread.join(timeout=60)

    def some(self, count=60):
        """Waits until so many more operations were answered."""
        before = sum(worker.acknowledged for worker in self.workers)
        harness.wait_until(lambda: self.failed() or sum(w.acknowledged for w in self.workers) >= before + count,
                           f"{count} answers", seconds=120)

    def failed(self):
        return next((t.failure for t in (*self.workers, *self.followers) if t.failure), None)

    def problems(self):
        if failure := self.failed():
            return [f"a client failed: {failure!r}"]
        return check(self.history)
