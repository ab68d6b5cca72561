"""The smallest object of each kind that a server accepts, without its metadata, by hand."""

POD = {"containers": [{"name": "c", "image": "example.com/i:1"}]}
TEMPLATE = {"metadata": {"labels": {"app": "x"}}, "spec": POD}
SELECTOR = {"matchLabels": {"app": "x"}}
ATTRIBUTES = {"verb": "get", "resource": "pods", "namespace": "default"}
RULES = [{"apiGroups": ["nope.example.com"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["nopes"]}]
WEBHOOK = {"name": "hook.example.com", "sideEffects": "None", "admissionReviewVersions": ["v1"], "rules": RULES,
           "clientConfig": {"url": "https://192.0.2.1/hook"}}
# A PKCS#10 request for a key that nobody has.
CERTIFICATE_REQUEST = (
    "MIG6MGICAQAwADBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABBGKXNKRwX2fIvoBgenn7uguayzWz2ucVYzEYPyXePcLuJdtXb4p"
    "V2kvVPeCQXrJUgSaZA+3fDAaRwztR/Z1qBmgADAKBggqhkjOPQQDAgNIADBFAiACUqmvAA9X9tisVdnhgn+Cacc3YR5OaYE/pWjo"
    "AkpaiQIhAOt3xQ0JrukLzL7whlouYLVaBeAXG3jW4xDLKOk3/Jwi"
)
# Of an authority whose key nobody has.
AUTHORITY = (
    "-----BEGIN CERTIFICATE-----\n"
    "MIIBfzCCASWgAwIBAgIUYNUzpSvuXVeyud03XlVfTmpR7AEwCgYIKoZIzj0EAwIw\n"
    "FDESMBAGA1UEAwwJYXV0aG9yaXR5MCAXDTI2MTExNzIxMzA1MloYDzIxMjYxMDI0\n"
    "MjEzMDUyWjAUMRIwEAYDVQQDDAlhdXRob3JpdHkwWTATBgcqhkjOPQIBBggqhkjO\n"
    "PQMBBwNCAAQXQ/y7DFmqlfhu2LIOf8fQ+7bMg/3UrbWmUG0mAWDsfBRCqg3Du4up\n"
    "/OTon0afaK/Ei+IVJplwyCylnvlSAejZo1MwUTAdBgNVHQ4EFgQUyoeHYpU9Mcfn\n"
    "ET1GDL7d5ehEXuswHwYDVR0jBBgwFoAUyoeHYpU9McfnET1GDL7d5ehEXuswDwYD\n"
    "VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiBDIgLKPYr7H30vYqBNNjLB\n"
    "ej9SqXLTqs3hAluoQRg3OAIhAJi5+KvJu8gC0Dzs8pI6YwgRQSG5K1yAy/cxwbse\n"
    "S0qL\n"
    "-----END CERTIFICATE-----\n"
)
ROLE_REF = {"apiGroup": "rbac.authorization.k8s.io", "name": "nobody"}

MINIMAL = {
    "Binding": {"target": {"kind": "Node", "name": "n"}},
    "ConfigMap": {},
    "Endpoints": {"subsets": [{"addresses": [{"ip": "192.0.2.1"}], "ports": [{"port": 80}]}]},
    "Event": {"involvedObject": {"kind": "Pod", "namespace": "$ns", "name": "p"}, "reason": "Why", "message": "m",
              "type": "Normal"},
    "events.k8s.io/Event": {"regarding": {"kind": "Pod", "namespace": "$ns", "name": "p"}, "reason": "Why",
                            "action": "Do", "reportingController": "example.com/c", "reportingInstance": "i",
                            "type": "Normal", "eventTime": "2001-02-03T04:05:06.123456Z"},
    "LimitRange": {"spec": {"limits": [{"type": "Container", "max": {"cpu": "1"}}]}},
    "Namespace": {},
    "Node": {},
    "PersistentVolumeClaim": {"spec": {"accessModes": ["ReadWriteOnce"],
                                       "resources": {"requests": {"storage": "1Gi"}}}},
    "PersistentVolume": {"spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"],
                                  "hostPath": {"path": "/x"}}},
    "Pod": {"spec": POD},
    "PodTemplate": {"template": TEMPLATE},
    "ReplicationController": {"spec": {"selector": {"app": "x"}, "template": TEMPLATE}},
    "ResourceQuota": {"spec": {"hard": {"count/nopes.example.com": "1"}}},
    "Secret": {},
    "ServiceAccount": {},
    "Service": {"spec": {"ports": [{"port": 80}]}},
    "APIService": {"spec": {"group": "$group", "version": "v1", "groupPriorityMinimum": 100, "versionPriority": 100}},
    "ControllerRevision": {"revision": 1, "data": {"a": "b"}},
    "DaemonSet": {"spec": {"selector": SELECTOR, "template": TEMPLATE}},
    "Deployment": {"spec": {"selector": SELECTOR, "template": TEMPLATE}},
    "ReplicaSet": {"spec": {"selector": SELECTOR, "template": TEMPLATE}},
    "StatefulSet": {"spec": {"selector": SELECTOR, "template": TEMPLATE, "serviceName": "s"}},
    "SelfSubjectReview": {},
    "TokenReview": {"spec": {"token": "nope"}},
    "LocalSubjectAccessReview": {"spec": {"resourceAttributes": {**ATTRIBUTES, "namespace": "$ns"}, "user": "u"}},
    "SelfSubjectAccessReview": {"spec": {"resourceAttributes": ATTRIBUTES}},
    "SelfSubjectRulesReview": {"spec": {"namespace": "default"}},
    "SubjectAccessReview": {"spec": {"resourceAttributes": ATTRIBUTES, "user": "u"}},
    "HorizontalPodAutoscaler": {"spec": {"maxReplicas": 3, "scaleTargetRef": {
        "apiVersion": "apps/v1", "kind": "Deployment", "name": "d"}}},
    "CronJob": {"spec": {"schedule": "* * * * *", "jobTemplate": {"spec": {"template": {
        "spec": {**POD, "restartPolicy": "Never"}}}}}},
    "Job": {"spec": {"template": {"spec": {**POD, "restartPolicy": "Never"}}}},
    "IngressClass": {"spec": {"controller": "example.com/c"}},
    "Ingress": {"spec": {"defaultBackend": {"service": {"name": "s", "port": {"number": 80}}}}},
    "IPAddress": {"spec": {"parentRef": {"resource": "services", "namespace": "default", "name": "s"}}},
    "NetworkPolicy": {"spec": {"podSelector": {}}},
    "ServiceCIDR": {"spec": {"cidrs": ["2001:db8::/112"]}},
    "PodDisruptionBudget": {"spec": {"minAvailable": 1, "selector": SELECTOR}},
    "ClusterRoleBinding": {"roleRef": {**ROLE_REF, "kind": "ClusterRole"}},
    "ClusterRole": {"rules": []},
    "RoleBinding": {"roleRef": {**ROLE_REF, "kind": "Role"}},
    "Role": {"rules": []},
    "CSIDriver": {"spec": {}},
    "CSINode": {"spec": {"drivers": []}},
    "CSIStorageCapacity": {"storageClassName": "c"},
    "StorageClass": {"provisioner": "example.com/p"},
    "VolumeAttachment": {"spec": {"attacher": "example.com", "nodeName": "n",
                                  "source": {"persistentVolumeName": "v"}}},
    "VolumeAttributesClass": {"driverName": "example.com", "parameters": {"a": "b"}},
    "MutatingAdmissionPolicy": {"spec": {
        "matchConstraints": {"resourceRules": RULES}, "reinvocationPolicy": "Never",
        "mutations": [{"patchType": "ApplyConfiguration", "applyConfiguration": {
            "expression": 'Object{metadata: Object.metadata{labels: {"a": "b"}}}'}}]}},
    "MutatingAdmissionPolicyBinding": {"spec": {"policyName": "nope"}},
    "MutatingWebhookConfiguration": {"webhooks": [WEBHOOK]},
    "ValidatingAdmissionPolicy": {"spec": {"matchConstraints": {"resourceRules": RULES},
                                           "validations": [{"expression": "true"}]}},
    "ValidatingAdmissionPolicyBinding": {"spec": {"policyName": "nope", "validationActions": ["Deny"]}},
    "ValidatingWebhookConfiguration": {"webhooks": [WEBHOOK]},
    "CustomResourceDefinition": {"spec": {
        "group": "example.com", "scope": "Namespaced", "names": {"plural": "$plural", "kind": "$kind"},
        "versions": [{"name": "v1", "served": True, "storage": True,
                      "schema": {"openAPIV3Schema": {"type": "object"}}}]}},
    "PriorityClass": {"value": 5},
    "Lease": {},
    "RuntimeClass": {"handler": "h"},
    "EndpointSlice": {"addressType": "IPv4", "endpoints": [{"addresses": ["192.0.2.1"]}]},
    "DeviceClass": {"spec": {}},
    "ResourceClaim": {"spec": {"devices": {"requests": [
        {"name": "r", "exactly": {"deviceClassName": "example.com"}}]}}},
    "ResourceClaimTemplate": {"spec": {"spec": {"devices": {"requests": [
        {"name": "r", "exactly": {"deviceClassName": "example.com"}}]}}}},
    "resource.k8s.io/v1beta1/ResourceClaim": {"spec": {"devices": {"requests": [
        {"name": "r", "deviceClassName": "example.com"}]}}},
    "resource.k8s.io/v1beta1/ResourceClaimTemplate": {"spec": {"spec": {"devices": {"requests": [
        {"name": "r", "deviceClassName": "example.com"}]}}}},
    "ResourceSlice": {"spec": {"driver": "driver.example.com", "nodeName": "n",
                               "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1}}},
    "DeviceTaintRule": {"spec": {"taint": {"key": "example.com/k", "effect": "NoSchedule",
                                           "timeAdded": "2001-02-03T04:05:06Z"}}},
    "LeaseCandidate": {"spec": {"leaseName": "l", "binaryVersion": "1.36.0", "emulationVersion": "1.35.0",
                                "strategy": "OldestEmulationVersion"}},
    "ClusterTrustBundle": {"spec": {"trustBundle": AUTHORITY}},
    "StorageVersion": {"spec": {}},
    "PodCertificateRequest": {"spec": {
        "signerName": "example.com/s", "podName": "p", "podUID": "11111111-1111-1111-1111-111111111111",
        "serviceAccountName": "a", "serviceAccountUID": "22222222-2222-2222-2222-222222222222", "nodeName": "n",
        "nodeUID": "33333333-3333-3333-3333-333333333333", "stubPKCS10Request": CERTIFICATE_REQUEST}},
    "PodGroup": {"spec": {"schedulingPolicy": {"gang": {"minCount": 1}}}},
    "ResourcePoolStatusRequest": {"spec": {"driver": "d.example.com"}},
    "Workload": {"spec": {"podGroupTemplates": [{"name": "t", "schedulingPolicy": {"basic": {}}}]}},
    "StorageVersionMigration": {"spec": {"resource": {"resource": "nopes", "group": "example.com"}}},
    "FlowSchema": {"spec": {"priorityLevelConfiguration": {"name": "global-default"}}},
    "PriorityLevelConfiguration": {"spec": {"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}}},
    "CertificateSigningRequest": {"spec": {"request": "$csr", "signerName": "example.com/s",
                                           "usages": ["digital signature"]}},
}
