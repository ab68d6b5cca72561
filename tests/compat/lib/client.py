"""Sends the steps of scenarios to one server over connections that are kept open."""

import http.client
import json
import socket
import ssl
import sys
import time

from lib import scenario as scenarios

USER_AGENT = "compat"  # becomes the field manager's name
REQUEST_SECONDS = 30   # longest silence before an answer counts as missing
WATCH_SECONDS = 30     # longest silence on a watch; under a sanitizer rules that use up their budget take 10
SETTLE_SECONDS = 0.4   # an object is at rest when its revision has not changed for this long
UNTIL_LIMIT = 20  # seconds, for what a server learns some time after it was told
SETTLE_LIMIT = 8


class Answer:
    """What came back; status 0 when nothing did.

    `events` holds the lines of a watch that succeeded, `body` everything else.
    """

    def __init__(self, status, headers, body, events=None):
        self.status, self.headers, self.body, self.events = status, headers, body, events


class Client:
    """One user's connection to one server; not for use by two threads."""

    def __init__(self, host, port, token):
        self._host, self._port, self._token = host, port, token
        self._tls = ssl.create_default_context()
        self._tls.check_hostname = False  # both servers make their own certificates
        self._tls.verify_mode = ssl.CERT_NONE
        self._connection = None

    def close(self):
        if self._connection:
            self._connection.close()
            self._connection = None

    def _connect(self):
        connection = http.client.HTTPSConnection(self._host, self._port, timeout=REQUEST_SECONDS, context=self._tls)
        connection.connect()
        connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def _start(self, connection, method, path, headers, body):
        headers = {"User-Agent": USER_AGENT, "Authorization": f"Bearer {self._token}", **headers}
        # A header that is set to "-" is left out, to ask without it.
        headers = {name: value for name, value in headers.items() if value != "-"}
        connection.putrequest(method, path, skip_accept_encoding=True)
        for name, value in headers.items():
            for one in value if isinstance(value, list) else [value]:
                connection.putheader(name, one)
        if body is not None or method in ("POST", "PUT", "PATCH"):
            connection.putheader("Content-Length", str(len(body or b"")))
        connection.endheaders(body)
        return connection.getresponse()

    def request(self, method, path, headers=None, body=None):
        if isinstance(body, str):
            body = body.encode()
        for attempt in (0, 1):
            fresh = self._connection is None
            try:
                self._connection = self._connection or self._connect()
                response = self._start(self._connection, method, path, headers or {}, body)
                answer = Answer(response.status, response.headers, response.read())
                if response.will_close:
                    self.close()
                return answer
            except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
                # The server may end an idle connection while a request is on its way.
                self.close()
                if fresh or attempt:
                    raise

    def watch(self, path, headers, count):
        """Reads `count` events, or fewer when the server ends the stream."""
        connection = self._connect()
        try:
            connection.sock.settimeout(WATCH_SECONDS)
            response = self._start(connection, "GET", path, headers, None)
            if response.status != 200:
                return Answer(response.status, response.headers, response.read())
            events = []
            try:
                while len(events) < count and (line := response.readline()):
                    events.append(line)
            except TimeoutError:
                events.append(b'{"type": "(silence)"}')
            except http.client.IncompleteRead:
                events.append(b'{"type": "(cut off)"}')
            return Answer(response.status, response.headers, b"", events)
        finally:
            connection.close()

    def run(self, scenario):
        """The answers to a scenario's steps, in their order."""
        variables = {"ns": scenario.namespace}
        if scenario.needs_namespace():
            made = self._answer_of(lambda: self.request(
                "POST", "/api/v1/namespaces", {"Content-Type": "application/json"},
                json.dumps({"metadata": {"name": scenario.namespace}})))
            if made.status != 201:
                # The steps that need it will tell.
                print(f"{scenario.id}: cannot make its namespace: {made.status} {made.body!r}", file=sys.stderr)
        return [self._run_step(scenario, step, variables) for step in scenario.steps]

    def _answer_of(self, ask):
        """An answer in any case: a server that gives none must not end the run."""
        try:
            return ask()
        except (OSError, http.client.HTTPException) as error:
            self.close()
            return Answer(0, http.client.HTTPMessage(), f"no answer: {type(error).__name__}".encode())

    def _run_step(self, scenario, step, variables):
        path = scenarios.substitute(step.path, variables)
        headers = {name: _substituted(value, variables) for name, value in step.headers.items()}
        if step.events is not None:
            return self._answer_of(lambda: self.watch(path, headers, step.events))
        body = scenario.body_of(step)
        if body is not None:
            raw = variables.get(body[1:]) if body.startswith("$") else None
            body = raw if isinstance(raw, bytes) else scenarios.substitute(body, variables).encode()
        answer = self._answer_of(lambda: self.request(step.method, path, headers, body))
        limit = time.monotonic() + UNTIL_LIMIT
        while step.until and answer.status != step.until and time.monotonic() < limit:
            time.sleep(0.1)
            answer = self._answer_of(lambda: self.request(step.method, path, headers, body))
        for name, where in step.captures.items():
            value = capture(answer, where)
            if value is not None:
                variables[name] = value
        if step.settle == scenarios.CACHED:
            self.wait_for_cache(scenarios.substitute(scenario.at, variables), answer)
        elif step.settle and 200 <= answer.status < 300:
            path = path.partition("?")[0]
            self.settle(path if step.method != "POST" else path + "/" + json.loads(answer.body)["metadata"]["name"])
        return answer

    def wait_for_cache(self, collection, answer):
        """Waits until the server's cache has what was written: a write that begins with an older object is tried
        again, and warns of both."""
        if version := capture(answer, "metadata/resourceVersion"):
            self.request("GET", f"{collection}?limit=1&resourceVersion={version}&resourceVersionMatch=NotOlderThan")

    def settle(self, path):
        """Waits for controllers inside the server that write to an object some time after a client did."""
        last, since, limit = None, time.monotonic(), time.monotonic() + SETTLE_LIMIT
        while time.monotonic() < limit:
            body = self.request("GET", path).body
            now = time.monotonic()
            if body != last:
                last, since = body, now
            elif now - since > SETTLE_SECONDS:
                return
            time.sleep(0.03)


def _substituted(value, variables):
    """A header's value; a list is a header that is sent several times."""
    if isinstance(value, list):
        return [scenarios.substitute(one, variables) for one in value]
    return scenarios.substitute(value, variables)


def capture(answer, where):
    if where == "raw":
        return answer.body
    try:
        return scenarios.look_up(json.loads(answer.body), where)
    except ValueError:
        return None
