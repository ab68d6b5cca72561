#!/usr/bin/env python3
"""A day in the life of a cluster: what its users and its administrators do, on real nodes, while servers come and go.

    day.py --build BUILD_DIR [--backend embedded|etcd3]

A chart is installed, scaled, upgraded and rolled back; a node is drained within a disruption budget; files are copied, a
port is forwarded, a log is followed; a node is lost and comes back. Between these Keelson is restarted, by SIGTERM and by
SIGKILL, with --backend etcd3 its etcd is killed, too. Meanwhile a pod asks the chart's service all the time:

- every ask is answered, but those that go to a node that is lost and not yet known to be;
- no pod notices that a server was restarted: all are who they were, and none of their containers was started again;
- kubectl notices it by one call that has to be made again, or not at all;
- no line of a log is missing.
"""

import contextlib
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import threading
import time
import urllib.request

import asker
import launch
import sandbox

HERE = pathlib.Path(__file__).resolve().parent
CHART = HERE / "chart"
NAMESPACE, NAME = "day", "web"
STAYS, GOES = "node-1", "node-2"  # the asker is on the first, the second is drained and lost
REPLICAS = 6
SECONDS = 180  # for what takes a few on a machine that has nothing else to do
LOST_SECONDS = 300  # a node is not known to be lost for most of a minute, and clients notice their dead connections later
ASKS = 20  # in which the consequences of what was done would show
# Messages of kubectl that mean that it could not connect, or that the server closed the connection.
NO_SERVER = re.compile(r"refused|reset by peer|EOF|connection lost|broken pipe|TLS handshake timeout|GOAWAY")


class Failed(Exception):
    pass


class Repeated:
    """Calls a function again and again, from entering to leaving, and keeps what it returned."""

    def __init__(self, function):
        self.function, self.returned, self.error = function, [], None
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._repeat)

    def _repeat(self):
        try:
            while not self._end.is_set():
                self.returned.append(self.function())
        except Exception as error:  # pylint: disable=broad-except
            self.error = error

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, kind, *_):
        self._end.set()
        self._thread.join()
        if self.error and not kind:
            raise self.error


