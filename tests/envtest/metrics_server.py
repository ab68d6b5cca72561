"""metrics-server at work: an aggregated API with the authentication and authorization that the server lends it."""

import base64
import http.client
import json
import ssl

import kubelets
import suites
from servers import cluster
from stage import ADDRESS, RBAC

PORT = 4443
OWN = "kube-system"
NAME = "metrics-server"
REGISTRATION = "/apis/apiregistration.k8s.io/v1/apiservices/v1beta1.metrics.k8s.io"
SPACE = "shop"
PODS = f"/apis/metrics.k8s.io/v1beta1/namespaces/{SPACE}/pods"
NODES = "/apis/metrics.k8s.io/v1beta1/nodes"
MI = 1 << 20
# What each node and container uses: processors, bytes.
USES = [{"": (1.5, 2048 * MI), (SPACE, "web", "front"): (0.25, 64 * MI), (SPACE, "web", "back"): (0.5, 128 * MI)},
        {"": (0.5, 1024 * MI), (SPACE, "store", "store"): (0.25, 512 * MI)}]


def prepare(build):
    """Its module, with the program compiled."""
    project = suites.project(NAME, build)
    project.prepare()
    project.program("./cmd/metrics-server")
    return project


def start_nodes(stage, authority):
    """Two kubelets with pods that run."""
    nodes = [kubelets.Kubelet(stage, number, authority, uses) for number, uses in enumerate(USES, 1)]
    stage.namespace(SPACE)
    stage.create(f"/api/v1/namespaces/{SPACE}/serviceaccounts", {"metadata": {"name": "reader"}})
    for node in nodes:
        for namespace, pod in node.pods():
            stage.create(f"/api/v1/namespaces/{namespace}/pods", {"metadata": {"name": pod}, "spec": {
                "nodeName": node.name, "serviceAccountName": "reader", "automountServiceAccountToken": False,
                "containers": [{"name": key[2], "image": "none"} for key in node.uses if key[:2] == (namespace, pod)]}})
        node.start_pods()
        stage.say(f"{node.name} registers itself and runs its pods")
    return nodes


def available(stage, status, *reasons):
    """The condition of the registration, once it is that."""
    def found():
        conditions = (stage.get(REGISTRATION).get("status") or {}).get("conditions") or []
        return next((c for c in conditions if c["type"] == "Available" and c["status"] == status and
                     c["reason"] in reasons), None)

    condition = stage.wait(f"the registration's condition Available is {status}", found)
    # The message of that one ends with the words of an HTTP client.
    message = "" if condition["reason"] == "FailedDiscoveryCheck" else f": {condition['message']}"
    stage.say(f"which is because of {condition['reason']}{message}")


def start(stage, authority):
    """Installs its manifests, as they are, and runs it. Returns the function that runs it."""
    project = prepare(stage.build)
    stage.shows("kubectl applies metrics-server's manifests", "apply", "-k", project.folder / "manifests" / "base")
    stage.patch(REGISTRATION, {"spec": {"insecureSkipTLSVerify": None, "caBundle": base64.b64encode(
        authority.certificate.read_bytes()).decode()}})
    available(stage, "False", "EndpointsNotFound", "MissingEndpoints")
    stage.back(OWN, NAME, "https", PORT)
    certificate, key = authority.issue(f"/CN={NAME}", "serverAuth", f"DNS:{NAME}.{OWN}.svc,IP:{ADDRESS}")
    kubeconfig = stage.kubeconfig_of_account(OWN, NAME)

    def run():
        process = stage.run(
            NAME, project.program("./cmd/metrics-server"), f"--kubeconfig={kubeconfig}",
            f"--authentication-kubeconfig={kubeconfig}", f"--authorization-kubeconfig={kubeconfig}",
            f"--bind-address={ADDRESS}", f"--secure-port={PORT}", f"--tls-cert-file={certificate}",
            f"--tls-private-key-file={key}", f"--kubelet-certificate-authority={authority.certificate}",
            "--kubelet-preferred-address-types=InternalIP", "--kubelet-use-node-status-port", "--metric-resolution=10s",
            "--kubelet-request-timeout=9s", "-v=2")
        available(stage, "True", "Passed")
        return process

    return run


