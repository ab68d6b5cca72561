#!/usr/bin/env python3
"""Lets an operator with webhooks, cert-manager, do its work on a server, as local processes.

    operators.py --build DIR [--server keelson|upstream]

Its programs are compiled from the Go module that suites.txt names, whose definitions are installed. Its webhook is
reached by URL, with the authority that its injector writes into the webhook configurations. Each step says what it has
seen; the first that does not come ends the run. Logs are in DIR/operators/SERVER.
"""

import argparse
import base64
import pathlib
import subprocess
import sys
import time

import modules
import servers
import suites
from servers import cluster

STEP_SECONDS = 120
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
ADMISSION = "/apis/admissionregistration.k8s.io/v1"
OWN = "cert-manager"  # the namespace of cert-manager, and the user that its programs are
OPERATORS = "operators"  # their group


class Stage:
    """A server, the operators' processes, and what is asked of it."""

    def __init__(self, which, build):
        self.build, self.directory = build, build / "operators" / which
        self.server = servers.start(which, build, self.directory)
        self.client, self.processes = servers.Client(self.server), []
        self.create("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
            "metadata": {"name": OPERATORS}, "subjects": [{"kind": "Group", "name": OPERATORS}],
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"}})

    def stop(self):
        for process in reversed(self.processes):
            process.stop()
        self.server.stop()

    def run(self, name, program, *args, user):
        kubeconfig = self.directory / f"{user}.kubeconfig"
        if not kubeconfig.exists():
            self.server.kubeconfig_for(kubeconfig, user, [OPERATORS])
        self.processes.append(cluster.Process(name, [program, f"--kubeconfig={kubeconfig}", *args], self.directory))

    def create(self, path, body):
        code, answer = self.client.do("POST", path, body)
        if code != 201:
            raise SystemExit(f"error: POST {path}: {code} {answer}")
        return answer

    def namespace(self, name):
        self.create("/api/v1/namespaces", {"metadata": {"name": name}})

    def get(self, path):
        code, answer = self.client.do("GET", path)
        return answer if code == 200 else None

    def wait(self, what, condition):
        """Polls until `condition` returns something that is true, and returns that."""
        deadline = time.monotonic() + STEP_SECONDS
        while not (seen := condition()):
            for process in [*self.server.processes, *self.processes]:
                process.check()
            if time.monotonic() > deadline:
                raise SystemExit(f"error: not within {STEP_SECONDS} s: {what} ({self.directory} has the logs)")
            time.sleep(0.1)
        print(f"ok: {what}", flush=True)
        return seen

    def wait_for_condition(self, what, path, condition, **more):
        def met():
            found = self.get(path)
            states = {c["type"]: c["status"] for c in ((found or {}).get("status") or {}).get("conditions") or []}
            return found if states.get(condition) == "True" and all(
                found["status"].get(field) == value for field, value in more.items()) else None

        return self.wait(what, met)

    def refused(self, what, path, body, *words):
        code, answer = self.client.do("POST", path, body)
        message = answer.get("message", "") if isinstance(answer, dict) else answer
        if code < 400 or not all(word in message for word in words):
            raise SystemExit(f"error: {what} was expected to be refused with {words}: {code} {answer}")
        print(f"ok: {what} is refused: {message}", flush=True)

    def install(self, manifests):
        names = [self.create(DEFINITIONS, manifest)["metadata"]["name"] for manifest in manifests]
        for name in names:
            self.wait_for_condition(f"the definition {name} is established", f"{DEFINITIONS}/{name}", "Established")


def certificate_webhooks(kind, path, port):
    """cert-manager's configuration of webhooks, as its chart makes it for one that is reached by URL."""
    webhook = {"name": "webhook.cert-manager.io", "admissionReviewVersions": ["v1"], "sideEffects": "None",
               "matchPolicy": "Equivalent", "failurePolicy": "Fail", "timeoutSeconds": 10,
               "rules": [{"apiGroups": ["cert-manager.io", "acme.cert-manager.io"], "apiVersions": ["v1"],
                          "operations": ["CREATE", "UPDATE"], "resources": ["*/*"]}],
               "clientConfig": {"url": f"https://localhost:{port}/{path}"}}
    return {"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "webhooks": [webhook], "metadata": {
        "name": "cert-manager-webhook",
        "annotations": {"cert-manager.io/inject-ca-from-secret": f"{OWN}/cert-manager-webhook-ca"}}}