class Day:
    def __init__(self, clu):
        self.clu = clu
        self.asker = None
        self.calls = self.retries = 0
        folder = clu.server.directory
        self.environment = {**os.environ, "KUBECONFIG": str(clu.server.kubeconfig),
                            **{f"HELM_{kind}_HOME": str(folder / "helm" / kind) for kind in ("CACHE", "CONFIG", "DATA")}}

    # --- what is asked of the cluster, and what is expected of it ---

    def program(self, *command, **options):
        return subprocess.run([self.clu.bin_dir / command[0], *map(str, command[1:])], env=self.environment,
                              capture_output=True, text=True, check=False, **options)

    def kubectl(self, *args, **options):
        """Must not fail; when it found no server, or the server ended, it may be called once more."""
        self.calls += 1
        done = self.program("kubectl", "-n", NAMESPACE, *args, **options)
        if done.returncode != 0 and NO_SERVER.search(done.stderr):
            self.retries += 1
            self.expect("the server listens", self._listens, bool)
            done = self.program("kubectl", "-n", NAMESPACE, *args, **options)
        if done.returncode != 0:
            raise Failed(f"kubectl {' '.join(args)}: expected to succeed, ended with {done.returncode}: {done.stderr.strip()}")
        return done

    def helm(self, *args):
        done = self.program("helm", *args, "-n", NAMESPACE)
        if done.returncode != 0:
            raise Failed(f"helm {' '.join(map(str, args))}: expected to succeed, ended with {done.returncode}: "
                         f"{done.stderr.strip()}")
        return done.stdout

    def get(self, *args):
        return json.loads(self.kubectl("get", *args, "-o", "json").stdout)

    def _listens(self):
        host, port = self.clu.server.url.removeprefix("https://").split(":")
        with socket.socket() as s:
            return s.connect_ex((host, int(port))) == 0

    @staticmethod
    def must_be(what, seen, good):
        if not good:
            raise Failed(f"expected {what}, saw {seen}")

    def expect(self, what, look, good, seconds=SECONDS):
        """Looks until what is seen is good, and returns it."""
        deadline = time.monotonic() + seconds
        while not good(seen := look()):
            if time.monotonic() > deadline:
                raise Failed(f"expected within {seconds} s: {what}; saw {seen}")
            time.sleep(0.2)
        return seen

    def web_pods(self, node=None):
        """Those that are not being deleted: {name: whether it is ready}."""
        pods = self.get("pods", "-l", f"app={NAME}")["items"]
        return {pod["metadata"]["name"]: any(c["type"] == "Ready" and c["status"] == "True"
                                             for c in pod["status"].get("conditions", []))
                for pod in pods if "deletionTimestamp" not in pod["metadata"] and node in (None, pod["spec"].get("nodeName"))}

    def expect_web(self, count, node=None):
        where = f" on {node}" if node else ""
        return self.expect(f"{count} pods of {NAME}, ready{where}", lambda: self.web_pods(node),
                           lambda pods: len(pods) == count and all(pods.values()))

    def all_pods(self):
        """Who they are, and how often their containers were started again."""
        return {f"{pod['metadata']['namespace']}/{pod['metadata']['name']}":
                (pod["metadata"]["uid"], "deletionTimestamp" in pod["metadata"],
                 [status["restartCount"] for status in pod["status"].get("containerStatuses", [])])
                for pod in self.get("pods", "--all-namespaces")["items"]}

    def expect_node(self, name, status):
        self.expect(f"{name} has Ready={status}", lambda: self.kubectl(
            "get", "node", name, "-o", "jsonpath={.status.conditions[?(@.type=='Ready')].status}").stdout,
                    lambda said: said == status, LOST_SECONDS)

    def expect_asks(self, count):
        first = self.asker.asks
        self.expect(f"{count} more asks in the log that is followed", lambda: self.asker.asks - first, lambda more: more >= count)

    def expect_answers(self):
        """That the latest asks were answered, in a row."""
        self.expect_asks(1)
        self.expect(f"{ASKS} answers in a row", lambda: self.asker.answers[-ASKS:], lambda last: all(ok for ok, _ in last))

    @contextlib.contextmanager
    def answered(self, what):
        """Every ask is answered meanwhile, and somewhat longer."""
        first = self.asker.asks
        yield
        self.expect_asks(ASKS)
        failures = self.asker.failures(first)
        self.must_be(f"every ask to be answered ({what})", failures, not failures)

    @contextlib.contextmanager
    def unnoticed(self, what):
        """No pod notices what is done."""
        before = self.expect("no pod is being deleted", self.all_pods,
                             lambda pods: not any(going for _, going, _ in pods.values()))
        with self.answered(what):
            yield
        after = self.all_pods()
        self.must_be(f"the pods as they were ({what}), {before}", after, after == before)

    # --- servers come and go ---

    def restart(self):
        self._disturb("Keelson was restarted", self.clu.server.restart)

    def kill(self):
        self._disturb("Keelson was killed", lambda: self.clu.server.restart(kill=True))

    def kill_store(self):
        """If it has a store of its own."""
        if self.clu.server.etcd:
            self._disturb("etcd was killed", self.clu.server.restart_store)

    def _disturb(self, what, act):
        """Does it while kubectl is called all the time."""
        with self.unnoticed(what), Repeated(lambda: self.kubectl("get", "nodes")) as calls:
            self.expect("a call of kubectl", lambda: calls.error or calls.returned, bool)
            act()
            known = len(calls.returned)
            self.expect("three more calls of kubectl", lambda: calls.error or len(calls.returned) - known,
                        lambda seen: calls.error or seen > 3)
        for node in (STAYS, GOES):
            self.expect_node(node, "True")
        self.clu.check()

    # --- the day ---

    def install(self):
        """A chart is installed: its pods pull their image, its service answers."""
        self.helm("install", NAME, CHART, "--create-namespace", "--wait", "--timeout", f"{SECONDS}s")
        self.expect_web(1)
        events = [event["message"] for event in self.get("events", "--field-selector=reason=Pulled")["items"]]
        self.must_be("an event of an image that was pulled", events, any(e.startswith("Successfully pulled") for e in events))
        address = self.get("service", NAME)["spec"]["clusterIP"]
        self.kubectl("apply", "-f", "-", input=json.dumps(asker.pod("asker", STAYS, address)))
        self.kubectl("wait", "pod/asker", "--for=condition=Ready", f"--timeout={SECONDS}s")
        kubectl = [self.clu.bin_dir / "kubectl", "--kubeconfig", self.clu.server.kubeconfig, "-n", NAMESPACE]
        self.asker = asker.Asker(kubectl, "asker")
        with self.answered("nothing is done"):
            pass
        self.must_be("version one to answer", self.asker.answers[-1], self.asker.answers[-1][1].startswith("one "))

    def scale(self):
        """It gets more pods, on both nodes, and all of them answer."""
        with self.answered("more pods"):
            self.kubectl("scale", "deployment", NAME, f"--replicas={REPLICAS}")
            self.kubectl("rollout", "status", "deployment", NAME, f"--timeout={SECONDS}s")
            pods = self.expect_web(REPLICAS)
        first = self.asker.asks
        self.expect("an answer of every pod", lambda: {text.partition(" ")[2] for _, text in self.asker.answers[first:]},
                    lambda seen: seen >= set(pods))
        self.upgrade_to(f"available={REPLICAS - 1}")

    def drain(self):
        """A node is drained: its pods go one by one, as the budget allows it. Then it takes pods again."""
        pods = self.web_pods(GOES)
        self.must_be(f"two pods or more on {GOES}, so that the budget forbids to evict all at once", pods, len(pods) >= 2)
        with self.answered("a node is drained"), Repeated(self.web_pods) as samples:
            said = self.kubectl("drain", GOES, "--ignore-daemonsets", "--delete-emptydir-data", f"--timeout={SECONDS}s")
            self.expect_web(REPLICAS, STAYS)
        self.must_be("an eviction that the budget forbids", said.stderr, "disruption budget" in said.stderr)
        fewest = min(sum(sample.values()) for sample in samples.returned)
        self.must_be(f"{REPLICAS - 1} pods ready at any time", fewest, fewest >= REPLICAS - 1)
        node = self.get("node", GOES)
        self.must_be(f"{GOES} unschedulable", node["spec"], node["spec"].get("unschedulable"))
        self.kubectl("uncordon", GOES)

    def upgrade(self):
        """Another version takes the place of the first, and no ask fails."""
        with self.answered("an upgrade"):
            self.upgrade_to("version=two")
            self.expect_web(REPLICAS)
        self.expect_version("two")

    def upgrade_to(self, value):
        self.helm("upgrade", NAME, CHART, "--reuse-values", "--set", value, "--wait", "--timeout", f"{SECONDS}s")

    def roll_back(self):
        """The first version comes back, and the release's history tells it."""
        with self.answered("a rollback"):
            self.helm("rollback", NAME, "2", "--wait", "--timeout", f"{SECONDS}s")
            self.expect_web(REPLICAS)
        self.expect_version("one")
        history = [(entry["revision"], entry["status"]) for entry in json.loads(self.helm("history", NAME, "-o", "json"))]
        wanted = [(1, "superseded"), (2, "superseded"), (3, "superseded"), (4, "deployed")]
        self.must_be(f"the history {wanted}", history, history == wanted)

    def expect_version(self, version):
        self.expect(f"version {version} in the last {ASKS} answers", lambda: self.asker.answers[-ASKS:],
                    lambda last: all(ok and text.startswith(f"{version} ") for ok, text in last))

    def reach(self):
        """A file goes into a pod and comes back, a command runs in it, a port is forwarded to the service."""
        content, folder = os.urandom(1 << 20), self.clu.server.directory / "copied"
        folder.mkdir()
        (folder / "there").write_bytes(content)
        self.kubectl("cp", str(folder / "there"), f"{NAMESPACE}/asker:/tmp/copied")
        self.kubectl("cp", f"{NAMESPACE}/asker:/tmp/copied", str(folder / "back"))
        back = (folder / "back").read_bytes()
        self.must_be("the file as it was", f"{len(back)} bytes that differ", back == content)
        name = f"{NAME}.{NAMESPACE}.svc.cluster.local"
        said = self.kubectl("exec", "asker", "--", "wget", "-q", "-O", "-", f"http://{name}/").stdout
        self.must_be(f"version one from {name}", said, said.startswith("one "))
        command = [self.clu.bin_dir / "kubectl", "-n", NAMESPACE, "port-forward", f"service/{NAME}", ":80"]
        with subprocess.Popen(command, env=self.environment, stdout=subprocess.PIPE, text=True) as forward:
            try:
                line = forward.stdout.readline()
                port = re.search(r"127\.0\.0\.1:(\d+)", line)
                self.must_be("a port that is forwarded", line, port)
                with urllib.request.urlopen(f"http://127.0.0.1:{port[1]}/", timeout=SECONDS) as answer:
                    said = answer.read().decode()
                self.must_be("version one from the forwarded port", said, said.startswith("one "))
            finally:
                forward.terminate()

    def lose_node(self):
        """A node's cable is cut: its pods are replaced, and the service answers without them. Then the node comes back."""
        lost = self.web_pods(GOES)
        self.must_be(f"a pod or more on {GOES}", lost, lost)
        node = next(node for node in self.clu.nodes.nodes if node.name == GOES)
        node.unplug()
        try:
            self.expect_node(GOES, "Unknown")
            self.expect_web(REPLICAS, STAYS)
            self.expect_answers()
            with self.answered("a node is lost, and known to be"):
                pass
        finally:
            node.plug()
        with self.answered("a node comes back"):
            self.expect_node(GOES, "True")
            self.expect("the lost pods are gone", lambda: set(self.all_pods()) & {f"{NAMESPACE}/{name}" for name in lost},
                        lambda left: not left, LOST_SECONDS)
        self.expect_web(REPLICAS)

    def uninstall(self):
        """The asker ends, and the chart's objects go."""
        self.asker.close()
        self.kubectl("delete", "pod", "asker")
        self.helm("uninstall", NAME, "--wait", "--timeout", f"{SECONDS}s")
        kinds = "deployments,services,pdb,replicasets,pods"
        self.expect("nothing of the chart is left", lambda: self.kubectl("get", kinds, "-o", "name").stdout, lambda out: not out)

    def live(self):
        steps = [self.install, self.restart, self.scale, self.kill, self.drain, self.restart, self.upgrade, self.kill,
                 self.roll_back, self.kill_store, self.reach, self.restart, self.lose_node, self.kill, self.uninstall]
        for step in steps:
            began = time.monotonic()
            step()
            print(f"{step.__name__}: {time.monotonic() - began:.0f} s", flush=True)
            self.clu.check()
        self.must_be("every line of the log", f"{self.asker.lost} missing", not self.asker.lost)

    def summary(self):
        asked = (f"{self.asker.asks} asks, {len(self.asker.failures())} of them not answered; the log of them was followed anew "
                 f"{self.asker.resumed} times; ") if self.asker else ""
        return f"{asked}{self.calls} calls of kubectl, {self.retries} of them made twice"


def main():
    launcher = launch.Launcher(launch.parse(__doc__), "helm")
    launcher.prepare()

    def work(world):
        with launcher.cluster(world) as clu:
            day = Day(clu)
            try:
                day.live()
            except Failed as failure:
                print(f"FAILED {failure}\n{day.summary()}; logs are in {launcher.folder}", flush=True)
                return 1
            print(f"passed: {day.summary()}", flush=True)
            return 0

    sys.exit(sandbox.run(work, launcher.folder, clean=launcher.clean))


if __name__ == "__main__":
    main()
