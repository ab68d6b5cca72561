"""Servers on one etcd, behind one address, are restarted in turn under load, and so are the members of etcd; what clients were
told must be what one correct server could have told them.

    rolling_restart.py --rounds 100                     three Keelsons
    rolling_restart.py --rounds 20 --servers mixed      two Keelsons beside a kube-apiserver ($KUBE_APISERVER)
    rolling_restart.py --rounds 20 --servers versions   one serves every version, the others the default ones
    rolling_restart.py --rounds 20 --servers peers      two Keelsons beside a kube-apiserver; each passes on what only another
                                                        one serves

In a round each server is restarted once, now and then by SIGKILL, and one member of etcd is killed and started. Clients may try
again after a lost connection, 429, 503, 504, or a server error with Retry-After; any other answer that they did not ask for is a
failure. The history is judged by history.py. Besides: no address or node port is given twice, the endpoints of the service
`kubernetes` and the identity leases are those of the servers that live, one server at a time runs the controllers, and in the
end all servers show the same.
"""

import argparse
import datetime
import json
import math
import os
import random
import re
import sys
import time

from fleet import Fleet, Keelson, KubeApiserver, in_own_network
from load import CONFIG_MAPS
from rolling_load import LEASES, SERVICES, WIDGET_DEFINITION, WIDGETS, Figures, RollingLoad

import harness

PREVIEWS = ("--runtime-config=api/all=true",)
FLEETS = {
    "keelson": [(Keelson, ()), (Keelson, ()), (Keelson, ())],
    "mixed": [(Keelson, ()), (KubeApiserver, ()), (Keelson, ())],
    "versions": [(Keelson, ()), (Keelson, PREVIEWS), (Keelson, ())],
    "peers": [(Keelson, ("--runtime-config=resource.k8s.io/v1beta1=true",)),
              (KubeApiserver, ("--runtime-config=networking.k8s.io/v1beta1=true",)), (Keelson, ())],
}
WITH_UPSTREAM = ("mixed", "peers")
ENDPOINTS = "/api/v1/namespaces/default/endpoints/kubernetes"
# A path in a version that all serve, in one that only a server with PREVIEWS does, and what makes an object.
PREVIEWED = [
    ("/apis/resource.k8s.io/v1/deviceclasses", "/apis/resource.k8s.io/v1beta1/deviceclasses", {"spec": {}}),
    ("/apis/networking.k8s.io/v1/ipaddresses", "/apis/networking.k8s.io/v1beta1/ipaddresses",
     {"spec": {"parentRef": {"resource": "services", "namespace": "default", "name": "kubernetes"}}}),
]
# In a fleet of peers: a path in a version that only this server serves, and what makes an object.
PASSED_ON = [(0, *PREVIEWED[0][1:]), (1, *PREVIEWED[1][1:])]
AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
OWN_NETWORK = "KEELSON_OWN_NETWORK"  # is set in it
PEER_SECONDS = 60  # until a server has asked another one that has started
SLICE = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes"
IDENTITIES = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"
LEASE_SECONDS = 15 + 10  # of a server that died, and until somebody looks
KILLED = 0.15            # of the restarts
STARTS_LEADING, ENDS_LEADING = "this server runs the controllers", "this server no longer runs the controllers"


def endpoint_addresses(server):
    """The servers behind `kubernetes`, in both forms, which agree; None while they do not."""
    endpoints, slices = server.get(ENDPOINTS), server.get(SLICE)
    if (endpoints.status, slices.status) != (200, 200):
        return None
    one = sorted(a["ip"] for subset in endpoints.json().get("subsets", []) for a in subset["addresses"])
    other = sorted(e["addresses"][0] for e in slices.json().get("endpoints") or [])
    return one if one == other else None


def identities(server):
    items = server.get(IDENTITIES).json()["items"]
    return sorted(lease["metadata"]["labels"]["kubernetes.io/hostname"] for lease in items
                  if lease["metadata"].get("labels", {}).get("apiserver.kubernetes.io/identity") == "kube-apiserver")


def served_versions(server, accept):
    """"GROUP/VERSION" of all that the server's discovery tells of."""
    return [f"{group['metadata']['name']}/{version['version']}"
            for group in server.get("/apis", headers={"Accept": accept}).json()["items"] for version in group["versions"]]


