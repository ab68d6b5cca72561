"""A server, the processes that work on it, and what is asked of it and seen, step by step."""

import base64
import json
import subprocess
import time

import servers
from servers import cluster

STEP_SECONDS = 120
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
ADMISSION = "/apis/admissionregistration.k8s.io/v1"
RBAC = "/apis/rbac.authorization.k8s.io/v1"
OPERATORS = "operators"  # the group of users that may do everything
ADDRESS = cluster.NODE_ADDRESSES[-1]  # where services that are backed by a process have it


class Stage:
    """`reachable`: the server calls services at their endpoints, in the network of cluster.join_network().
    The first step that does not come ends the program. `seen` are the steps that came, in their order.
    """

    def __init__(self, which, build, name, reachable=False):
        self.build, self.directory, self.seen = build, build / "operators" / which / name, []
        self.bin = build / "conformance" / "bin"
        self.server = servers.start(which, build, self.directory, reachable=reachable)
        self.client, self.processes = servers.Client(self.server), []
        self.create(f"{RBAC}/clusterrolebindings", {
            "metadata": {"name": OPERATORS}, "subjects": [{"kind": "Group", "name": OPERATORS}],
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"}})

    def stop(self):
        for process in reversed(self.processes):
            process.stop()
        self.server.stop()

    def say(self, line, details=""):
        """Remembers and prints a line; the details are only remembered."""
        self.seen.append(f"{line} {details}".rstrip())
        print(f"ok: {line}", flush=True)

    def run(self, name, program, *args):
        """Starts a process that ends with the stage, or by end()."""
        process = cluster.Process(name, [program, *args], self.directory)
        self.processes.append(process)
        return process

    def end(self, process):
        self.processes.remove(process)
        process.stop()

    def kubeconfig_of(self, user, groups=()):
        file = self.directory / f"{user.replace(':', '-')}.kubeconfig"
        if not file.exists():
            self.server.kubeconfig_for(file, user, groups)
        return file

    def token_of(self, namespace, account):
        """A token of a service account that exists."""
        path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{account}/token"
        return self.create(path, {"spec": {"expirationSeconds": 3600}})["status"]["token"]

    def kubeconfig_text(self, token):
        """A kubeconfig that needs no other file."""
        authority = base64.b64encode(self.server.ca.read_bytes()).decode()
        return json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "clusters": [{"name": "c", "cluster": {
                "server": self.server.url, "certificate-authority-data": authority}}],
            "users": [{"name": "u", "user": {"token": token}}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]})

    def kubeconfig_of_account(self, namespace, account):
        file = self.directory / f"{namespace}-{account}.kubeconfig"
        file.write_text(self.kubeconfig_text(self.token_of(namespace, account)))
        return file

    def kubectl(self, *args, kubeconfig=None, body=None):
        """What kubectl said, as the administrator unless told otherwise; `body` is its input, as JSON or text."""
        command = [self.bin / "kubectl", "--kubeconfig", kubeconfig or self.server.kubeconfig,
                   "--cache-dir", self.directory / "kubectl-cache", *args]
        text = body if body is None or isinstance(body, str) else json.dumps(body)
        return subprocess.run([str(word) for word in command], input=text, capture_output=True, text=True, check=False)

    def must(self, *args, warnings=False, **kwargs):
        """The output of a kubectl that must not fail, after its warnings if they are asked for."""
        said = self.kubectl(*args, **kwargs)
        if said.returncode != 0:
            raise SystemExit(f"error: kubectl {' '.join(map(str, args))}: {said.stderr}")
        return said.stderr + said.stdout if warnings else said.stdout

    def shows(self, what, *args, **kwargs):
        """Says what kubectl shows, which must not fail."""
        lines = self.must(*args, warnings=True, **kwargs).splitlines()
        self.say("\n    ".join([f"{what}:", *(line.rstrip() for line in lines)]))

    def fails(self, what, *args, kubeconfig=None):
        """Says why kubectl fails, which it must."""
        said = self.kubectl(*args, kubeconfig=kubeconfig)
        if said.returncode == 0:
            raise SystemExit(f"error: {what} was expected to fail: {said.stdout}")
        self.say(f"{what} fails: {said.stderr.strip()}")

    def create(self, path, body):
        code, answer = self.client.do("POST", path, body)
        if code != 201:
            raise SystemExit(f"error: POST {path}: {code} {answer}")
        return answer

    def patch(self, path, body):
        code, answer = self.client.do("PATCH", path, body, "application/merge-patch+json")
        if code != 200:
            raise SystemExit(f"error: PATCH {path}: {code} {answer}")
        return answer

    def namespace(self, name):
        self.create("/api/v1/namespaces", {"metadata": {"name": name}})

    def get(self, path):
        code, answer = self.client.do("GET", path)
        return answer if code == 200 else None

    def items(self, path):
        return (self.get(path) or {"items": []})["items"]

    def back(self, namespace, service, port_name, port):
        """A slice that says that `service` is what listens at ADDRESS and `port`."""
        self.create(f"/apis/discovery.k8s.io/v1/namespaces/{namespace}/endpointslices", {
            "metadata": {"name": service, "labels": {"kubernetes.io/service-name": service}}, "addressType": "IPv4",
            "ports": [{"name": port_name, "port": port, "protocol": "TCP"}], "endpoints": [{"addresses": [ADDRESS]}]})

    def wait(self, what, condition):
        """Polls until `condition` returns something that is true, and returns that."""
        deadline = time.monotonic() + STEP_SECONDS
        while not (seen := condition()):
            for process in [*self.server.processes, *self.processes]:
                process.check()
            if time.monotonic() > deadline:
                raise SystemExit(f"error: not within {STEP_SECONDS} s: {what} ({self.directory} has the logs)")
            time.sleep(0.1)
        self.say(what)
        return seen

    def wait_for_condition(self, what, path, condition, **more):
        def met():
            found = self.get(path)
            states = {c["type"]: c["status"] for c in ((found or {}).get("status") or {}).get("conditions") or []}
            return found if states.get(condition) == "True" and all(
                found["status"].get(field) == value for field, value in more.items()) else None

        return self.wait(what, met)

    def refused(self, what, path, body, *words, method="POST"):
        kind = "application/merge-patch+json" if method == "PATCH" else None
        code, answer = self.client.do(method, path, body, kind)
        message = answer.get("message", "") if isinstance(answer, dict) else answer
        if code < 400 or not all(word in message for word in words):
            raise SystemExit(f"error: {what} was expected to be refused with {words}: {code} {answer}")
        self.say(f"{what} is refused: {code} {message}")

    def install(self, manifests):
        names = [self.create(DEFINITIONS, manifest)["metadata"]["name"] for manifest in manifests]
        for name in names:
            self.wait_for_condition(f"the definition {name} is established", f"{DEFINITIONS}/{name}", "Established")
