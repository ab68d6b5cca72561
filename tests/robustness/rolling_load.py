"""The clients of a rolling restart: what they do, what they accept as an answer, and what they keep to be judged by."""

import bisect
import collections
import contextlib
import threading
import time

from history import History, Relist, check, check_watchers, states
from load import CONFIG_MAPS, Client, Follower, Target, Worker

LEASES = Target("/apis/coordination.k8s.io/v1/namespaces/default/leases", "coordination.k8s.io/v1", "Lease",
                ("spec", "holderIdentity"), only_versioned=True)
WIDGETS = Target("/apis/rolling.test/v1/namespaces/default/widgets", "rolling.test/v1", "Widget", ("spec", "value"),
                 only_versioned=True)
WIDGET_DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "widgets.rolling.test"},
    "spec": {"group": "rolling.test", "scope": "Namespaced", "names": {"plural": "widgets", "kind": "Widget"},
             "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {
                 "type": "object", "properties": {"spec": {"type": "object", "properties": {"value": {"type": "string"}}}}}}}]}}
SERVICES = "/api/v1/namespaces/default/services"
SERVICE_NAMES = tuple(f"service-{i}" for i in range(12))


class NamesOfServices:
    def __contains__(self, name):
        return name.startswith("service-")


class ServiceTarget(Target):
    def value(self, obj):
        """The addresses and node ports, which no other service may have."""
        spec = obj["spec"]
        ports = [str(port["nodePort"]) for port in spec.get("ports", []) if port.get("nodePort")]
        return " ".join([*spec.get("clusterIPs", []), *ports])


SERVICE_TARGET = ServiceTarget(SERVICES, "v1", "Service", ("spec", "type"), NamesOfServices())


def retriable(status, headers, _):
    """As client-go: a server error that says when to come back, or that a gateway would give."""
    return status in (503, 504) or (status >= 500 and headers.get("Retry-After") is not None)


def retriable_of_any(status, headers, text):
    """A kube-apiserver says 500, and no more, while it has lost its etcd; or 422 of a service that needs an address."""
    lost = (b"rpc error: code = Unavailable", b"etcdserver: ", b"error reading from server")
    return retriable(status, headers, text) or (status in (422, 500) and any(words in text for words in lost))


class Figures:
    """How many attempts came to nothing in each phase, and why. Threads: any may count."""

    def __init__(self):
        self._lock = threading.Lock()
        self._phase = "quiet"
        self.phases = collections.Counter()  # how often each came
        self.troubles = collections.defaultdict(collections.Counter)
        self.handovers = []  # seconds for which a namespace waited for somebody to delete it

    @contextlib.contextmanager
    def phase(self, name):
        with self._lock:
            before, self._phase = self._phase, name
            self.phases[name] += 1
        yield
        with self._lock:
            self._phase = before

    def trouble(self, what):
        with self._lock:
            self.troubles[self._phase][what] += 1

    def lines(self):
        yield f"{'':28} {'times':>6} {'attempts to be made again, each time':>38}"
        for phase in sorted(set(self.phases) | set(self.troubles)):
            times, seen = self.phases[phase], self.troubles[phase]
            each = f"{sum(seen.values()) / times:.1f}" if times else str(sum(seen.values()))
            yield f"{phase:28} {times or '':>6} {each:>38}   " + ", ".join(f"{what} {n}" for what, n in seen.most_common())