class Rolling:
    def __init__(self, fleet, load, figures, chance, report):
        self._fleet, self._load, self._figures, self._random, self._report = fleet, load, figures, chance, report
        self.problems = []

    def rounds(self, rounds, begun, seconds):
        """Ends with the first round that cannot be finished, and begins none after `seconds`. How many were finished."""
        number, done = -1, 0
        try:
            self._some(100)
            for number in range(rounds):
                if time.monotonic() - begun > seconds:
                    break
                self.round(number)
                done += 1
                self._report(f"round {number + 1} of {rounds}: {time.monotonic() - begun:.0f} s, {len(self.problems)} problems")
            self._some(50)  # watchers come to what was written last
        except AssertionError as error:
            self.problems.append(f"round {number + 1}: {error}")
        return done

    def round(self, number):
        for server in self._random.sample(self._fleet.servers, len(self._fleet.servers)):
            if self._random.random() < KILLED:
                self._kill(server)
            else:
                self._terminate(server)
        member = self._fleet.etcd.members[number % len(self._fleet.etcd.members)]
        with self._figures.phase("etcd member, SIGKILL"):
            member.kill()
            self._some(30)
            member.start(wait=False)
            harness.wait_until(member.healthy, "the member is back", seconds=60)
            self._some(30)
        self._previews()
        self._passed_on()

    def _previews(self):
        """An object is the same in the versions of one server and in those of another."""
        previewing = [server for server in self._fleet.servers if PREVIEWS[0] in server.args]
        for server in previewing:
            for path, preview, body in PREVIEWED:
                name = "192.0.2.77" if "ipaddresses" in path else "previewed"
                other = self._random.choice(self._fleet.others(server))
                made = server.post(preview, {"metadata": {"name": name}, **body})
                shown = other.get(f"{path}/{name}")
                self._expect((made.status, shown.status) == (201, 200), f"{preview}: made {made}, shown {shown}")
                labelled = other.patch(f"{path}/{name}", {"metadata": {"labels": {"a": "b"}}})
                again = server.get(f"{preview}/{name}")
                self._expect(again.status == 200 and again.json()["metadata"].get("labels") == {"a": "b"},
                             f"{path}: patched {labelled}, shown {again}")
                self._expect(server.delete(f"{preview}/{name}").status == 200, f"{preview}: deleted")
                self._expect(other.get(f"{path}/{name}").status == 404, f"{path}: it is deleted")
                self._expect(other.get(preview).status == 404, f"{preview} is served by {other.name}")

    def _passed_on(self):
        """What one server alone serves is there at all of them, in discovery too."""
        if not self._fleet.peers:
            return
        for number, path, body in PASSED_ON:
            name = "192.0.2.78" if "ipaddresses" in path else "passed-on"
            owner = self._fleet.servers[number]
            for other in self._fleet.others(owner):
                harness.wait_until(lambda: other.get(path).status == 200, f"{other.name} asks {owner.name} for {path}",
                                   seconds=PEER_SECONDS)
                made = other.post(path, {"metadata": {"name": name}, **body})
                self._expect(made.status == 201, f"{path}: made through {other.name}: {made}")
                version = made.json().get("metadata", {}).get("resourceVersion", "")
                shown = owner.get(f"{path}/{name}")
                self._expect(shown.json() == made.json(), f"{path}: made {made}, {owner.name} shows {shown}")
                watch = other.watch(f"{path}?watch=1&fieldSelector=metadata.name={name}&resourceVersion={version}")
                gone = other.delete(f"{path}/{name}")
                self._expect(gone.status == 200, f"{path}: deleted through {other.name}: {gone}")
                event = watch.next()
                watch.close()
                self._expect(event and event["type"] == "DELETED", f"{path}: a watch through {other.name} told {event}")
                self._expect(other.get(path, headers={"X-Kubernetes-Peer-Proxied": "true"}).status == 404,
                             f"{path}: {other.name} passes on what was passed on")
        self._same_discovery()

    def _same_discovery(self):
        """Everybody tells of what all serve; who is asked for itself tells of that alone."""
        own = {server: served_versions(server, AGGREGATED + ";profile=nopeer") for server in self._fleet.servers}
        everything = sorted(set().union(*own.values()))
        for server in self._fleet.servers:
            shown = sorted(served_versions(server, AGGREGATED))
            self._expect(shown == everything, f"{server.name} tells of other versions: {sorted(set(everything) ^ set(shown))}")
        for number, path, _ in PASSED_ON:
            version = path.split("/apis/")[1].rsplit("/", 1)[0]
            tellers = [server.name for server in self._fleet.servers if version in own[server]]
            self._expect(tellers == [self._fleet.servers[number].name], f"{version} is served by {tellers}")

    def _some(self, count):
        self._load.some(count, harness.wait_until)

    def _expect(self, holds, what):
        if not holds:
            self.problems.append(what)

    def _terminate(self, server):
        with self._figures.phase(f"{server.kind}, SIGTERM"):
            code = server.stop(seconds=60)
            self._expect(code == 0, f"{server.name} ended with {code}")
            watcher = self._random.choice(self._fleet.others(server))
            # Whoever looks after the end of the process no longer finds it.
            self._expect(server.address not in (endpoint_addresses(watcher) or []),
                         f"{server.name} has ended and is an endpoint of `kubernetes`")
            self._expect(server.name not in identities(watcher), f"{server.name} has ended and its identity lease is there")
            self._some(30)
            self._start(server)

    def _kill(self, server):
        with self._figures.phase(f"{server.kind}, SIGKILL"):
            server.kill()
            self._some(30)
            if self._random.random() < 0.2:
                watcher = self._random.choice(self._fleet.others(server))
                harness.wait_until(lambda: endpoint_addresses(watcher) == self._fleet.addresses,
                                   f"{server.name}, killed, is no endpoint", seconds=LEASE_SECONDS + 15)
            self._start(server)

    def _start(self, server):
        server.start()
        harness.wait_until(lambda: self._fleet.balancer_sees(server), f"the balancer sees {server.name}")
        watcher = self._random.choice(self._fleet.servers)
        harness.wait_until(lambda: endpoint_addresses(watcher) == self._fleet.addresses,
                           f"all servers are endpoints: {self._fleet.addresses}", seconds=LEASE_SECONDS)
        harness.wait_until(lambda: identities(watcher) == sorted(s.name for s in self._fleet.servers),
                           "all servers have their identity leases", seconds=LEASE_SECONDS)
        self._some(30)

    # --- in the end ---

    def final(self):
        self._same_everywhere()
        self._one_led()

    def _same_everywhere(self):
        for path in (CONFIG_MAPS.path, LEASES.path, WIDGETS.path, SERVICES):
            shown = [sorted((o["metadata"]["name"], o["metadata"]["resourceVersion"]) for o in server.get(path).json()["items"])
                     for server in self._fleet.servers if server.process.poll() is None]
            self._expect(all(one == shown[0] for one in shown), f"servers show different {path}: {shown}")

    def _one_led(self):
        """From the logs: no two servers ran the controllers at the same time."""
        led = sorted(span for server in self._fleet.servers if server.kind == "keelson"
                     for log in (*server.logs, server.log()) for span in spans_of_leading(log, server.name))
        self._expect(led, "nobody ran the controllers")
        for (begun, ended, name), (next_begun, _, next_name) in zip(led, led[1:]):
            self._expect(ended <= next_begun, f"{name} ran the controllers from {begun} to {ended}, {next_name} since {next_begun}")


