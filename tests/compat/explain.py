#!/usr/bin/env python3
"""Writes docs/explain.md: what `kubectl explain` shows of well-known fields and of a custom resource.

    explain.py --build DIR [--kubectl FILE]

Starts Keelson in memory, asks with the given kubectl (default: the one on the PATH), and replaces the page.
"""

import argparse
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "integration"))

PATHS = """pod.spec.restartPolicy pod.spec.terminationGracePeriodSeconds pod.spec.containers.imagePullPolicy
pod.spec.containers.resources.limits pod.spec.containers.securityContext.allowPrivilegeEscalation
pod.spec.affinity.podAntiAffinity pod.spec.topologySpreadConstraints.whenUnsatisfiable
deployment.spec.strategy.rollingUpdate deployment.spec.progressDeadlineSeconds statefulset.spec.podManagementPolicy
cronjob.spec.concurrencyPolicy job.spec.backoffLimit hpa.spec.metrics.type service.spec.externalTrafficPolicy
ingress.spec.rules.http.paths.pathType networkpolicy.spec.policyTypes pvc.spec.accessModes
storageclass.volumeBindingMode pdb.spec.maxUnavailable clusterrole.rules.verbs""".split()
OTHERS = [["pod.spec.containers.livenessProbe"], ["pdb", "--recursive"],
          ["lease.spec", "--output=plaintext-openapiv2"], ["widget.spec"]]
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
([how to read and write them](design/0024-descriptions.md)). This page shows what {version} prints of twenty
well-known fields, of a type, of a whole resource, by OpenAPI v2, and of a custom resource.
`tests/compat/explain.py` writes it.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--kubectl", default="kubectl")
    args = parser.parse_args()
    os.environ["KEELSON_BINARY"] = str((args.build / "keelson").resolve())
    import harness  # after KEELSON_BINARY is set

    server = harness.Server("--storage-backend=memory").start()
    try:
        made = server.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", WIDGETS)
        assert made.status == 201, made

        def kubectl(*words):
            return subprocess.run([args.kubectl, f"--kubeconfig={server.kubeconfig}", *words], capture_output=True,
                                  text=True)

        harness.wait_until(lambda: kubectl("explain", "widget.spec.size").returncode == 0, "the custom resource is described")
        version = kubectl("version", "--client").stdout.splitlines()[0].removeprefix("Client Version: ")
        page = [HEAD.format(version="kubectl " + version)]
        for words in [[path] for path in PATHS] + OTHERS:
            shown = kubectl("explain", *words)
            assert shown.returncode == 0, shown
            lines = [line.rstrip().expandtabs(4) for line in shown.stdout.strip().splitlines()]
            page.append(f"## {' '.join(words)}\n\n```\n$ kubectl explain {' '.join(words)}\n" + "\n".join(lines) + "\n```\n")
    finally:
        server.close()
    (ROOT / "docs" / "explain.md").write_text("\n".join(page))


if __name__ == "__main__":
    main()
