"""What a cluster runs for itself, as objects for the API: its DNS server."""

import images

COREFILE = """.:53 {
    errors
    health
    ready
    kubernetes %s in-addr.arpa ip6.arpa {
        pods insecure
        fallthrough in-addr.arpa ip6.arpa
    }
    # There is no network outside this cluster, so there are no other names.
    template ANY ANY . {
        rcode NXDOMAIN
    }
    cache 30
    loadbalance
}
"""


def dns(address, domain):
    """CoreDNS, for the names of `domain`, at the address of its service."""
    labels = {"k8s-app": "kube-dns"}
    about = {"name": "coredns", "namespace": "kube-system"}
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "system:coredns"}
    ports = [("dns", 53, "UDP"), ("dns-tcp", 53, "TCP")]
    container = {
        "name": "coredns", "image": images.COREDNS, "args": ["-conf", "/etc/coredns/Corefile"],
        "ports": [{"name": name, "containerPort": port, "protocol": protocol} for name, port, protocol in ports],
        "volumeMounts": [{"name": "config", "mountPath": "/etc/coredns", "readOnly": True}],
        "livenessProbe": {"httpGet": {"path": "/health", "port": 8080}, "initialDelaySeconds": 30},
        "readinessProbe": {"httpGet": {"path": "/ready", "port": 8181}, "periodSeconds": 1},
        "securityContext": {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                            "capabilities": {"add": ["NET_BIND_SERVICE"], "drop": ["ALL"]}}}
    return {"apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": about},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": about, "data": {"Corefile": COREFILE % domain}},
        {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": role["name"]}, "rules": [
            {"apiGroups": [""], "resources": ["endpoints", "services", "pods", "namespaces"], "verbs": ["list", "watch"]},
            {"apiGroups": ["discovery.k8s.io"], "resources": ["endpointslices"], "verbs": ["list", "watch"]}]},
        {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": role["name"]},
         "roleRef": role, "subjects": [{"kind": "ServiceAccount", **about}]},
        {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "kube-dns", "namespace": "kube-system", "labels": labels},
         "spec": {"clusterIP": address, "selector": labels, "ports": [
             {"name": name, "port": port, "protocol": protocol} for name, port, protocol in ports]}},
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {**about, "labels": labels},
         "spec": {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": {
             "serviceAccountName": "coredns", "priorityClassName": "system-cluster-critical", "dnsPolicy": "Default",
             "containers": [container], "volumes": [{"name": "config", "configMap": {"name": "coredns"}}]}}}}]}
