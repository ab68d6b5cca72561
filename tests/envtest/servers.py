"""A server to try software on, Keelson or kube-apiserver, and requests to it."""

import http.client
import json
import pathlib
import shutil
import ssl
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "conformance"))
import cluster  # noqa: E402

UPSTREAM_TOOLS = ("kube-apiserver", "etcd")


def build_tools(build, *tools):
    """The folder of upstream's programs, with those that are named in it."""
    subprocess.run([str(ROOT / "tests/conformance/build.sh"), str(build), *tools], check=True)
    return build / "conformance" / "bin"


def start(which, build, directory, extra=(), reachable=False):
    """A server of tests/conformance/cluster.py that is ready; its files, of which none is older, are in `directory`."""
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    if which == "keelson":
        server = cluster.Keelson(build / "keelson", None, directory, extra=extra, reachable=reachable)
    else:
        build_tools(build, *UPSTREAM_TOOLS)
        server = cluster.Upstream(build / "conformance" / "bin", directory, extra=extra, reachable=reachable)
    try:
        cluster.wait_until(Client(server).is_ready, f"{which} is ready")
    except BaseException:
        server.stop()
        raise
    return server


class Client:
    """The administrator's requests to one server, over one connection. A body is YAML text, or what becomes JSON."""

    def __init__(self, server):
        host, port = server.url.removeprefix("https://").split(":")
        self.headers = {"Authorization": f"Bearer {server.token}", "Accept": "application/json"}
        self.connection = http.client.HTTPSConnection(host, int(port), timeout=300,
                                                      context=ssl._create_unverified_context())

    def do(self, method, path, body=None, content_type=None):
        """(status, the answer's JSON)"""
        if body is not None and not isinstance(body, str):
            body, content_type = json.dumps(body), content_type or "application/json"
        headers = {**self.headers, "Content-Type": content_type or "application/yaml"}
        self.connection.request(method, path, body=body and body.encode(), headers=headers)
        response = self.connection.getresponse()
        answer = response.read()
        return response.status, json.loads(answer) if answer[:1] == b"{" else answer.decode()

    def is_ready(self):
        try:
            return self.do("GET", "/readyz")[0] == 200
        except (OSError, http.client.HTTPException):
            self.connection.close()
            return False
