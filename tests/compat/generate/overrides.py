"""Values for fields whose schema does not say enough to be accepted, by hand.

FIELDS is looked up by Type.field, then by field alone. What upstream still refuses is left out of
the object when the cases are generated; the generator prints what that was.
"""


from generate.minimal import CERTIFICATE_REQUEST


class OMIT:  # a class, so that copies of it are itself
    """The field is left out."""


EARLY, EARLY_MICRO = "2001-02-03T04:05:06Z", "2001-02-03T04:05:06.123456Z"
UID = "11111111-1111-1111-1111-111111111111"
RULES = [{"apiGroups": ["nope.example.com"], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"],
          "resources": ["nopes"], "scope": "Namespaced"}]
SELECTOR = {"matchLabels": {"app": "x"}, "matchExpressions": [{"key": "k", "operator": "In", "values": ["v"]}]}
METRIC_TARGET = {"type": "AverageValue", "averageValue": "1"}
CONDITION = {"type": "Ready", "status": "True", "reason": "Reason", "message": "m", "lastTransitionTime": EARLY,
             "observedGeneration": 1}

TYPES = {
    "Quantity": "1",
    "IntOrString": 1,
    "Time": EARLY,
    "MicroTime": EARLY_MICRO,
    "FieldsV1": OMIT,
    "RawExtension": {"apiVersion": "example.com/v1", "kind": "Raw", "a": "b"},
    "ObjectMeta": {"labels": {"app": "x", "k": "v"}, "annotations": {"example.com/a": "b"}},
    "LabelSelector": SELECTOR,
    "PodTemplateSpec": {"metadata": {"labels": {"app": "x"}, "annotations": {"example.com/a": "b"}}, "spec": {
        "containers": [{"name": "c", "image": "example.com/i:1", "env": [{"name": "A", "value": "b"}],
                        "ports": [{"containerPort": 80}], "resources": {"requests": {"cpu": "1"}},
                        "livenessProbe": {"httpGet": {"port": 80}},
                        "volumeMounts": [{"name": "v", "mountPath": "/v"}]}],
        "initContainers": [{"name": "i", "image": "i"}], "volumes": [{"name": "v", "emptyDir": {}}],
        "nodeSelector": {"k": "v"}, "tolerations": [{"key": "k", "operator": "Exists"}]}},
    "Condition": CONDITION,
    "JSON": {"a": 1},
    "JSONSchemaPropsOrArray": {"type": "string"},
    "JSONSchemaPropsOrBool": {"type": "string"},
    "JSONSchemaPropsOrStringArray": ["b"],
    "JSONSchemaProps": {"type": "object", "description": "d", "title": "t", "required": ["a"], "properties": {
        "a": {"type": "string", "minLength": 1, "maxLength": 5, "pattern": "^[a-z]*$", "enum": ["a", "b"],
              "default": "a"},
        "b": {"type": "integer", "minimum": 1, "maximum": 9, "multipleOf": 2, "format": "int32", "nullable": True},
        "c": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3, "uniqueItems": False,
              "x-kubernetes-list-type": "set"},
        "d": {"type": "object", "additionalProperties": {"type": "string"}, "maxProperties": 4},
        "e": {"x-kubernetes-int-or-string": True},
        "f": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "spec": {"type": "object", "properties": {"replicas": {"type": "integer"}, "x": {"type": "string"}},
                 "x-kubernetes-validations": [{"rule": "self.replicas >= 0", "message": "m"}]},
        "status": {"type": "object", "properties": {"replicas": {"type": "integer"}, "selector": {"type": "string"}}}}},
    "SchemaDefinition": OMIT,
    "NodeSelector": {"nodeSelectorTerms": [{
        "matchExpressions": [{"key": "k", "operator": "In", "values": ["v"]}],
        "matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]}]},
    "MetricTarget": METRIC_TARGET,
    "MetricValueStatus": {"averageUtilization": 1, "averageValue": "1", "value": "1"},
    "AppArmorProfile": {"type": "Localhost", "localhostProfile": "p"},
    "SeccompProfile": {"type": "Localhost", "localhostProfile": "p"},
    "Affinity": {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
                {"matchExpressions": [{"key": "k", "operator": "Gt", "values": ["1"]}]}]},
            "preferredDuringSchedulingIgnoredDuringExecution": [
                {"weight": 1, "preference": {"matchExpressions": [{"key": "k", "operator": "Exists"}]}}]},
        "podAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {"topologyKey": "zone", "labelSelector": SELECTOR, "namespaces": ["x"], "namespaceSelector": SELECTOR}],
            "preferredDuringSchedulingIgnoredDuringExecution": [
                {"weight": 1, "podAffinityTerm": {"topologyKey": "zone", "labelSelector": SELECTOR}}]},
        "podAntiAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {"topologyKey": "zone", "labelSelector": SELECTOR, "matchLabelKeys": ["mlk"],
                 "mismatchLabelKeys": ["mmk"]}]}},
    "HTTPIngressPath": {"path": "/x", "pathType": "Prefix",
                        "backend": {"service": {"name": "s", "port": {"number": 80}}}},
    "IngressBackend": {"service": {"name": "s", "port": {"name": "http"}}},
    "IPBlock": {"cidr": "192.0.2.0/24", "except": ["192.0.2.128/25"]},
    "Validation": {"expression": "object != null", "message": "m", "reason": "Invalid", "messageExpression": "'x'"},
    "Variable": {"name": "foo", "expression": "true"},
    "MatchCondition": {"name": "example.com/m", "expression": "true"},
    "AuditAnnotation": {"key": "k", "valueExpression": "'v'"},
    "ParamKind": {"apiVersion": "v1", "kind": "ConfigMap"},
    "ParamRef": {"selector": SELECTOR, "parameterNotFoundAction": "Allow"},
    "NamedRuleWithOperations": {**RULES[0], "resourceNames": ["a"]},
    "RuleWithOperations": RULES[0],
}

