"""Cluster API's manager at work: admission and conversion webhooks behind one service.

The clusters that it manages have no machines: this plays the provider of the infrastructure, by its contract, and the
cluster that is made is the server itself.
"""

import base64
import json
import re

import suites
from servers import cluster
from stage import ADMISSION, DEFINITIONS, RBAC

OWN = "capi-system"
SERVICE = "capi-webhook-service"
SPACE = "shop"
GROUP, INFRASTRUCTURE = "cluster.x-k8s.io", "infrastructure.cluster.x-k8s.io"
OLD, NEW = (f"/apis/{GROUP}/{version}/namespaces/{SPACE}" for version in ("v1beta1", "v1beta2"))
PROVIDED = f"/apis/{INFRASTRUCTURE}/v1/namespaces/{SPACE}"
CLUSTER_LABEL = "cluster.x-k8s.io/cluster-name"
# What differs from run to run in an object's JSON.
CHANGING = (
    (r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "UID"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "TIME"),
    (r'"resourceVersion": "\d+"', '"resourceVersion": "N"'),
    (r"web-[a-z0-9]{5}(-[a-z0-9]{5})?", "NAME"),
    (r'"machine-template-hash": "[^"]*"', '"machine-template-hash": "HASH"'),
)


def prepare(build):
    """Its module, with the program compiled."""
    project, api = (suites.project(name, build) for name in ("cluster-api", "cluster-api/api"))
    project.prepare()
    api.prepare()
    project.program("./core")
    return project