def start_cert_manager(stage):
    project = suites.project("cert-manager", stage.build)
    project.prepare()
    stage.install(modules.without_templates(file.read_text())
                  for file in sorted((project.folder / "deploy" / "crds").glob("crd-*.yaml")))
    stage.namespace(OWN)
    port, health, metrics = (cluster.free_port() for _ in range(3))
    stage.run("cert-manager-webhook", project.program("./cmd/webhook"), f"--secure-port={port}",
              f"--healthz-port={health}", f"--dynamic-serving-ca-secret-namespace={OWN}",
              "--dynamic-serving-ca-secret-name=cert-manager-webhook-ca", "--dynamic-serving-dns-names=localhost",
              user=OWN)
    stage.run("cert-manager-cainjector", project.program("./cmd/cainjector"), "--leader-elect=false", user=OWN)
    stage.run("cert-manager-controller", project.program("./cmd/controller"), f"--cluster-resource-namespace={OWN}",
              f"--leader-election-namespace={OWN}", f"--metrics-listen-address=127.0.0.1:{metrics}",
              "--kube-api-qps=200", "--kube-api-burst=200", user=OWN)
    for kind, path in (("MutatingWebhookConfiguration", "mutate"), ("ValidatingWebhookConfiguration", "validate")):
        stage.create(f"{ADMISSION}/{kind.lower()}s", certificate_webhooks(kind, path, port))
        stage.wait(f"cert-manager's injector writes its authority into the {kind}", lambda kind=kind: stage.get(
            f"{ADMISSION}/{kind.lower()}s/cert-manager-webhook")["webhooks"][0]["clientConfig"].get("caBundle"))
    # It listens before it has a certificate, and lets the handshakes fail that long.
    stage.wait("cert-manager's webhook answers", lambda: stage.client.do(
        "POST", f"{issuers('default')}?dryRun=All", made("Issuer", "trial", {"selfSigned": {}}))[0] == 201)


def certificates(namespace):
    return f"/apis/cert-manager.io/v1/namespaces/{namespace}/certificates"


def issuers(namespace):
    return f"/apis/cert-manager.io/v1/namespaces/{namespace}/issuers"


def made(kind, name, spec):
    return {"apiVersion": "cert-manager.io/v1", "kind": kind, "metadata": {"name": name}, "spec": spec}


def self_signed(stage, namespace):
    stage.create(issuers(namespace), made("Issuer", "self-signed", {"selfSigned": {}}))
    stage.wait_for_condition("a self-signed issuer is ready", f"{issuers(namespace)}/self-signed", "Ready")


def verify(stage, name, secret, authority):
    """Whether a TLS secret's certificate is signed by an authority's, by OpenSSL."""
    files = []
    for file, data in ((f"{name}.crt", secret["data"]["tls.crt"]), (f"{name}-ca.crt", authority)):
        files.append(stage.directory / file)
        files[-1].write_bytes(base64.b64decode(data))
    said = subprocess.run(["openssl", "verify", "-CAfile", files[1], files[0]], capture_output=True, text=True,
                          check=False)
    if said.returncode != 0:
        raise SystemExit(f"error: the certificate {name}: {said.stderr}")
    print(f"ok: OpenSSL finds the certificate {name} signed by the authority", flush=True)


def do_certificates(stage):
    """A self-signed authority issues a certificate, which is issued again when it changes; mistakes are refused."""
    space = "shop"
    stage.namespace(space)
    self_signed(stage, space)
    stage.create(certificates(space), made("Certificate", "root", {
        "isCA": True, "commonName": "root", "secretName": "root", "issuerRef": {"name": "self-signed"}}))
    stage.wait_for_condition("a certificate of an authority is ready", f"{certificates(space)}/root", "Ready")
    stage.create(issuers(space), made("Issuer", "authority", {"ca": {"secretName": "root"}}))
    stage.wait_for_condition("an issuer with that authority is ready", f"{issuers(space)}/authority", "Ready")
    stage.create(certificates(space), made("Certificate", "web", {
        "dnsNames": ["shop.example.com"], "secretName": "web", "issuerRef": {"name": "authority"}}))
    stage.wait_for_condition("a certificate that it issues is ready", f"{certificates(space)}/web", "Ready", revision=1)
    secrets = f"/api/v1/namespaces/{space}/secrets"
    verify(stage, "web", stage.get(f"{secrets}/web"), stage.get(f"{secrets}/root")["data"]["tls.crt"])
    stage.wait("cert-manager's webhook has written down who made the requests", lambda: {OWN} == {
        request["spec"].get("username") for request in
        stage.get(f"/apis/cert-manager.io/v1/namespaces/{space}/certificaterequests")["items"]})
    code, answer = stage.client.do("PATCH", f"{certificates(space)}/web", {
        "spec": {"dnsNames": ["shop.example.com", "www.example.com"]}}, "application/merge-patch+json")
    if code != 200:
        raise SystemExit(f"error: PATCH of a certificate: {code} {answer}")
    stage.wait_for_condition("a certificate with another name is issued again", f"{certificates(space)}/web", "Ready",
                             revision=2)
    stage.refused("a certificate that is valid for a minute", certificates(space), made("Certificate", "short", {
        "dnsNames": ["shop.example.com"], "secretName": "short", "duration": "1m", "issuerRef": {"name": "authority"}}),
        'admission webhook "webhook.cert-manager.io" denied the request', "spec.duration")
    stage.refused("an issuer of two kinds", issuers(space), made("Issuer", "two", {
        "selfSigned": {}, "ca": {"secretName": "root"}}), 'admission webhook "webhook.cert-manager.io" denied the request')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--server", choices=("keelson", "upstream"), default="keelson")
    args = parser.parse_args()
    build = args.build.resolve()
    stage = Stage(args.server, build)
    try:
        start_cert_manager(stage)
        do_certificates(stage)
    finally:
        stage.stop()
    print(f"{args.server}: cert-manager did its work")
    return 0


if __name__ == "__main__":
    sys.exit(main())