ONE_OF = {  # unions that appear as elements of lists: the fields that every element has
    "Volume": ("name",),
    "VolumeProjection": (),
    "EnvVar": ("name",),
    "EnvFromSource": ("prefix",),
    "NetworkPolicyPeer": (),
}

FIELDS = {
    # anywhere
    "apiVersion": "v1", "apiGroup": "example.com", "kind": "ConfigMap", "path": "/path", "ObjectReference.uid": UID,
    "mountPath": "/mount", "devicePath": "/device", "hostIP": "192.0.2.3", "ip": "192.0.2.4", "podIP": "192.0.2.5",
    "cidr": "192.0.2.0/24", "podCIDR": "192.0.2.0/24", "podCIDRs": ["192.0.2.0/24"],
    "ResourceRequirements.limits": {"cpu": "2", "memory": "1Gi"},
    "ResourceRequirements.requests": {"cpu": "1", "memory": "1Mi"},
    "PersistentVolumeStatus.capacity": {"storage": "1Gi"}, "allocatable": {"cpu": "1"}, "topologyKey": "zone",
    "operator": "In", "fieldPath": "metadata.name", "mode": 420, "defaultMode": 420, "driver": "driver.example.com",
    "caBundle": OMIT, "request": OMIT, "namespace": "default", "externalName": OMIT, "fsType": "ext4",
    "resourceVersion": OMIT, "managedFields": OMIT, "timeZone": "Etc/UTC", "schedule": "@daily",
    "workingDir": "/work", "terminationMessagePath": "/message", "signerName": "example.com/s",
    "url": "https://192.0.2.1/hook", "appProtocol": "example.com/p", "priorityClassName": OMIT,
    "runtimeClassName": OMIT, "schedulingGroup": OMIT, "serviceAccount": "sa", "serviceAccountName": "sa",
    "conditionType": "example.com/c", "accessModes": ["ReadWriteOnce"], "resourceClaimName": "rc",

    # pods
    "PodSpec.hostUsers": OMIT, "PodSpec.hostNetwork": OMIT, "PodSpec.os": {"name": "linux"}, "PodSpec.nodeName": OMIT,
    "PodSpec.overhead": OMIT, "PodSpec.priority": OMIT, "PodSpec.preemptionPolicy": OMIT, "PodSpec.hostPID": OMIT,
    "PodSpec.hostIPC": False, "PodSpec.ephemeralContainers": OMIT, "PodSpec.shareProcessNamespace": True,
    "PodSpec.restartPolicy": "Always", "PodSpec.activeDeadlineSeconds": OMIT, "PodSpec.dnsPolicy": "None",
    "PodSpec.hostnameOverride": OMIT, "PodSpec.resources": OMIT, "PodSpec.automountServiceAccountToken": False,
    "PodSpec.schedulerName": "s", "PodSpec.setHostnameAsFQDN": False, "PodSpec.workloadRef": OMIT,
    "PodSpec.resourceClaims": OMIT, "PodDNSConfig.nameservers": ["192.0.2.53"],
    "PodDNSConfig.searches": ["example.com"], "Container.name": "c", "Container.restartPolicy": OMIT,
    "Container.restartPolicyRules": OMIT, "Container.image": "example.com/i:1", "Container.volumeDevices": OMIT,
    "Container.lifecycle": {
        "postStart": {"exec": {"command": ["a"]}}, "preStop": {"sleep": {"seconds": 1}}},
    "PodSpec.initContainers": [{"name": "init", "image": "i", "restartPolicy": "Always"}],
    "ContainerPort.hostPort": OMIT, "ContainerPort.name": "http", "ContainerPort.protocol": "TCP",
    "ContainerResizePolicy.resourceName": "cpu", "ResourceRequirements.claims": OMIT,
    "ContainerResizePolicy.restartPolicy": "NotRequired", "Probe.exec": OMIT, "Probe.tcpSocket": OMIT,
    "Probe.grpc": OMIT, "Probe.terminationGracePeriodSeconds": OMIT, "VolumeMount.name": "n-emptydir",
    "VolumeMount.subPathExpr": OMIT, "VolumeMount.mountPropagation": "None",
    "VolumeMount.recursiveReadOnly": "Disabled", "VolumeMount.subPath": "sub", "SecurityContext.windowsOptions": OMIT,
    "SecurityContext.procMount": "Default", "PodSecurityContext.windowsOptions": OMIT,
    "SecurityContext.capabilities": {"add": ["NET_ADMIN"], "drop": ["ALL"]}, "SecurityContext.privileged": False,
    "PodSecurityContext.supplementalGroupsPolicy": "Merge", "PodSecurityContext.fsGroupChangePolicy": "Always",
    "PodSecurityContext.seLinuxChangePolicy": "Recursive",
    "PodSecurityContext.sysctls": [{"name": "kernel.shm_rmid_forced", "value": "1"}], "SELinuxOptions.level": "s0",
    "HostAlias.ip": "192.0.2.6", "HostAlias.hostnames": ["a.example.com"], "Toleration.effect": "NoExecute",
    "Toleration.operator": "Equal", "Toleration.key": "k", "Toleration.value": "v",
    "TopologySpreadConstraint.whenUnsatisfiable": "DoNotSchedule", "TopologySpreadConstraint.matchLabelKeys": OMIT,
    "TopologySpreadConstraint.minDomains": 1, "EnvVarSource.fileKeyRef": OMIT, "EnvVarSource.configMapKeyRef": OMIT,
    "EnvVarSource.secretKeyRef": OMIT, "EnvVarSource.resourceFieldRef": OMIT,
    "ResourceFieldSelector.resource": "limits.cpu", "ResourceFieldSelector.divisor": "1",
    "ResourceFieldSelector.containerName": "c", "EnvVar.name": "NAME", "DownwardAPIVolumeFile.resourceFieldRef": OMIT,
    "DownwardAPIVolumeFile.path": "down", "SecretProjection.items": [{"key": "k", "path": "secret", "mode": 256}],
    "KeyToPath.path": "p", "ConfigMapProjection.items": [{"key": "k", "path": "config", "mode": 256}],
    "ServiceAccountTokenProjection.path": "token", "ServiceAccountTokenProjection.expirationSeconds": 3600,
    "ClusterTrustBundleProjection.path": "bundle", "ClusterTrustBundleProjection.name": OMIT,
    "VolumeProjection.podCertificate": OMIT, "VolumeProjection.clusterTrustBundle": OMIT,
    "HostPathVolumeSource.type": "Directory", "EmptyDirVolumeSource.medium": "Memory",
    "ISCSIVolumeSource.iqn": "iqn.2001-04.com.example:disk",
    "ISCSIVolumeSource.initiatorName": "iqn.2001-04.com.example:i",
    "ISCSIPersistentVolumeSource.iqn": "iqn.2001-04.com.example:disk", "ISCSIVolumeSource.targetPortal": "192.0.2.7",
    "ISCSIPersistentVolumeSource.initiatorName": "iqn.2001-04.com.example:i", "FCVolumeSource.wwids": OMIT,
    "GlusterfsVolumeSource.endpoints": "ep", "PhotonPersistentDiskVolumeSource.pdID": "p",
    "GitRepoVolumeSource.directory": "d", "AzureDiskVolumeSource.cachingMode": "None",
    "AzureDiskVolumeSource.kind": "Managed", "AzureDiskVolumeSource.diskURI": "/subscriptions/x",
    "FlockerVolumeSource.datasetUUID": OMIT, "QuobyteVolumeSource.registry": "r:1",
    "ScaleIOVolumeSource.storageMode": "ThinProvisioned", "VolumeResourceRequirements.requests": {"storage": "1Gi"},
    "VolumeResourceRequirements.limits": {"storage": "2Gi"}, "PersistentVolumeClaimSpec.dataSource": OMIT,
    "PersistentVolumeClaimSpec.dataSourceRef": {
        "apiGroup": "example.com", "kind": "K", "name": "n"},
    "PersistentVolumeClaimSpec.volumeName": OMIT, "PersistentVolumeClaimSpec.volumeMode": "Filesystem",
    "PersistentVolumeClaimSpec.volumeAttributesClassName": "vac",

    # other core kinds
    "ConfigMap.immutable": OMIT, "Secret.immutable": OMIT, "ConfigMap.binaryData": {"b": "YWJj"},
    "Secret.type": "Opaque",
    "PersistentVolumeSpec.nodeAffinity": {"required": {"nodeSelectorTerms": [
        {"matchExpressions": [{"key": "k", "operator": "In", "values": ["v"]}]}]}},
    "PersistentVolumeSpec.claimRef": {"kind": "PersistentVolumeClaim", "namespace": "default", "name": "claim"},
    "PersistentVolumeSpec.volumeAttributesClassName": OMIT,
    "PersistentVolumeSpec.persistentVolumeReclaimPolicy": "Retain",
    **{f"PersistentVolumeSpec.{source}": OMIT for source in (
        "awsElasticBlockStore", "azureDisk", "azureFile", "cephfs", "cinder", "fc", "flexVolume", "flocker",
        "gcePersistentDisk", "glusterfs", "hostPath", "iscsi", "local", "nfs", "photonPersistentDisk",
        "portworxVolume", "quobyte", "rbd", "scaleIO", "storageos", "vsphereVolume")},
    "ServiceSpec.clusterIP": OMIT, "ServiceSpec.clusterIPs": OMIT, "ServiceSpec.type": "LoadBalancer",
    "ServiceSpec.externalIPs": ["192.0.2.8"], "ServiceSpec.ipFamilies": ["IPv4"], "ServiceSpec.loadBalancerIP": OMIT,
    "ServiceSpec.ipFamilyPolicy": "SingleStack", "ServiceSpec.loadBalancerSourceRanges": ["192.0.2.0/24"],
    "ServiceSpec.sessionAffinity": "ClientIP", "ServiceSpec.loadBalancerClass": "example.com/lb",
    "ServiceSpec.healthCheckNodePort": OMIT, "ServiceSpec.externalTrafficPolicy": "Local",
    "ServicePort.nodePort": OMIT, "ServiceSpec.trafficDistribution": "PreferSameZone", "ServicePort.name": "http",
    "ServicePort.protocol": "TCP", "EndpointAddress.targetRef": {"kind": "Pod", "namespace": "$ns", "name": "p"},
    "EndpointPort.name": "http", "EndpointSubset.notReadyAddresses": [{"ip": "192.0.2.9"}],
    "Event.involvedObject": {"kind": "Pod", "namespace": "$ns", "name": "p", "uid": UID},
    "Event.regarding": {"kind": "Pod", "namespace": "$ns", "name": "p", "uid": UID}, "Event.type": "Warning",
    "Event.reportingComponent": "example.com/c", "Event.reportingController": "example.com/c",
    "Event.deprecatedCount": OMIT, "Event.deprecatedFirstTimestamp": OMIT, "Event.deprecatedLastTimestamp": OMIT,
    "Event.deprecatedSource": OMIT, "Event.count": OMIT, "EventSeries.count": 2, "LimitRangeItem.type": "Container",
    "LimitRangeItem.max": {"cpu": "4"}, "LimitRangeItem.min": {"cpu": "1"}, "LimitRangeItem.default": {"cpu": "3"},
    "LimitRangeItem.defaultRequest": {"cpu": "2"}, "LimitRangeItem.maxLimitRequestRatio": {"cpu": "2"},
    "ResourceQuotaSpec.hard": {"pods": "5", "requests.cpu": "1", "count/nopes.example.com": "2"},
    "ResourceQuotaStatus.hard": {"pods": "5"}, "ResourceQuotaStatus.used": {"pods": "1"},
    "ResourceQuotaSpec.scopes": ["NotTerminating"], "ScopedResourceSelectorRequirement.operator": "In",
    "ScopedResourceSelectorRequirement.scopeName": "PriorityClass", "NodeStatus.declaredFeatures": ["Feature"],
    "HostIP.ip": "192.0.2.3", "ContainerStatus.allocatedResourcesStatus": OMIT,
    "PodStatus.resourceClaimStatuses": OMIT, "PodStatus.extendedResourceClaimStatus": OMIT,
    "NodeSpec.configSource": OMIT, "Taint.effect": "NoSchedule", "NodeSpec.externalID": OMIT,
    "NamespaceSpec.finalizers": OMIT, "PersistentVolumeSpec.capacity": {"storage": "1Gi"},
    "ReplicationControllerSpec.selector": {"app": "x"}, "ReplicationControllerSpec.replicas": 2,

    # workloads
    "DeploymentSpec.selector": {"matchLabels": {"app": "x"}}, "DaemonSetSpec.selector": {"matchLabels": {"app": "x"}},
    "ReplicaSetSpec.selector": {"matchLabels": {"app": "x"}},
    "StatefulSetSpec.selector": {"matchLabels": {"app": "x"}}, "DeploymentSpec.progressDeadlineSeconds": 20,
    "DeploymentSpec.strategy": {
        "type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 1}},
    "DaemonSetSpec.updateStrategy": {
        "type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": "10%"}},
    "StatefulSetSpec.volumeClaimTemplates": [{"metadata": {"name": "data", "labels": {"k": "v"}}, "spec": {
        "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}],
    "StatefulSetSpec.updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 1}},
    "StatefulSetSpec.persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Delete", "whenScaled": "Retain"},
    "ControllerRevision.data": {"a": {"b": "c"}}, "PersistentVolumeClaim.status": OMIT, "JobSpec.selector": OMIT,
    "JobSpec.manualSelector": OMIT, "JobSpec.managedBy": "example.com/m", "JobSpec.completionMode": "Indexed",
    "JobSpec.completions": 2, "JobSpec.parallelism": 2, "JobSpec.podReplacementPolicy": "Failed",
    "JobSpec.backoffLimitPerIndex": 1, "JobSpec.maxFailedIndexes": 1,
    "JobSpec.podFailurePolicy": {"rules": [{"action": "FailJob", "onExitCodes": {
        "containerName": "c", "operator": "In", "values": [1, 2]}}]},
    "JobSpec.successPolicy": {"rules": [{"succeededIndexes": "0", "succeededCount": 1}]},
    "JobStatus.completionTime": OMIT, "JobStatus.completedIndexes": OMIT, "JobStatus.failedIndexes": OMIT,
    "CertificateSigningRequestCondition.status": "True", "CertificateSigningRequestStatus.certificate": OMIT,
    "CertificateSigningRequestCondition.type": "Failed",
    "JobSpec.template": {"metadata": {"labels": {"app": "x"}}, "spec": {
        "restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}},
    "CronJobSpec.concurrencyPolicy": "Forbid", "HorizontalPodAutoscalerSpec.minReplicas": 1,
    "HorizontalPodAutoscalerSpec.maxReplicas": 3,
    "HorizontalPodAutoscalerSpec.scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"},
    "CrossVersionObjectReference.kind": "Deployment", "HPAScalingPolicy.type": "Pods",
    "HPAScalingRules.selectPolicy": "Max",
    "HorizontalPodAutoscalerSpec.metrics": [
        {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}}},
        {"type": "ContainerResource", "containerResource": {
            "name": "memory", "container": "c", "target": {"type": "AverageValue", "averageValue": "1Gi"}}},
        {"type": "Pods", "pods": {"metric": {"name": "m", "selector": SELECTOR}, "target": METRIC_TARGET}},
        {"type": "Object", "object": {"metric": {"name": "m"}, "target": {"type": "Value", "value": "1"},
                                      "describedObject": {"apiVersion": "v1", "kind": "Service", "name": "s"}}},
        {"type": "External", "external": {"metric": {"name": "m"}, "target": METRIC_TARGET}}],
    "MetricStatus.type": "Resource", "ResourceMetricSource.name": "cpu",
    "ResourceMetricSource.target": {"type": "Utilization", "averageUtilization": 50},
    "ContainerResourceMetricSource.name": "cpu", "PodDisruptionBudgetSpec.maxUnavailable": OMIT,
    "ContainerResourceMetricSource.target": {"type": "Utilization", "averageUtilization": 50},

    # networking, storage, nodes
    "IngressRule.host": "*.example.com", "IngressTLS.hosts": ["a.example.com"], "IngressTLS.secretName": "tls",
    "IngressClassParametersReference": OMIT, "IngressClassSpec.controller": "example.com/c",
    "IngressClassSpec.parameters": {"apiGroup": "example.com", "kind": "P", "name": "p", "scope": "Cluster"},
    "NetworkPolicySpec.policyTypes": ["Ingress", "Egress"], "NetworkPolicyPort.port": 80,
    "NetworkPolicyPort.endPort": 81, "ParentReference.group": "", "ParentReference.resource": "services",
    "ParentReference.name": "s", "ServiceCIDRSpec.cidrs": ["2001:db8:1::/112"], "Subject.kind": "User",
    "Subject.apiGroup": "rbac.authorization.k8s.io", "Subject.namespace": OMIT, "Subject.name": "somebody",
    "RoleRef.apiGroup": "rbac.authorization.k8s.io", "RoleRef.kind": "ClusterRole", "RoleRef.name": "nobody",
    "PolicyRule.nonResourceURLs": OMIT, "PolicyRule.apiGroups": ["example.com"], "ClusterRole.aggregationRule": OMIT,
    "CSIDriverSpec.volumeLifecycleModes": ["Persistent", "Ephemeral"], "CSIDriverSpec.fsGroupPolicy": "File",
    "CSIDriverSpec.nodeAllocatableUpdatePeriodSeconds": 60, "CSINodeDriver.name": "driver.example.com",
    "TokenRequest.expirationSeconds": 3600, "CSIStorageCapacity.capacity": "1Gi",
    "CSIStorageCapacity.maximumVolumeSize": "1Gi", "StorageClass.provisioner": "example.com/p",
    "StorageClass.reclaimPolicy": "Retain", "StorageClass.volumeBindingMode": "WaitForFirstConsumer",
    "VolumeAttachmentSource.inlineVolumeSpec": OMIT, "VolumeAttachmentSpec.attacher": "example.com",
    "VolumeAttributesClass.driverName": "example.com", "RuntimeClass.overhead": {"podFixed": {"cpu": "1"}},
    "RuntimeClass.scheduling": {
        "nodeSelector": {"k": "v"}, "tolerations": [{"key": "k", "operator": "Exists", "effect": "NoSchedule"}]},
    "EndpointSlice.addressType": "IPv4", "Endpoint.addresses": ["192.0.2.10"],
    "Endpoint.targetRef": {
        "kind": "Pod", "namespace": "$ns", "name": "p"},
    "EndpointPort.protocol": "TCP", "LeaseSpec.leaseDurationSeconds": 15, "LeaseSpec.strategy": OMIT,
    "LeaseSpec.preferredHolder": OMIT, "PriorityClass.globalDefault": OMIT, "PriorityClass.preemptionPolicy": "Never",

    # extension and policy
    "APIServiceCondition.status": "True", "APIServiceSpec.group": "$group", "APIServiceSpec.version": "v1",
    "APIServiceSpec.insecureSkipTLSVerify": True, "ServiceReference.path": "/path", "ServiceReference.port": 443,
    "WebhookClientConfig.service": OMIT, "MutatingWebhook.name": "hook.example.com",
    "MutatingWebhook.sideEffects": "None", "ValidatingWebhook.name": "hook.example.com",
    "ValidatingWebhook.sideEffects": "None", "MutatingWebhook.admissionReviewVersions": ["v1"],
    "ValidatingWebhook.admissionReviewVersions": ["v1"], "MutatingWebhook.timeoutSeconds": 5,
    "ValidatingWebhook.timeoutSeconds": 5, "MutatingWebhook.failurePolicy": "Ignore",
    "ValidatingWebhook.failurePolicy": "Ignore", "MutatingWebhook.matchPolicy": "Exact",
    "ValidatingAdmissionPolicyBindingSpec.validationActions": ["Warn", "Audit"],
    "ValidatingAdmissionPolicyBindingSpec.policyName": "nope",
    "MutatingAdmissionPolicyBindingSpec.policyName": "nope",
    "MutatingAdmissionPolicySpec.mutations": [
        {"patchType": "JSONPatch", "jsonPatch": {
            "expression": '[JSONPatch{op: "add", path: "/metadata/labels", value: {"a": "b"}}]'}}],
    "CustomResourceDefinitionSpec.scope": "Namespaced", "CustomResourceDefinitionSpec.group": "example.com",
    "CustomResourceDefinitionSpec.conversion": {"strategy": "None"},
    "CustomResourceDefinitionSpec.names": {
        "plural": "$plural", "singular": "$singular", "kind": "$kind", "listKind": "$kindList",
        "categories": ["all"], "shortNames": ["sh$singular"]},
    "CustomResourceDefinitionSpec.preserveUnknownFields": False, "CustomResourceDefinitionVersion.name": "v1",
    "CustomResourceDefinitionVersion.deprecated": True, "CustomResourceDefinitionVersion.deprecationWarning": "old",
    "CustomResourceSubresourceScale.specReplicasPath": ".spec.replicas",
    "CustomResourceSubresourceScale.statusReplicasPath": ".status.replicas",
    "CustomResourceSubresourceScale.labelSelectorPath": ".status.selector", "CustomResourceSubresources.status": {},
    "CustomResourceColumnDefinition.jsonPath": ".spec.x", "CustomResourceColumnDefinition.type": "string",
    "CustomResourceColumnDefinition.format": OMIT, "SelectableField.jsonPath": ".spec.x",
    "CertificateSigningRequestSpec.usages": ["digital signature", "client auth"],
    "CertificateSigningRequestSpec.request": "$csr", "CertificateSigningRequestSpec.expirationSeconds": 3600,
    "FlowSchemaSpec.matchingPrecedence": 500, "PriorityLevelConfigurationReference.name": "global-default",
    "FlowDistinguisherMethod.type": "ByUser", "Subject.group": OMIT, "Subject.serviceAccount": OMIT,
    "PolicyRulesWithSubjects.subjects": [{"kind": "User", "user": {"name": "nobody"}}],
    "PolicyRulesWithSubjects.resourceRules": [{"verbs": ["get"], "apiGroups": ["example.com"], "resources": ["nopes"],
                                               "namespaces": ["x"]}],
    "PolicyRulesWithSubjects.nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": ["/nope"]}],
    "PriorityLevelConfigurationSpec.type": "Limited", "PriorityLevelConfigurationSpec.exempt": OMIT,
    "LimitedPriorityLevelConfiguration.nominalConcurrencyShares": 1, "LimitResponse.type": "Queue",
    "LimitedPriorityLevelConfiguration.lendablePercent": 10,
    "LimitedPriorityLevelConfiguration.borrowingLimitPercent": 10, "QueuingConfiguration.queues": 8,
    "QueuingConfiguration.handSize": 2, "QueuingConfiguration.queueLengthLimit": 5,

    # reviews
    "ResourceAttributes.namespace": "$ns", "Binding.target": {"kind": "Node", "name": "n"},
    "SubjectAccessReviewSpec.nonResourceAttributes": OMIT, "SelfSubjectAccessReviewSpec.nonResourceAttributes": OMIT,
    "FieldSelectorAttributes.requirements": OMIT, "LabelSelectorAttributes.requirements": OMIT,
    "FieldSelectorAttributes.rawSelector": "metadata.name=x", "LabelSelectorAttributes.rawSelector": "a=b",

    # devices
    "DeviceClassSpec.extendedResourceName": "example.com/device", "CELDeviceSelector.expression": "true",
    "DeviceRequest.firstAvailable": OMIT, "ExactDeviceRequest.deviceClassName": "example.com",
    "ExactDeviceRequest.allocationMode": "ExactCount", "ExactDeviceRequest.adminAccess": OMIT,
    "ResourceSliceSpec.allNodes": OMIT, "ResourceSliceSpec.nodeSelector": OMIT, "ResourceSliceSpec.nodeName": "n",
    "ResourceSliceSpec.perDeviceNodeSelection": OMIT, "ResourceSliceSpec.sharedCounters": OMIT,
    "Device.nodeName": OMIT, "Device.nodeSelector": OMIT, "Device.allNodes": OMIT, "Device.consumesCounters": OMIT,
    "DeviceAttribute.bool": OMIT, "DeviceAttribute.int": OMIT, "DeviceAttribute.version": OMIT,
    "Device.capacity": {"memory": {"value": "1Gi"}}, "Device.bindingConditions": OMIT,
    "Device.bindingFailureConditions": OMIT, "Device.bindsToNode": OMIT, "Device.taints": OMIT,
    "DeviceConstraint.matchAttribute": "example.com/a", "DeviceConstraint.distinctAttribute": OMIT,
    "AllocatedDeviceStatus.shareID": OMIT, "NetworkDeviceData.ips": ["192.0.2.11/24"],
    "DeviceRequestAllocationResult.request": "r", "DeviceRequestAllocationResult.adminAccess": OMIT,
    "DeviceRequestAllocationResult.shareID": OMIT, "DeviceAllocationConfiguration.requests": ["r"],
    "DeviceClaim.requests": [{"name": "r", "exactly": {
        "deviceClassName": "example.com", "allocationMode": "ExactCount", "count": 1,
        "selectors": [{"cel": {"expression": "true"}}],
        "tolerations": [{"key": "k", "operator": "Equal", "value": "v", "effect": "NoSchedule"}]}}],
    "v1beta1.DeviceClaim.requests": [{
        "name": "r", "deviceClassName": "example.com", "allocationMode": "ExactCount", "count": 1,
        "selectors": [{"cel": {"expression": "true"}}],
        "tolerations": [{"key": "k", "operator": "Equal", "value": "v", "effect": "NoSchedule"}]}],
    "PodCertificateRequestSpec.signerName": "example.com/s", "PodCertificateRequestSpec.maxExpirationSeconds": 3600,
    "PodCertificateRequestSpec.pkixPublicKey": OMIT, "PodCertificateRequestSpec.proofOfPossession": OMIT,
    "PodCertificateRequestSpec.stubPKCS10Request": CERTIFICATE_REQUEST,
    "PodCertificateRequestSpec.unverifiedUserAnnotations": {"example.com/a": "b"},
    "PodGroupSpec.podGroupTemplateRef": OMIT, "PodGroupSpec.priorityClassName": OMIT, "PodGroupSpec.priority": OMIT,
    "PodGroupSchedulingPolicy.basic": OMIT, "PodGroupResourceClaim.resourceClaimTemplateName": OMIT,
    "TopologyConstraint.key": "example.com/zone",
    "ResourcePoolStatusRequestSpec.driver": "d.example.com", "PoolStatus.driver": "d.example.com",
    "BasicDevice.nodeName": OMIT, "BasicDevice.nodeSelector": OMIT, "BasicDevice.allNodes": OMIT,
    "BasicDevice.consumesCounters": OMIT, "BasicDevice.capacity": {"memory": {"value": "1Gi"}},
    "BasicDevice.bindingConditions": OMIT, "BasicDevice.bindingFailureConditions": OMIT,
    "BasicDevice.bindsToNode": OMIT, "BasicDevice.taints": OMIT,
    "DeviceClaim.constraints": [{"requests": ["r"], "matchAttribute": "example.com/a"}],
    "DeviceClaim.config": [{"requests": ["r"], "opaque": {"driver": "driver.example.com", "parameters": {"a": "b"}}}],
    "ResourceSliceSpec.pool": {"name": "p", "generation": 1, "resourceSliceCount": 1},
}