def show_metrics(stage):
    # A rate needs two samples, which are ten seconds apart.
    stage.wait("there are metrics of all nodes and pods", lambda: len(stage.items(NODES)) == 2 and len(
        stage.items(PODS)) == 2)
    stage.shows("kubectl top nodes", "top", "nodes")
    stage.shows("kubectl top pods", "top", "pods", "-A", "--sum")
    stage.shows("kubectl top pods by container", "top", "pods", "-n", SPACE, "--containers", "--sort-by=memory")
    stage.shows("kubectl top pods that match", "top", "pods", "-n", SPACE, "--field-selector=metadata.name=web")
    stage.shows("its table", "get", "nodes.metrics.k8s.io", "-o", "custom-columns=NAME:.metadata.name,CPU:.usage.cpu")
    stage.shows("its resources", "api-resources", "--api-group=metrics.k8s.io")
    stage.shows("its schema", "explain", "podmetrics.containers", "--api-version=metrics.k8s.io/v1beta1")


def ask(authority, path, token=None, identity=None, headers=()):
    """(status, message) of metrics-server itself, asked by `identity`, a certificate and its key, or with a token."""
    context = ssl.create_default_context(cafile=authority.certificate)
    if identity:
        context.load_cert_chain(*identity)
    connection = http.client.HTTPSConnection(ADDRESS, PORT, context=context, timeout=30)
    shown = {"Authorization": f"Bearer {token}"} if token else {}
    connection.request("GET", path, headers={**dict(headers), **shown})
    answer = connection.getresponse()
    body = json.loads(answer.read())
    connection.close()
    return answer.status, body.get("message", "")


def check_access(stage, authority):
    """Who is refused by the server, and who by metrics-server, which asks the server."""
    stage.create(f"{RBAC}/namespaces/{SPACE}/rolebindings", {
        "metadata": {"name": "reader"}, "subjects": [{"kind": "ServiceAccount", "name": "reader", "namespace": SPACE},
                                                     {"kind": "User", "name": "ann"}],
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                    "name": "system:aggregated-metrics-reader"}})
    ann = stage.kubeconfig_of("ann")
    stage.shows("a user who may", "top", "pods", "-n", SPACE, kubeconfig=ann)
    stage.fails("kubectl top nodes of a user who may not", "top", "nodes", kubeconfig=ann)
    token, proxy = stage.token_of(SPACE, "reader"), stage.server.front_proxy.authority
    trusted, unknown = proxy.issue("/CN=front-proxy"), proxy.issue("/CN=somebody")
    as_ann = {"X-Remote-User": "ann", "X-Remote-Group": "system:authenticated"}
    for who, path, how in (
            ("who may, with a token,", PODS, {"token": token}),
            ("who may not, with a token,", NODES, {"token": token}),
            ("nobody", NODES, {}),
            ("a token that is none", NODES, {"token": "none"}),
            ("the front proxy for who may", PODS, {"identity": trusted, "headers": as_ann}),
            ("the front proxy for who may not", NODES, {"identity": trusted, "headers": as_ann}),
            ("a front proxy with another name", PODS, {"identity": unknown, "headers": as_ann}),
            ("a user's own headers", PODS, {"headers": as_ann})):
        status, message = ask(authority, path, **how)
        stage.say(f"metrics-server answers {who}: {status} {message}".rstrip())


def work(stage):
    """kubectl top shows what kubelets tell; users who may not are refused; its end is noticed, and its return."""
    authority = cluster.identity.Authority("backends")
    nodes = []
    try:
        nodes = start_nodes(stage, authority)
        run = start(stage, authority)
        process = run()
        show_metrics(stage)
        check_access(stage, authority)
        stage.end(process)
        available(stage, "False", "FailedDiscoveryCheck")
        stage.fails("kubectl top nodes without metrics-server", "top", "nodes")
        stage.fails("a request without metrics-server", "get", "--raw", NODES)
        run()
        stage.wait("there are metrics again", lambda: len(stage.items(PODS)) == 2)
    finally:
        for node in nodes:
            node.close()
        authority.close()
