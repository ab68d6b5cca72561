"""cert-manager at work: its controller, its webhook, which is reached by URL, and its injector."""

import base64
import subprocess

import modules
import suites
from servers import cluster
from stage import ADMISSION, OPERATORS

OWN = "cert-manager"  # its namespace, and the user that its programs are
PROGRAMS = ("webhook", "cainjector", "controller")


def prepare(build):
    """Its module, with the programs compiled."""
    project = suites.project("cert-manager", build)
    project.prepare()
    for name in PROGRAMS:
        project.program(f"./cmd/{name}")
    return project


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


def start(stage):
    project = prepare(stage.build)
    stage.install(modules.without_templates(file.read_text())
                  for file in sorted((project.folder / "deploy" / "crds").glob("crd-*.yaml")))
    stage.namespace(OWN)
    port, health, metrics = (cluster.free_port() for _ in range(3))
    flags = {
        "webhook": (f"--secure-port={port}", f"--healthz-port={health}", "--dynamic-serving-dns-names=localhost",
                    f"--dynamic-serving-ca-secret-namespace={OWN}",
                    "--dynamic-serving-ca-secret-name=cert-manager-webhook-ca"),
        "cainjector": ("--leader-elect=false",),
        "controller": (f"--cluster-resource-namespace={OWN}", f"--leader-election-namespace={OWN}",
                       f"--metrics-listen-address=127.0.0.1:{metrics}", "--kube-api-qps=200", "--kube-api-burst=200")}
    for name in PROGRAMS:
        stage.run(f"cert-manager-{name}", project.program(f"./cmd/{name}"),
                  f"--kubeconfig={stage.kubeconfig_of(OWN, [OPERATORS])}", *flags[name])
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
    stage.say(f"OpenSSL finds the certificate {name} signed by the authority")


def work(stage):
    """A self-signed authority issues a certificate, which is issued again when it changes; mistakes are refused."""
    start(stage)
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
    stage.patch(f"{certificates(space)}/web", {"spec": {"dnsNames": ["shop.example.com", "www.example.com"]}})
    stage.wait_for_condition("a certificate with another name is issued again", f"{certificates(space)}/web", "Ready",
                             revision=2)
    denied = 'admission webhook "webhook.cert-manager.io" denied the request'
    stage.refused("a certificate that is valid for a minute", certificates(space), made("Certificate", "short", {
        "dnsNames": ["shop.example.com"], "secretName": "short", "duration": "1m", "issuerRef": {"name": "authority"}}),
        denied, "spec.duration")
    stage.refused("an issuer of two kinds", issuers(space), made("Issuer", "two", {
        "selfSigned": {}, "ca": {"secretName": "root"}}), denied)