def spans_of_leading(log, name):
    """(begin, end, name); the end of a server that was killed is the last line of its log."""
    begun, last = None, None
    for line in log.splitlines():
        at = time_of(line)
        if at is None:
            continue
        last = at
        if STARTS_LEADING in line:
            begun = at
        elif ENDS_LEADING in line and begun is not None:
            yield begun, at, name
            begun = None
    if begun is not None:
        yield begun, last, name


def time_of(line):
    found = re.search(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+", line)
    return datetime.datetime.fromisoformat(found.group()).timestamp() if found else None


def prepare(fleet):
    first = fleet.servers[0]
    made = first.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", WIDGET_DEFINITION)
    assert made.status == 201, made
    for server in fleet.servers:
        harness.wait_until(lambda: server.get(WIDGETS.path).status == 200, f"{server.name} serves the definition")


def run(rounds, servers="keelson", seed=None, report=print, seconds=math.inf, pause=0):
    """The problems, and the figures."""
    seed = random.randrange(1 << 32) if seed is None else seed
    figures, begun = Figures(), time.monotonic()
    with Fleet(FLEETS[servers], peers=servers == "peers") as fleet:
        prepare(fleet)
        load = RollingLoad(fleet, figures, mixed=servers in WITH_UPSTREAM, pause=pause)
        rolling = Rolling(fleet, load, figures, random.Random(seed), report)
        with load:
            rounds = rolling.rounds(rounds, begun, seconds)
        rolling.final()
        problems = rolling.problems + load.problems()
    summary = {
        "servers": servers, "rounds": rounds, "seed": seed, "seconds": round(time.monotonic() - begun),
        "operations": sum(len(history.operations) for history in load.histories.values()),
        "events": sum(len(log.entries) for history in load.histories.values() for log in history.watchers),
        "watches begun": sum(follower.resumed for follower in load.followers),
        "lists to begin anew": sum(follower.relists - 1 for follower in load.followers),
        "lists compared": load.lists_compared, "namespaces deleted": len(figures.handovers),
        "longest deletion of a namespace, s": round(max(figures.handovers, default=0), 1),
        "longest start of a Keelson, s": round(max(seconds for server in fleet.servers for seconds in server.starts), 1),
        "problems": len(problems)}
    return problems, figures, summary


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", help="keelson (default: $KEELSON_BINARY, build/keelson)")
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--servers", choices=FLEETS, default="keelson")
    parser.add_argument("--seed", type=int, help="which restarts are kills, and their order")
    parser.add_argument("--minutes", type=float, default=math.inf, help="after which no round begins")
    parser.add_argument("--pause", type=float, default=0, help="seconds between two requests of a client (default: none)")
    options = parser.parse_args()
    if options.binary:
        harness.BINARY = os.path.abspath(options.binary)
    if options.servers == "peers" and OWN_NETWORK not in os.environ:
        os.environ[OWN_NETWORK] = "1"
        command = in_own_network([sys.executable, *sys.argv])
        os.execvp(command[0], command)
    problems, figures, summary = run(options.rounds, options.servers, options.seed, lambda line: print(line, flush=True),
                                     60 * options.minutes, options.pause)
    print("\n".join(figures.lines()))
    print(json.dumps(summary))
    for problem in problems[:20]:
        print("PROBLEM", problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