class RollingWorker(Worker):
    """Goes from server to server; half of its updates and deletions hold for one version of the object only."""

    KINDS = ["create", "update", "update", "update", "delete", "get", "get", "list"]

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._seen = {}  # key to metadata
        self.lists = []  # (revision, key to (revision, value)): at exactly that revision

    def step(self, key, kind):
        if self.random.random() < 0.2:
            self.client.close()
        if kind == "list":
            self._list()
            return
        if kind == "update" and self.target.only_versioned and key not in self._seen:
            kind = "get"
        super().step(key, kind)

    def ask(self, kind, key, value):
        seen = self._seen.get(key)
        always = kind == "update" and self.target.only_versioned
        if kind not in ("update", "delete") or not seen or (self.random.random() < 0.5 and not always):
            return super().ask(kind, key, value)
        path = f"{self.target.path}/{key}"
        if kind == "delete":
            return self.client.ask("DELETE", path, {"preconditions": {"uid": seen["uid"], "resourceVersion": seen["resourceVersion"]}})
        body = self.target.body(key, value)
        body["metadata"]["resourceVersion"] = seen["resourceVersion"]
        return self.client.ask("PUT", path, body)

    def judge(self, operation, status, answer):
        super().judge(operation, status, answer)
        if status in (200, 201) and operation.kind != "delete":
            self._seen[operation.key] = answer["metadata"]

    def _list(self):
        """The newest state, which is a read of every key, or the state of a revision seen before, in pages or whole."""
        invoked = time.monotonic()
        exact = self.random.choice([None, None, *(meta["resourceVersion"] for meta in self._seen.values())])
        query = f"resourceVersion={exact}&resourceVersionMatch=Exact" if exact else ""
        listed = self._pages(query)
        if listed is None:
            return
        revision, items = listed
        assert not exact or int(exact) == revision, f"asked for exactly {exact}, got {revision}"
        state = {o["metadata"]["name"]: (int(o["metadata"]["resourceVersion"]), self.target.value(o)) for o in items
                 if o["metadata"]["name"] in self.target.keys}
        self.lists.append((revision, state))
        if exact:
            return
        for key in self.target.keys:
            read = self.history.begin("get", key)
            read.invoked, read.returned, read.outcome = invoked, time.monotonic(), "ok"
            read.revision, read.value = state.get(key, (0, None))

    def _pages(self, query):
        """Every page may come from another server. None: to be tried again."""
        limit, items, token = self.random.choice([0, 0, 2]), [], None
        while True:
            more = f"limit={limit}&continue={token}" if token else f"{query}&limit={limit}"
            status, answer = self.client.ask("GET", f"{self.target.path}?{more}")
            if not self.answered(status) or status == 429:
                return None
            assert status == 200, f"list {more}: {status} {answer}"
            self.acknowledged += 1
            items += answer["items"]
            token = answer["metadata"].get("continue")
            if not token:
                return int(answer["metadata"]["resourceVersion"]), items
            self.client.close()


class ServiceWorker(Worker):
    """Makes services, changes what they take, and deletes them; some ask for an address or a port that others want, too."""

    KINDS = ["create", "create", "change", "delete"]

    def __init__(self, number, *args, reuse_names, **kwargs):
        super().__init__(number, *args, **kwargs)
        self._number, self._reuse_names, self._made, self._own = number, reuse_names, 0, []

    def run_step(self):
        kind = self.random.choice(self.KINDS)
        if self._reuse_names:
            return self.step(self.random.choice(SERVICE_NAMES), kind)
        if kind == "create" and len(self._own) < 4:
            self._made += 1
            self._own.append(f"service-{self._number}-{self._made}")
            return self.step(self._own[-1], kind)
        if self._own:
            self.step(self._own.pop() if kind == "delete" else self.random.choice(self._own), kind)

    def step(self, key, kind):
        if self.random.random() < 0.3:
            self.client.close()
        contested = kind == "create" and self.random.random() < 0.3
        if kind == "create":
            status, answer = self.client.ask("POST", SERVICES, self._service(key, contested))
        elif kind == "change":
            change = {"spec": {"type": self.random.choice(["ClusterIP", "NodePort", "LoadBalancer"])}}
            status, answer = self._patch(key, change)
        else:
            status, answer = self.client.ask("DELETE", f"{SERVICES}/{key}")
        if not self.answered(status) or status == 429:
            return
        self.acknowledged += 1
        allowed = (200, 201, 404, 409, *((422,) if contested else ()))
        assert status in allowed, f"{kind} of a service: {status} {answer}"

    def _service(self, key, contested):
        spec = {"type": self.random.choice(["ClusterIP", "NodePort"]), "ports": [{"port": 80}], "selector": {"a": "b"}}
        if contested:
            spec["clusterIP"] = f"10.96.0.{self.random.randint(200, 203)}"
            if spec["type"] == "NodePort":
                spec["ports"][0]["nodePort"] = self.random.randint(30000, 30003)
        return {"metadata": {"name": key}, "spec": spec}

    def _patch(self, key, change):
        return self.client.ask("PATCH", f"{SERVICES}/{key}", change,
                               headers={"Content-Type": "application/merge-patch+json"})


