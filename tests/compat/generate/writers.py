"""Random sequences of creates, updates, patches and applies by several managers on one object.

A sequence is made from a seed alone, so that it can be had again. Both servers must give equal answers,
managedFields included: who owns what follows from all that came before, so that one wrong set shows
in every answer after it.
"""

import json
import random

from lib import scenario as scenarios

RECORDED = range(1, 41)  # the seeds whose answers are stored
MANAGERS = ("alpha", "beta", "gamma")
STEPS = 16
APPLY, MERGE = "application/apply-patch+yaml", "application/merge-patch+json"
STRATEGIC, JSON_PATCH = "application/strategic-merge-patch+json", "application/json-patch+json"


class Maker:
    """Objects with random parts of what a kind can have."""

    def __init__(self, rng):
        self._rng = rng

    def some(self, **parts):
        """Each part with an even chance; a part is a function that makes it."""
        return {name: make() for name, make in parts.items() if self._rng.random() < 0.5}

    def one_of(self, *values):
        return self._rng.choice(values)

    def few(self, *values):
        return self._rng.sample(values, self._rng.randint(0, len(values)))

    def map(self, *keys):
        return {key: self.one_of("1", "2", "") for key in self.few(*keys)}

    def metadata(self, name):
        return {"name": name, **self.some(
            labels=lambda: self.map("app", "tier", "example.com/x"),
            annotations=lambda: self.map("note", "example.com/y"),
            finalizers=lambda: self.few("example.com/a", "example.com/b"),
            ownerReferences=lambda: [{"apiVersion": "v1", "kind": "ConfigMap", "name": n, "uid": n * 4}
                                     for n in self.few("o", "p")])}


class ConfigMaps(Maker):
    plural, path, api_version, kind, status = "configmaps", "/api/v1/namespaces/$ns/configmaps", "v1", "ConfigMap", False

    def content(self):
        return self.some(data=lambda: self.map("a", "b", "c"),
                         binaryData=lambda: {key: "AAE=" for key in self.few("d", "e")},
                         immutable=lambda: False)

    def paths(self):
        return ["/data/a", "/data", "/binaryData/d", "/metadata/labels/app", "/metadata/labels", "/immutable"]


class Services(Maker):
    plural, path, api_version, kind, status = "services", "/api/v1/namespaces/$ns/services", "v1", "Service", True

    def content(self):
        return {"spec": {"clusterIP": "None", "ports": [self.port(p) for p in self.few(80, 81, 82) or [80]], **self.some(
            selector=lambda: self.map("app", "tier"),
            sessionAffinity=lambda: self.one_of("None", "ClientIP"),
            publishNotReadyAddresses=lambda: True)}}

    def port(self, number):
        return {"port": number, "name": f"p{number}", **self.some(
            protocol=lambda: self.one_of("TCP", "UDP"),
            targetPort=lambda: self.one_of(8080, "web"),
            appProtocol=lambda: "example.com/p")}

    def status_content(self):
        return {"conditions": [{"type": t, "status": self.one_of("True", "False"), "reason": "R", "message": "m",
                                "lastTransitionTime": "2001-02-03T04:05:06Z"} for t in self.few("A", "B")]}

    def paths(self):
        return ["/spec/ports/0/port", "/spec/ports/0", "/spec/ports", "/spec/selector/app", "/spec/sessionAffinity"]


class Deployments(Maker):
    plural, path = "deployments", "/apis/apps/v1/namespaces/$ns/deployments"
    api_version, kind, status = "apps/v1", "Deployment", True

    def content(self):
        containers = [self.container(name) for name in self.few("c", "d", "e") or ["c"]]
        return {"spec": {"selector": {"matchLabels": {"app": "a"}},
                         "template": {"metadata": {"labels": {"app": "a", **self.map("l", "m")}},
                                      "spec": {"containers": containers, **self.pod_parts()}},
                         **self.some(replicas=lambda: self.one_of(0, 1, 2), paused=lambda: self.one_of(True, False),
                                     minReadySeconds=lambda: self.one_of(0, 5),
                                     strategy=lambda: self.one_of({"type": "Recreate"}, {"type": "RollingUpdate"}))}}

    def pod_parts(self):
        return self.some(
            nodeSelector=lambda: self.map("disk", "zone"),
            volumes=lambda: [{"name": name, "emptyDir": {}} for name in self.few("v", "w")],
            tolerations=lambda: [{"key": key, "operator": "Exists"} for key in self.few("s", "t")],
            hostAliases=lambda: [{"ip": ip, "hostnames": self.few("x", "y")} for ip in self.few("1.2.3.4", "1.2.3.5")],
            imagePullSecrets=lambda: [{"name": name} for name in self.few("q", "r")],
            securityContext=lambda: self.one_of({}, {"runAsUser": 1, "supplementalGroups": [3, 4]}),
            terminationGracePeriodSeconds=lambda: self.one_of(0, 10))

    def container(self, name):
        return {"name": name, "image": self.one_of("i:1", "i:2"), **self.some(
            args=lambda: self.few("x", "y", "z"),
            env=lambda: [{"name": n, **self.some(value=lambda: self.one_of("1", "2"))} for n in self.few("E", "F", "G")],
            ports=lambda: [{"containerPort": p, **self.some(protocol=lambda: self.one_of("TCP", "UDP"),
                                                             hostIP=lambda: "1.2.3.4")} for p in self.few(80, 81)],
            resources=lambda: {"limits": {k: self.one_of("1", "2", "3Gi") for k in self.few("cpu", "memory")}},
            volumeMounts=lambda: [{"name": "v", "mountPath": path} for path in self.few("/a", "/b")],
            securityContext=lambda: self.some(capabilities=lambda: {"add": self.few("A", "B")},
                                              privileged=lambda: False))}

    def status_content(self):
        return {**self.some(replicas=lambda: self.one_of(1, 2), observedGeneration=lambda: 1),
                "conditions": [{"type": t, "status": self.one_of("True", "False"), "reason": "R",
                                "lastUpdateTime": "2001-02-03T04:05:06Z", "lastTransitionTime": "2001-02-03T04:05:06Z"}
                               for t in self.few("Available", "Progressing")]}

    def paths(self):
        return ["/spec/replicas", "/spec/paused", "/spec/template/spec/containers/0/image",
                "/spec/template/spec/containers/0/env", "/spec/template/spec/containers/1", "/spec/template/spec/volumes",
                "/metadata/annotations/note", "/metadata/labels"]


