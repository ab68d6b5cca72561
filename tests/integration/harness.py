"""Starts the server binary on a free port in a temporary directory, and talks to it.

    class MyTest(harness.ServerTestCase):
        def test_x(self):
            self.assertEqual(self.server.get("/api/v1/namespaces").status, 200)

The binary is $KEELSON_BINARY (ctest sets it), or build/keelson of this tree. $KUBECTL names
the kubectl to use where a test needs one. With $KEELSON_EXTERNAL_URL and $KEELSON_EXTERNAL_TOKEN
a ServerTestCase runs against that server instead, a real kube-apiserver for example; the token's
user must be in system:masters.
"""

import http.client
import json
import os
import pathlib
import queue
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("KEELSON_BINARY", str(ROOT / "build" / "keelson"))
START_SECONDS = 30  # sanitizer builds on a busy machine; an ordinary start takes a tenth of a second


def wait_until(condition, what, seconds=30):
    """Polls until `condition` gives something true, and returns that."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(0.01)


def on_host(name, command):
    """The command on a host of that name, by which the identity of a server is told."""
    user = () if os.geteuid() == 0 else ("--user", "--map-root-user")
    return ["unshare", *user, "--uts", "sh", "-c", 'hostname "$0" && exec "$@"', name, *command]


class Response:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def text(self):
        return self.body.decode()

    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"<{self.status} {self.body[:300]!r}>"


class Stream:
    """The events of a watch, one JSON object per line, read on a thread of their own."""

    def __init__(self, connection, response):
        self._socket, self._response = connection.sock, response
        self.status = response.status
        self._lines = queue.Queue()
        self._ended_cleanly = None
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        try:
            while line := self._response.readline():
                self._lines.put(line)
            self._ended_cleanly = True
        except (OSError, http.client.HTTPException, ValueError):
            self._ended_cleanly = False
        self._lines.put(None)

    def next(self, seconds=30):
        """The next event; None at the end of the stream."""
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            raise AssertionError(f"no event within {seconds} s") from None
        return None if line is None else json.loads(line)

    def ended_cleanly(self, seconds=30):
        """Reads to the end: did the server finish the body, or was it cut off?"""
        while self.next(seconds) is not None:
            pass
        return self._ended_cleanly

    def close(self):
        # Closing the file would wait for the reading thread; this wakes it.
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._reader.join()
        self._response.close()
        self._socket.close()


class Server:
    """One server process. `args` are added to `serve --data-dir ... --secure-port ...`.

    With port 0 the server takes any free one. A data_dir that is given is kept: start
    another Server on it to see what a restart finds. `ready_client` is who asks whether it
    is ready, for servers that let nobody in without credentials; `ca_file` whom to trust,
    for servers that were given a certificate. Unless the flags say otherwise, only the
    controllers run that delete: a namespace holds what a test puts there, as on kube-apiserver. A namespace
    that is deleted is emptied at once.
    """

    def __init__(self, *args, data_dir=None, port=0, env=None, ready_client="anonymous", ca_file=None):
        self._owned_dir = None if data_dir else tempfile.mkdtemp(prefix="keelson-it-")
        if not any(arg.startswith("--controllers") for arg in args):
            args = ("--controllers=garbage-collector-controller,namespace-controller",
                    # Nobody makes the accounts that pods would need.
                    "--disable-admission-plugins=ServiceAccount", *args)
        if not any(arg.startswith("--namespace-deletion-grace-period") for arg in args):
            args = ("--namespace-deletion-grace-period=0s", *args)
        self.data_dir = pathlib.Path(data_dir or self._owned_dir)
        self.args = [BINARY, "serve", "--data-dir", str(self.data_dir), "--bind-address", "127.0.0.1",
                     "--secure-port", str(port), *args]
        self.env = {**os.environ, **(env or {})}
        self._ready_client = ready_client
        self._ca_file = ca_file or self.data_dir / "pki" / "ca.crt"
        self.process = None
        self.port = None
        self.stdout_lines = []

    # --- life ---

    def start(self, ready=True, seconds=START_SECONDS):
        """Starts and waits for the ready line; raises with the log when the process ends first. `ready`: waits
        until /readyz says so, too."""
        self._stderr = open(self.data_dir.parent / (self.data_dir.name + ".log"), "wb")
        self.process = subprocess.Popen(self.args, stdout=subprocess.PIPE, stderr=self._stderr, env=self.env,
                                        stdin=subprocess.DEVNULL)
        lines = queue.Queue()
        threading.Thread(target=self._read_stdout, args=(self.process.stdout, lines), daemon=True).start()
        told, deadline = "", time.monotonic() + seconds
        while told is not None and not told.startswith("keelson ready https://"):  # the log may go there, too
            try:
                told = lines.get(timeout=max(0, deadline - time.monotonic()))
            except queue.Empty:
                told = None
        if not told:
            self.kill()
            raise AssertionError(f"server did not start: {self.stdout_lines[-1:]!r}\n{self.log()}")
        self.port = int(told.rsplit(":", 1)[1])
        if ready:
            wait_until(lambda: self.get("/readyz", client=self._ready_client).status == 200, "readyz", seconds)
        return self

    def _read_stdout(self, pipe, lines):
        with pipe:
            for line in pipe:
                self.stdout_lines.append(line.decode().rstrip("\n"))
                lines.put(self.stdout_lines[-1])
        lines.put(None)

    def terminate(self, sig=signal.SIGTERM):
        self.process.send_signal(sig)

    def wait(self, seconds=30):
        """The exit code."""
        code = self.process.wait(timeout=seconds)
        self._stderr.close()
        return code

    def stop(self, seconds=30):
        self.terminate()
        return self.wait(seconds)

    def kill(self):
        """As a power loss: no chance to finish anything."""
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self._stderr.close()

    def log(self):
        return pathlib.Path(self._stderr.name).read_text(errors="replace")

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.process and self.process.poll() is None:
            self.kill()
        if self._owned_dir:
            shutil.rmtree(self._owned_dir, ignore_errors=True)
            if self.process:
                os.unlink(self._stderr.name)

    # --- requests ---

    @property
    def url(self):
        return f"https://127.0.0.1:{self.port}"

    @property
    def kubeconfig(self):
        return self.data_dir / "admin.kubeconfig"

    def tls(self, client="admin"):
        """A TLS context that trusts the server; `client` is "admin", "anonymous" or (cert, key)."""
        context = ssl.create_default_context(cafile=str(self._ca_file))
        if client == "admin":
            client = (self.data_dir / "pki" / "admin.crt", self.data_dir / "pki" / "admin.key")
        if client != "anonymous":
            context.load_cert_chain(*map(str, client))
        return context

    def connect(self, client="admin", timeout=30):
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=timeout, context=self.tls(client))

    def request(self, method, path, body=None, headers=None, client="admin", timeout=30):
        """One request on a connection of its own. A dict or list as body is sent as JSON."""
        headers = dict(headers or {})
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
            headers.setdefault("Content-Type", "application/json")
        connection = self.connect(client, timeout)
        try:
            connection.request(method, path, body=body, headers=headers)
            response = connection.getresponse()
            return Response(response.status, response.headers, response.read())
        finally:
            connection.close()

    def get(self, path, **kwargs):
        return self.request("GET", path, **kwargs)

    def post(self, path, body, **kwargs):
        return self.request("POST", path, body, **kwargs)

    def put(self, path, body, **kwargs):
        return self.request("PUT", path, body, **kwargs)

    def delete(self, path, body=None, **kwargs):
        return self.request("DELETE", path, body, **kwargs)

    def patch(self, path, body, content_type="application/merge-patch+json", **kwargs):
        return self.request("PATCH", path, json.dumps(body), headers={"Content-Type": content_type}, **kwargs)

    def watch(self, path, client="admin"):
        """Opens a watch; `path` has its query. Close the stream when done."""
        connection = self.connect(client, timeout=None)
        connection.request("GET", path)
        return Stream(connection, connection.getresponse())

    def kubectl_command(self, *args):
        return [os.environ.get("KUBECTL", "kubectl"), "--kubeconfig", str(self.kubeconfig),
                "--cache-dir", str(self.data_dir / "kubectl-cache"), *args]

    def kubectl(self, *args, stdin=None, check=True):
        done = subprocess.run(self.kubectl_command(*args), input=stdin, capture_output=True, text=True, timeout=60)
        if check and done.returncode != 0:
            raise AssertionError(f"kubectl {' '.join(args)}: exit {done.returncode}: {done.stderr}")
        return done


class ExternalServer(Server):
    """A server that somebody else runs: the same requests, no life."""

    def __init__(self, url, token):
        super().__init__()
        self._host, _, port = url.removeprefix("https://").partition(":")
        self.port, self._token = int(port), token
        self.kubeconfig.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "x",
            "clusters": [{"name": "x", "cluster": {"server": url, "insecure-skip-tls-verify": True}}],
            "users": [{"name": "x", "user": {"token": token}}],
            "contexts": [{"name": "x", "context": {"cluster": "x", "user": "x"}}]}))

    def start(self):
        return self

    def tls(self, client="admin"):
        return ssl._create_unverified_context()

    def connect(self, client="admin", timeout=30):
        connection = super().connect(client, timeout)
        if client == "admin":
            send = connection.request
            connection.request = lambda method, path, body=None, headers=None: send(
                method, path, body=body, headers={**(headers or {}), "Authorization": f"Bearer {self._token}"})
        return connection


def make_server(*args):
    url = os.environ.get("KEELSON_EXTERNAL_URL")
    return ExternalServer(url, os.environ["KEELSON_EXTERNAL_TOKEN"]) if url else Server(*args, ready_client="admin")


class ServerTestCase(unittest.TestCase):
    """One server for all the tests of a class; `server_args` are its flags."""

    server_args = ("--storage-backend=memory",)

    @classmethod
    def setUpClass(cls):
        cls.server = make_server(*cls.server_args)
        cls.addClassCleanup(cls.server.close)
        cls.server.start()

    def new_namespace(self):
        """A namespace of this test's own; returns its path."""
        made = self.server.post("/api/v1/namespaces", {"metadata": {"generateName": "test-"}})
        self.assertEqual(made.status, 201, made)
        return "/api/v1/namespaces/" + made.json()["metadata"]["name"]

    def assertStatus(self, response, code, reason, message=None):
        """The response is a metav1.Status with that code and reason, and that message or part of it."""
        self.assertEqual(response.status, code, response)
        status = response.json()
        self.assertEqual((status["kind"], status["apiVersion"], status["status"]), ("Status", "v1", "Failure"))
        self.assertEqual((status["code"], status.get("reason")), (code, reason), status)
        if message is not None:
            self.assertIn(message, status["message"])
        return status