def provided_kind(kind):
    """The definition of a kind of the provider. The label says which of its versions follow which contract."""
    plural = f"{kind.lower()}s"
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.{INFRASTRUCTURE}", "labels": {"cluster.x-k8s.io/v1beta2": "v1"}},
            "spec": {"group": INFRASTRUCTURE, "scope": "Namespaced", "names": {"kind": kind, "plural": plural},
                     "versions": [{"name": "v1", "served": True, "storage": True, "subresources": {"status": {}},
                                   "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                                       "spec": anything, "status": anything}}}}]}}


def install(stage, project, authority):
    """Its manifests, but for what makes pods and what asks cert-manager for a certificate: that comes from here."""
    documents = stage.must("kustomize", project.folder / "core" / "config" / "default").split("\n---\n")
    left_out = re.compile(r"^kind: (Certificate|Issuer|Deployment)$", re.MULTILINE)
    stage.shows("kubectl applies Cluster API's manifests", "apply", "--server-side", "-f", "-",
                body="\n---\n".join(each for each in documents if not left_out.search(each)))
    stage.must("wait", "--for=condition=Established", "--timeout=60s", "customresourcedefinitions", "--all")
    bundle = base64.b64encode(authority.certificate.read_bytes()).decode()
    for definition in stage.items(DEFINITIONS):
        stage.patch(f"{DEFINITIONS}/{definition['metadata']['name']}", {
            "spec": {"conversion": {"webhook": {"clientConfig": {"caBundle": bundle}}}}})
    for kind in ("mutating", "validating"):
        path = f"{ADMISSION}/{kind}webhookconfigurations/capi-{kind}-webhook-configuration"
        webhooks = stage.get(path)["webhooks"]
        for webhook in webhooks:
            webhook["clientConfig"]["caBundle"] = bundle
        stage.patch(path, {"webhooks": webhooks})


def start(stage, authority):
    project = prepare(stage.build)
    install(stage, project, authority)
    # The manager's own role is an aggregated one, which only some controller fills in.
    stage.create(f"{RBAC}/clusterrolebindings", {
        "metadata": {"name": "capi-manager"}, "subjects": [{"kind": "ServiceAccount", "name": "capi-manager",
                                                            "namespace": OWN}],
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "capi-manager-role"}})
    stage.install(map(provided_kind, ("SimCluster", "SimControlPlane", "SimMachine", "SimMachineTemplate")))
    webhook, health, diagnostics = (cluster.free_port() for _ in range(3))
    stage.back(OWN, SERVICE, "", webhook)
    certificate, key = authority.issue(f"/CN={SERVICE}", "serverAuth", f"DNS:{SERVICE}.{OWN}.svc")
    stage.run("capi-manager", project.program("./core"),
              f"--kubeconfig={stage.kubeconfig_of_account(OWN, 'capi-manager')}", f"--webhook-port={webhook}",
              f"--webhook-cert-dir={certificate.parent}", f"--webhook-cert-name={certificate.name}",
              f"--webhook-key-name={key.name}", f"--health-addr=127.0.0.1:{health}",
              f"--diagnostics-address=127.0.0.1:{diagnostics}", "--insecure-diagnostics")
    stage.namespace(SPACE)
    stage.wait("its webhooks answer", lambda: stage.client.do(
        "POST", f"{OLD}/clusters?dryRun=All", old_cluster("trial"))[0] == 201)


def old_cluster(name, pods="10.244.0.0/16"):
    parts = {part: {"apiVersion": f"{INFRASTRUCTURE}/v1", "kind": kind, "name": name} for part, kind in (
        ("infrastructureRef", "SimCluster"), ("controlPlaneRef", "SimControlPlane"))}
    return {"apiVersion": f"{GROUP}/v1beta1", "kind": "Cluster", "metadata": {"name": name, "namespace": SPACE},
            "spec": {"clusterNetwork": {"pods": {"cidrBlocks": [pods]}}, **parts}}


def machine_deployment(name, **template):
    return {"apiVersion": f"{GROUP}/v1beta2", "kind": "MachineDeployment", "metadata": {"name": name},
            "spec": {"clusterName": "shop", "template": {"spec": {
                "clusterName": "shop", "version": "1.36.4", "bootstrap": {"dataSecretName": "data"},
                "infrastructureRef": {"apiGroup": INFRASTRUCTURE, "kind": "SimMachineTemplate", "name": "small"},
                **template}}}}


def provided(kind, name, spec):
    return {"apiVersion": f"{INFRASTRUCTURE}/v1", "kind": kind, "metadata": {"name": name}, "spec": spec}


def make_cluster(stage):
    """A cluster that is written in the old version is stored in the new one, adopted, and provisioned."""
    stage.create(f"{PROVIDED}/simclusters", provided("SimCluster", "shop", {
        "controlPlaneEndpoint": {"host": cluster.ADVERTISED, "port": 6443}}))
    stage.create(f"{PROVIDED}/simcontrolplanes", provided("SimControlPlane", "shop", {}))
    stage.shows("a cluster is made in v1beta1", "create", "-f", "-", body=old_cluster("shop"))
    for path in (OLD, NEW):
        spec = stage.get(f"{path}/clusters/shop")["spec"]
        stage.say(f"its spec is {json.dumps(spec, sort_keys=True)} at {path}")
    stage.wait("the cluster owns its infrastructure", lambda: [owner["name"] for owner in stage.get(
        f"{PROVIDED}/simclusters/shop")["metadata"].get("ownerReferences", [])] == ["shop"])
    stage.create(f"/api/v1/namespaces/{SPACE}/secrets", {
        "metadata": {"name": "shop-kubeconfig", "labels": {CLUSTER_LABEL: "shop"}}, "type": "cluster.x-k8s.io/secret",
        "stringData": {"value": stage.kubeconfig_text(stage.server.token)}})
    stage.patch(f"{PROVIDED}/simclusters/shop/status", {"status": {"initialization": {"provisioned": True}}})
    stage.patch(f"{PROVIDED}/simcontrolplanes/shop/status", {"status": {
        "initialization": {"controlPlaneInitialized": True}, "externalManagedControlPlane": True}})
    stage.shows("kubectl waits for it in v1beta1", "wait", "-n", SPACE, "clusters.v1beta1.cluster.x-k8s.io/shop",
                "--for=jsonpath={.status.phase}=Provisioned", "--timeout=60s")


def provision(stage):
    """Does what a provider does: machines that were asked for get an id, and become nodes."""
    for machine in stage.items(f"{PROVIDED}/simmachines"):
        name, identity = machine["metadata"]["name"], f"sim:///{machine['metadata']['name']}"
        if "providerID" in machine["spec"] or "deletionTimestamp" in machine["metadata"]:
            continue
        stage.create("/api/v1/nodes", {"metadata": {"name": name}, "spec": {"providerID": identity}, "status": {
            "conditions": [{"type": kind, "status": state, "reason": "simulated"} for kind, state in (
                ("Ready", "True"), ("MemoryPressure", "False"), ("DiskPressure", "False"), ("PIDPressure", "False"))]}})
        stage.patch(f"{PROVIDED}/simmachines/{name}", {"spec": {"providerID": identity}})
        stage.patch(f"{PROVIDED}/simmachines/{name}/status", {"status": {"initialization": {"provisioned": True}}})


def wait_for_machines(stage, count):
    """Until so many machines run, and there are as many nodes."""
    def run():
        provision(stage)
        phases = [each["status"].get("phase") for each in stage.items(f"{NEW}/machines") if "status" in each]
        status = stage.get(f"{NEW}/machinedeployments/web").get("status", {})
        return phases == ["Running"] * count and len(stage.items("/api/v1/nodes")) == count and (
            status.get("upToDateReplicas"), status.get("readyReplicas")) == (count, count)

    stage.wait(f"{count} machines run", run)
    stage.shows("the deployment in v1beta1", "get", "-n", SPACE, "machinedeployments.v1beta1.cluster.x-k8s.io", "-o",
                "custom-columns=NAME:.metadata.name,REPLICAS:.status.replicas,READY:.status.readyReplicas,"
                "UPDATED:.status.updatedReplicas,PHASE:.status.phase,TEMPLATE:.spec.template.spec.infrastructureRef")


def make_machines(stage):
    """A deployment is completed by the webhook, and has machines, as many as it says."""
    stage.create(f"{PROVIDED}/simmachinetemplates", provided("SimMachineTemplate", "small", {
        "template": {"spec": {"size": "small"}}}))
    stage.create(f"/api/v1/namespaces/{SPACE}/secrets", {"metadata": {"name": "data"}, "stringData": {"value": "none"}})
    made = stage.create(f"{NEW}/machinedeployments", machine_deployment("web"))
    stage.say(f"a deployment is completed: {json.dumps(made['spec'], sort_keys=True)}")
    wait_for_machines(stage, 1)
    for count in (3, 2):
        stage.shows("kubectl scales it in v1beta1", "scale", "-n", SPACE, f"--replicas={count}",
                    "machinedeployments.v1beta1.cluster.x-k8s.io/web")
        wait_for_machines(stage, count)
    stage.shows("its pause, by an apply in v1beta1", "apply", "--server-side", "-f", "-", body={
        "apiVersion": f"{GROUP}/v1beta1", "kind": "MachineDeployment", "metadata": {
            "name": "web", "namespace": SPACE, "annotations": {"cluster.x-k8s.io/paused": ""}}})


def compare_objects(stage):
    """What all objects are like, in both versions, with who wrote which field. Their status may go on changing, and is
    also in the annotation that keeps what the old version cannot say.
    """
    paths = [f"{version}/{kind}" for kind in ("clusters", "machinedeployments", "machinesets", "machines")
             for version in (OLD, NEW)]
    paths += [f"{PROVIDED}/{kind}" for kind in ("simclusters", "simcontrolplanes", "simmachines")]
    for path in paths:
        objects = stage.items(path)
        for each in objects:
            each.pop("status", None)
            each["metadata"].get("annotations", {}).pop("cluster.x-k8s.io/conversion-data", None)
            each["metadata"]["managedFields"] = sorted(
                (entry for entry in each["metadata"]["managedFields"] if "subresource" not in entry),
                key=lambda entry: (entry["manager"], entry["operation"], entry["apiVersion"]))
        text = json.dumps(objects, sort_keys=True)
        for pattern, name in CHANGING:
            text = re.sub(pattern, name, text)
        stage.say(f"there are {len(objects)} objects at {path}", text)


def refuse_mistakes(stage):
    denied = 'admission webhook "{}.cluster.x-k8s.io" denied the request'
    deployments, cluster_denied = f"{NEW}/machinedeployments", denied.format("validation.cluster")
    deployment_denied = denied.format("validation.machinedeployment")
    stage.refused("a version that is none", deployments, machine_deployment("bad", version="one"), deployment_denied)
    stage.refused("a deployment without a bootstrap", deployments, machine_deployment("bad", bootstrap={}))
    stage.refused("a deployment that moves to another cluster", f"{NEW}/machinedeployments/web",
                  {"spec": {"clusterName": "other"}}, deployment_denied, "immutable", method="PATCH")
    stage.refused("a cluster in v1beta1 whose network is none", f"{OLD}/clusters", old_cluster("bad", "10.0.0.0"),
                  cluster_denied, "cidrBlocks")
    nothing = old_cluster("bad")
    del nothing["spec"]["infrastructureRef"], nothing["spec"]["controlPlaneRef"]
    stage.refused("a cluster in v1beta1 of nothing", f"{OLD}/clusters", nothing)
    stage.refused("a machine set of nothing", f"{NEW}/machinesets", {
        "apiVersion": f"{GROUP}/v1beta2", "kind": "MachineSet", "metadata": {"name": "bad"}, "spec": {}})


def delete_cluster(stage):
    stage.shows("the pause ends", "annotate", "-n", SPACE, "machinedeployment/web", "cluster.x-k8s.io/paused-")
    stage.shows("a deletion of the cluster begins", "delete", "-n", SPACE, "cluster/shop", "--wait=false")
    paths = [f"{NEW}/{kind}" for kind in ("clusters", "machinedeployments", "machinesets", "machines")]
    paths += [f"{PROVIDED}/{kind}" for kind in ("simclusters", "simcontrolplanes", "simmachines")]
    stage.wait("the cluster is gone, with its machines and its infrastructure",
               lambda: not any(stage.items(path) for path in paths))


def work(stage):
    """Clusters and machines are made, scaled and deleted, in two versions; mistakes are refused."""
    authority = cluster.identity.Authority("backends")
    try:
        start(stage, authority)
        make_cluster(stage)
        make_machines(stage)
        compare_objects(stage)
        refuse_mistakes(stage)
        delete_cluster(stage)
    finally:
        authority.close()