KINDS = (ConfigMaps, Services, Deployments)


class Sequence:
    def __init__(self, seed):
        self._rng = random.Random(seed)
        self._maker = KINDS[seed % len(KINDS)](self._rng)
        self._seed = seed

    def scenario(self):
        steps = [self._first(), *(self._next(i) for i in range(2, STEPS + 1)),
                 scenarios.Step("at-the-end", "GET", f"{self._maker.path}/a")]
        return scenarios.Scenario(f"random/writers/{self._maker.plural}/{self._seed}", steps, at=self._maker.path)

    def _object(self):
        return {"apiVersion": self._maker.api_version, "kind": self._maker.kind,
                "metadata": self._maker.metadata("a"), **self._maker.content()}

    def _step(self, number, what, method, path, body, content_type="application/json", **parameters):
        parameters.setdefault("fieldManager", self._rng.choice(MANAGERS))
        query = "&".join(f"{key}={value}" for key, value in parameters.items())
        return scenarios.Step(f"{number:02}-{what}", method, f"{path}?{query}", {"Content-Type": content_type},
                              json.dumps(body), settle=scenarios.CACHED)

    def _first(self):
        if self._rng.random() < 0.5:
            return self._step(1, "create", "POST", self._maker.path, self._object())
        return self._step(1, "apply", "PATCH", f"{self._maker.path}/a", self._object(), APPLY)

    def _next(self, number):
        at = f"{self._maker.path}/a"
        kinds = ["apply", "apply", "apply", "update", "merge", "strategic", "json-patch"]
        if self._maker.status:
            kinds += ["status", "apply-status"]
        what = self._rng.choice(kinds)
        if what == "apply":
            force = {"force": "true"} if self._rng.random() < 0.5 else {}
            return self._step(number, what, "PATCH", at, self._config(), APPLY, **force)
        if what == "update":
            return self._step(number, what, "PUT", at, self._object())
        if what in ("merge", "strategic"):
            return self._step(number, what, "PATCH", at, self._fragment(), MERGE if what == "merge" else STRATEGIC)
        if what == "json-patch":
            return self._step(number, what, "PATCH", at, self._operations(), JSON_PATCH)
        if what == "status":
            return self._step(number, what, "PATCH", at + "/status", {"status": self._maker.status_content()}, MERGE)
        head = {"apiVersion": self._maker.api_version, "kind": self._maker.kind, "metadata": {"name": "a"}}
        return self._step(number, what, "PATCH", at + "/status", {**head, "status": self._maker.status_content()}, APPLY,
                          force="true")

    def _config(self):
        """What a manager applies: a part of an object, with all that leads to it."""
        config = self._object()
        if self._maker.kind == "Deployment" and self._rng.random() < 0.5:
            config["spec"].pop("selector")
            for container in config["spec"]["template"]["spec"]["containers"]:
                container.pop("image")
        if self._rng.random() < 0.3:
            config["metadata"] = {"name": "a"}
        return config

    def _fragment(self):
        fragment = self._object()
        for key in ("apiVersion", "kind"):
            fragment.pop(key)
        if self._rng.random() < 0.5:
            fragment["metadata"] = {"labels": {self._rng.choice(("app", "tier")): None}}
        if self._rng.random() < 0.3:
            fragment.pop(self._rng.choice(sorted(fragment)))
        return fragment

    def _operations(self):
        donor, operations = self._object(), []
        for path in self._rng.sample(self._maker.paths(), 2):
            value = scenarios.look_up(donor, path[1:])
            if value is None or self._rng.random() < 0.3:
                operations.append({"op": "remove", "path": path})
            else:
                operations.append({"op": self._rng.choice(("add", "replace")), "path": path, "value": value})
        return operations


def sequences(seeds):
    return [Sequence(seed).scenario() for seed in seeds]