class NamespaceWorker(Worker):
    """Makes namespaces with something in them and deletes them: they go because one server runs the controllers."""

    def __init__(self, *args, figures, **kwargs):
        super().__init__(*args, **kwargs)
        self._figures, self._made = figures, 0

    def run_step(self):
        self._made += 1
        path = f"/api/v1/namespaces/passing-{self._made}"
        self._until("POST", "/api/v1/namespaces", {"metadata": {"name": f"passing-{self._made}"}}, (201, 409))
        self._until("POST", f"{path}/configmaps", {"metadata": {"name": "inside"}}, (201, 409))
        # Whose answer was lost may have been heard.
        self._until("DELETE", path, None, (200, 202, 404, 409))
        asked = time.monotonic()
        while not self._stop_asked.is_set():
            if self._until("GET", path, None, (200, 404)) == 404:
                self._figures.handovers.append(time.monotonic() - asked)
                return
            assert time.monotonic() - asked < 60, f"nobody deletes {path}"
            time.sleep(0.1)

    def _until(self, method, path, body, allowed):
        """The answer of the first attempt that has one."""
        while not self._stop_asked.is_set():
            status, answer = self.client.ask(method, path, body)
            if self.answered(status) and status != 429:
                assert status in allowed, f"{method} {path}: {status} {answer}"
                self.acknowledged += 1
                return status
        return None


class RollingLoad:
    """Everybody at work on the servers behind one address."""

    def __init__(self, fleet, figures, mixed, pause=0):
        """`pause`: seconds between two requests of a client. `mixed`: with a kube-apiserver, which does not know after a restart what was before, and which takes the address
        of a service for a stray when it has yet to hear that the service of that name before it is gone."""
        self._fleet, self._figures, self._relists_allowed = fleet, figures, mixed
        self._retriable = retriable_of_any if mixed else retriable
        self._stop_asked = threading.Event()
        self.histories = {}
        self.writers, self.others, self.followers = [], [], []
        self.lists_compared = 0
        for number, target in enumerate([CONFIG_MAPS, LEASES, WIDGETS]):
            history = self._follow(target, 2)
            self.writers += [RollingWorker(10 * number + i, self._client(), history, self._stop_asked, target) for i in range(2)]
        self._follow(SERVICE_TARGET, 2)
        self.others += [ServiceWorker(100 + i, self._client(), None, self._stop_asked, SERVICE_TARGET, reuse_names=not mixed)
                        for i in range(3)]
        self.others.append(NamespaceWorker(200, self._client(), None, self._stop_asked, figures=figures))
        for worker in (*self.writers, *self.others):
            worker.pause = pause

    def _client(self, server=None):
        return Client(server or self._fleet, self._retriable, self._figures.trouble)

    def _follow(self, target, watchers):
        history = self.histories[target] = History()
        self.followers += [Follower(self._fleet, history.watcher(f"watcher {i} of {target.kind}"), self._stop_asked, None, target,
                                    self._client, self._figures.trouble) for i in range(watchers)]
        return history

    @property
    def threads(self):
        return [*self.followers, *self.writers, *self.others]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._stop_asked.set()
        for thread in self.threads:
            thread.join(timeout=60)

    def failure(self):
        return next((thread.failure for thread in self.threads if thread.failure), None)

    def some(self, count, wait_until):
        """Waits until so many more requests were answered to those who write."""
        def answered():
            return sum(worker.acknowledged for worker in (*self.writers, *self.others))
        before = answered()
        wait_until(lambda: self.failure() or answered() >= before + count, f"{count} answers", seconds=120)
        if failure := self.failure():
            raise AssertionError(f"a client failed: {failure!r}") from failure

    # --- judging, once it has ended ---

    def problems(self):
        found = []
        for target, history in self.histories.items():
            found += check_watchers(history) if target is SERVICE_TARGET else check(history)
            found += self._differences(target, history)
        found += shared_addresses(self.histories[SERVICE_TARGET])
        if not self._relists_allowed:
            found += [f"{log.name}: had to list {lists} times" for history in self.histories.values()
                      for log in history.watchers
                      if (lists := sum(isinstance(entry, Relist) for entry in log.entries)) != 1]
        return found

    def _differences(self, target, history):
        """Lists that show what was not there at their revision."""
        lists = collections.defaultdict(list)
        for worker in self.writers:
            if worker.target is target:
                for revision, state in worker.lists:
                    lists[revision].append(state)
        revisions, found = sorted(lists), []
        for first, end, state in states(history):
            for revision in revisions[bisect.bisect_left(revisions, first):bisect.bisect_left(revisions, end)]:
                self.lists_compared += len(lists[revision])
                found += [f"a list of {target.kind} at {revision} shows {listed}, there was {state}"
                          for listed in lists[revision] if listed != state]
        return found


def shared_addresses(history):
    """Services that had the same address or port at the same time."""
    found = []
    for revision, _, state in states(history):
        holders = collections.defaultdict(list)
        for key, (_, value) in state.items():
            for one in value.split():
                holders[one].append(key)
        found += [f"at revision {revision} {one} is held by {names}" for one, names in holders.items() if len(names) > 1]
    return found
