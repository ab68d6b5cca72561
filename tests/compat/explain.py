#!/usr/bin/env python3
"""Writes docs/explain.md: what `kubectl explain` shows of well-known fields and of a custom resource.

    explain.py --build DIR [--kubectl FILE]...

Starts Keelson in memory and asks it with kubectl of the releases that kubectl/releases.txt names, which are compiled
into DIR/kubectl once (needs Go); or with the given ones, oldest first. Every answer must have words, and each release
the words of the others. The page is replaced: a table of the releases, and what the last of them shows.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from lib import kubectls

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "integration"))

PATHS = """pod.spec.restartPolicy pod.spec.terminationGracePeriodSeconds pod.spec.containers.imagePullPolicy
pod.spec.containers.resources.limits pod.spec.containers.securityContext.allowPrivilegeEscalation
pod.spec.affinity.podAntiAffinity pod.spec.topologySpreadConstraints.whenUnsatisfiable
deployment.spec.strategy.rollingUpdate deployment.spec.progressDeadlineSeconds statefulset.spec.podManagementPolicy
cronjob.spec.concurrencyPolicy job.spec.backoffLimit hpa.spec.metrics.type service.spec.externalTrafficPolicy
ingress.spec.rules.http.paths.pathType networkpolicy.spec.policyTypes pvc.spec.accessModes
storageclass.volumeBindingMode pdb.spec.maxUnavailable clusterrole.rules.verbs""".split()
PROBE = "pod.spec.containers.livenessProbe"
RECURSIVE = ("pdb", "--recursive")
BY_V2 = "--output=plaintext-openapiv2"
BY_V2_SINCE = (1, 27)
CUSTOM = "widget.spec"
WIDGETS = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
           "metadata": {"name": "widgets.example.com"},
           "spec": {"group": "example.com", "scope": "Namespaced",
                    "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
                    "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {
                        "type": "object", "description": "Something that is made to order.", "properties": {
                            "spec": {"type": "object", "description": "What to make.", "required": ["size"], "properties": {
                                "size": {"type": "integer", "minimum": 1, "description": "Length in millimetres."},
                                "colour": {"type": "string", "enum": ["red", "blue"],
                                           "description": "Colour of the outside."}}}}}}}]}}
HEAD = """# What kubectl explain says

Every built-in type and field has words of its own, from `schema/descriptions/`
([how to read and write them](design/0024-descriptions.md)). This page shows what kubectl {version} prints of twenty
well-known fields, of a type, of a whole resource, by OpenAPI v2, and of a custom resource.
`tests/compat/explain.py` writes it.

Other releases of kubectl were asked the same, each compiled from its Go module. All show the same words. They differ in
how they lay them out, in whether they list the values of an enumeration besides, and in what they make of a per cent
sign: some take it for the start of a format, and print `25%!,(MISSING)` for `25%,`.

| kubectl | fields with words | `--recursive` | `{by_v2}` | custom resource | lists values | per cent signs |
|---|---|---|---|---|---|---|
"""
# What Go's formatter makes of "%," or "%)" in a text that it takes for a format.
TAKEN_FOR_FORMAT = re.compile(r"%!(.)\((?:MISSING|NOVERB)\)")


class Kubectl:
    """One release. Its cache is its own: another release may have left documents of another form."""

    def __init__(self, program, server, home):
        self.program, self.version = program, kubectls.version(program)
        self.release = tuple(int(part) for part in re.findall(r"\d+", self.version)[:2])
        self._server, self._home, self._shown = server, home, {}

    def run(self, *words):
        return subprocess.run([self.program, f"--kubeconfig={self._server.kubeconfig}", *words], capture_output=True,
                              text=True, check=False, env={**os.environ, "HOME": self._home})

    def explain(self, *words):
        """What it prints. Ends the program if that is a refusal, or lacks words."""
        if words in self._shown:
            return self._shown[words]
        answer = self.run("explain", *words)
        if answer.returncode or re.search(r"<no description>|<empty>", answer.stdout) or "DESCRIPTION:" not in answer.stdout:
            raise SystemExit(f"error: kubectl {self.version} explain {' '.join(words)}: {answer.stdout}{answer.stderr}")
        return self._shown.setdefault(words, answer.stdout)


def first_sentence(shown):
    """Of a description, the words alone."""
    text = " ".join(shown.partition("DESCRIPTION:")[2].split())
    return re.match(r".*?[.](?= |$)", text)[0]


def check_same_words(shown, other, words):
    if first_sentence(shown) not in TAKEN_FOR_FORMAT.sub(r"%\1", " ".join(other.split())):
        raise SystemExit(f"error: explain {words} has other words:\n{shown}\n{other}")


def row(kubectl, latest):
    """Asks everything of one release, and tells what it does as a row of the table."""
    for path in (*PATHS, PROBE, CUSTOM):
        check_same_words(latest.explain(path), kubectl.explain(path), path)
    kubectl.explain(*RECURSIVE)
    kubectl.explain(CUSTOM, "--recursive")
    by_v2 = "has no such flag"
    if kubectl.release >= BY_V2_SINCE:
        for path in (*PATHS, CUSTOM):
            check_same_words(latest.explain(path), kubectl.explain(path, BY_V2), path)
        by_v2 = "yes"
    values = "yes" if "ENUM:" in kubectl.explain(PATHS[0]) else "no"
    signs = "taken for formats" if any(TAKEN_FOR_FORMAT.search(kubectl.explain(path)) for path in PATHS) else "kept"
    return (f"| {kubectl.version} | {len(PATHS)} of {len(PATHS)} | yes | {by_v2} | yes | {values} "
            f"| {signs} |")


def section(kubectl, *words):
    lines = [line.rstrip().expandtabs(4) for line in kubectl.explain(*words).strip().splitlines()]
    shown = "\n".join(lines)
    return f"## {' '.join(words)}\n\n```\n$ kubectl explain {' '.join(words)}\n{shown}\n```\n"


def page(releases):
    latest = releases[-1]
    parts = [HEAD.format(version=latest.version, by_v2=BY_V2) + "\n".join(row(k, latest) for k in releases) + "\n"]
    for words in [*((path,) for path in PATHS), (PROBE,), RECURSIVE, ("lease.spec", BY_V2), (CUSTOM,)]:
        parts.append(section(latest, *words))
    return "\n".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--kubectl", action="append", type=pathlib.Path)
    args = parser.parse_args()
    programs = args.kubectl or kubectls.build(args.build.resolve() / "kubectl")
    os.environ["KEELSON_BINARY"] = str((args.build / "keelson").resolve())
    import harness  # after KEELSON_BINARY is set

    server = harness.Server("--storage-backend=memory").start()
    try:
        made = server.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", WIDGETS)
        assert made.status == 201, made
        harness.wait_until(lambda: "/apis/example.com/v1/widgets" in server.get("/openapi/v2").json()["paths"],
                           "the custom resource is described")
        with tempfile.TemporaryDirectory() as homes:
            releases = [Kubectl(program, server, f"{homes}/{number}") for number, program in enumerate(programs)]
            text = page(releases)
    finally:
        server.close()
    (ROOT / "docs" / "explain.md").write_text(text)


if __name__ == "__main__":
    main()
