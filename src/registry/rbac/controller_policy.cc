// The policy of a new cluster: what each controller may do. policy_text.h tells how to
// read it.
#include "registry/rbac/policy_text.h"

namespace keelson::registry::rbac {

const std::string_view kControllerPolicy = R"(cluster-role system:controller:attachdetach-controller
  allow list,watch on persistentvolumeclaims,persistentvolumes of core
  allow get,list,watch on nodes of core
  allow patch,update on nodes/status of core
  allow list,watch on pods of core
  allow create,patch,update on events of core,events.k8s.io
  allow create,delete,get,list,watch on volumeattachments of storage.k8s.io
  allow get,list,watch on csidrivers of storage.k8s.io
  allow get,list,watch on csinodes of storage.k8s.io

cluster-role system:controller:certificate-controller
  allow delete,get,list,watch on certificatesigningrequests of certificates.k8s.io
  allow update on certificatesigningrequests/approval,certificatesigningrequests/status of
      certificates.k8s.io
  allow approve on signers of certificates.k8s.io named kubernetes.io/kube-apiserver-client-kubelet
  allow sign on signers of certificates.k8s.io named kubernetes.io/kube-apiserver-client,
      kubernetes.io/kube-apiserver-client-kubelet,kubernetes.io/kubelet-serving,kubernetes.io/legacy-unknown
  allow create on subjectaccessreviews of authorization.k8s.io
  allow create,patch,update on events of core,events.k8s.io

cluster-role system:controller:clusterrole-aggregation-controller
  allow escalate,get,list,patch,update,watch on clusterroles of rbac.authorization.k8s.io

cluster-role system:controller:cronjob-controller
  allow get,list,update,watch on cronjobs of batch
  allow create,delete,get,list,patch,update,watch on jobs of batch
  allow update on cronjobs/status of batch
  allow update on cronjobs/finalizers of batch
  allow delete,list,watch on pods of core
  allow create,patch,update on events of core,events.k8s.io

cluster-role system:controller:daemon-set-controller
  allow get,list,watch on daemonsets of apps,extensions
  allow update on daemonsets/status of apps,extensions
  allow update on daemonsets/finalizers of apps,extensions
  allow list,watch on nodes of core
  allow create,delete,list,patch,watch on pods of core
  allow create on pods/binding of core
  allow create,delete,get,list,patch,update,watch on controllerrevisions of apps
  allow create,patch,update on events of core,events.k8s.io

cluster-role system:controller:deployment-controller
  allow get,list,update,watch on deployments of apps,extensions
  allow update on deployments/status of apps,extensions
  allow update on deployments/finalizers of apps,extensions
  allow create,delete,get,list,patch,update,watch on replicasets of apps,extensions
  allow get,list,update,watch on pods of core
  allow create,patch,update on events of core,events.k8s.io

cluster-role system:controller:device-taint-eviction-controller
  allow delete,get,list,watch on pods of core
  allow patch,update on pods/status of core
  allow get,list,watch on resourceclaims of resource.k8s.io
  allow get,list,watch on resourceslices of resource.k8s.io
  allow get,list,watch on deviceclasses of resource.k8s.io
  allow create,patch,update on events of core,events.k8s.io

cluster-role system:controller:disruption-controller
  allow get,list,watch on deployments of apps,extensions
  allow get,list,watch on replicasets of apps,extensions
  allow get,list,watch on replicationcontrollers of core
  allow get,list,watch on poddisruptionbudgets of policy
  allow get,list,watch on statefulsets of apps
  allow update on poddisruptionbudgets/status of policy
  allow patch,update on pods/status of core
  allow get on */scale of *
  allow create,patch,update on events of core,events.k8s.io

cluster-role system:controller:endpoint-controller
  allow get,list,watch on pods,services of core
  allow create,delete,get,list,update,watch on endpoints of core
  allow create on endpoints/restricted of core
  allow create,patch,update on events of core,events.k8s.io

cluster-role system:controller:endpointslice-controller
  allow get,list,watch on nodes,pods,services of core
  allow update on services/finalizers of core
  allow create,delete,get,list,update,watch on endpointslices of discovery.k8s.io
  allow create,patch,update on events of core,events.k8s.io

cluster-role system:controller:endpointslicemirroring-controller
  allow get,list,watch on endpoints,services of core
  allow update on services/finalizers of core
  allow update on endpoints/finalizers of core
  allow create,delete,get,list,update,watch on endpointslices of discovery.k8s.io
  allow create,patch,update on events of core,events.k8s.io

cluster-role system:controller:ephemeral-volume-controller
  allow get,list,watch on pods of core
  allow update on pods/finalizers of core
  allow create,get,list,watch on persistentvolumeclaims of core
  allow create,patch,update on events of core,events.k8s.io

cluster-role system:controller:expand-controller
  allow get,list,patch,update,watch on persistentvolumes of core
  allow patch,update on persistentvolumeclaims/status of core
  allow get,list,watch on persistentvolumeclaims of core
  allow create,patch,update on events of core,events.k8s.io

cluster-role system:controller:generic-garbage-collector
  allow delete,get,list,patch,update,watch on * of *
  allow create,patch,update on events of core,events.k8s.io

cluster-role system:controller:horizontal-pod-autoscaler
  allow get,list,watch on horizontalpodautoscalers of autoscaling
  allow update on horizontalpodautoscalers/status of autoscaling
  allow get,update on */scale of *
  allow list,watch on pods of core
  allow list,watch on pods of metrics.k8s.io
  allow get,list,watch on * of custom.metrics.k8s.io
  allow get,list,watch on * of external.metrics.k8s.io
  allow create,patch,update on events of core,events.k8s.io

cluster-role system:controller:job-controller
  allow get,list,patch,update,watch on jobs of batch
  allow update on jobs/status of batch
  allow update on jobs/finalizers of batch
  allow create,delete,list,patch,watch on pods of core
  allow create,patch,update on events of core,events.k8s.io

cluster-role system:controller:legacy-service-account-token-cleaner
  allow get on configmaps of core named kube-apiserver-legacy-service-account-token-tracking
  allow delete,patch on secrets of core

cluster-role system:controller:namespace-controller
  allow delete,get,list,watch on namespaces of core
  allow update on namespaces/finalize,namespaces/status of core
  allow delete,deletecollection,get,list,watch on * of *

cluster-role system:controller:node-controller
  allow delete,get,list,patch,update,watch on nodes of core
  allow patch,update on nodes/status of core
  allow patch,update on pods/status of core
  allow delete,get,list,watch on pods of core
  allow create,patch,update on events of core,events.k8s.io

cluster-role system:controller:persistent-volume-binder
  allow create,delete,get,list,update,watch on persistentvolumes of core
  allow update on persistentvolumes/status of core
  allow get,list,update,watch on persistentvolumeclaims of core
  allow update on persistentvolumeclaims/status of core
  allow create,delete,get,list,watch on pods of core
  allow get,list,watch on storageclasses of storage.k8s.io
  allow list,watch on nodes of core
  allow create,patch,update on events of core,events.k8s.io
  allow watch on events of core

cluster-role system:controller:pod-garbage-collector
  allow delete,list,watch on pods of core
  allow get,list,watch on nodes of core
  allow patch on pods/status of core

cluster-role system:controller:pv-protection-controller
  allow get,list,update,watch on persistentvolumes of core
  allow create,patch,update on events of core,events.k8s.io

cluster-role system:controller:pvc-protection-controller
  allow get,list,update,watch on persistentvolumeclaims of core
  allow update on persistentvolumeclaims/status of core
  allow get,list,watch on pods of core
  allow create,patch,update on events of core,events.k8s.io

cluster-role system:controller:replicaset-controller
  allow get,list,update,watch on replicasets of apps,extensions
  allow update on replicasets/status of apps,extensions
  allow update on replicasets/finalizers of apps,extensions
  allow create,delete,list,patch,watch on pods of core
  allow create,patch,update on events of core,events.k8s.io

cluster-role system:controller:replication-controller
  allow get,list,update,watch on replicationcontrollers of core
  allow update on replicationcontrollers/status of core
  allow update on replicationcontrollers/finalizers of core
  allow create,delete,list,patch,watch on pods of core
  allow create,patch,update on events of core,events.k8s.io

cluster-role system:controller:resource-claim-controller
  allow get,list,watch on pods of core
  allow update on pods/finalizers of core
  allow create,delete,get,list,watch on resourceclaims of resource.k8s.io
  allow patch,update on resourceclaims,resourceclaims/status of resource.k8s.io
  allow patch,update on pods/status of core
  allow create,patch,update on events of core,events.k8s.io
  allow patch,update on resourceclaims/binding of resource.k8s.io

cluster-role system:controller:resourcequota-controller
  allow list,watch on * of *
  allow update on resourcequotas/status of core
  allow create,patch,update on events of core,events.k8s.io

cluster-role system:controller:root-ca-cert-publisher
  allow create,update on configmaps of core
  allow create,patch,update on events of core,events.k8s.io

cluster-role system:controller:route-controller
  allow list,watch on nodes of core
  allow patch on nodes/status of core
  allow create,patch,update on events of core,events.k8s.io

cluster-role system:controller:selinux-warning-controller
  allow create,patch,update on events of core,events.k8s.io
  allow get,list,watch on persistentvolumes of core
  allow get,list,watch on persistentvolumeclaims of core
  allow get,list,watch on pods of core
  allow get,list,watch on csidrivers of storage.k8s.io

cluster-role system:controller:service-account-controller
  allow create on serviceaccounts of core
  allow create,patch,update on events of core,events.k8s.io

cluster-role system:controller:service-cidrs-controller
  allow get,list,patch,update,watch on servicecidrs of networking.k8s.io
  allow patch,update on servicecidrs/finalizers of networking.k8s.io
  allow patch,update on servicecidrs/status of networking.k8s.io
  allow get,list,watch on ipaddresses of networking.k8s.io
  allow create,patch,update on events of core,events.k8s.io

cluster-role system:controller:service-controller
  allow get,list,watch on services of core
  allow patch,update on services/status of core
  allow list,watch on nodes of core
  allow create,patch,update on events of core,events.k8s.io

cluster-role system:controller:statefulset-controller
  allow list,watch on pods of core
  allow get,list,watch on statefulsets of apps
  allow update on statefulsets/status of apps
  allow update on statefulsets/finalizers of apps
  allow create,delete,get,patch,update on pods of core
  allow create,delete,get,list,patch,update,watch on controllerrevisions of apps
  allow create,get,list,watch on persistentvolumeclaims of core
  allow delete,update on persistentvolumeclaims of core
  allow update on pods/finalizers of core
  allow create,patch,update on events of core,events.k8s.io

cluster-role system:controller:ttl-after-finished-controller
  allow delete,get,list,watch on jobs of batch
  allow create,patch,update on events of core,events.k8s.io

cluster-role system:controller:ttl-controller
  allow list,patch,update,watch on nodes of core
  allow create,patch,update on events of core,events.k8s.io

cluster-role system:controller:validatingadmissionpolicy-status-controller
  allow get,list,watch on validatingadmissionpolicies of admissionregistration.k8s.io
  allow get,patch,update on validatingadmissionpolicies/status of admissionregistration.k8s.io
  allow create,patch,update on events of core,events.k8s.io

cluster-role system:controller:volumeattributesclass-protection-controller
  allow get,list,watch on persistentvolumeclaims of core
  allow get,list,watch on persistentvolumes of core
  allow get,list,update,watch on volumeattributesclasses of storage.k8s.io
  allow create,patch,update on events of core,events.k8s.io

cluster-binding system:controller:attachdetach-controller
  account kube-system/attachdetach-controller

cluster-binding system:controller:certificate-controller
  account kube-system/certificate-controller

cluster-binding system:controller:clusterrole-aggregation-controller
  account kube-system/clusterrole-aggregation-controller

cluster-binding system:controller:cronjob-controller
  account kube-system/cronjob-controller

cluster-binding system:controller:daemon-set-controller
  account kube-system/daemon-set-controller

cluster-binding system:controller:deployment-controller
  account kube-system/deployment-controller

cluster-binding system:controller:device-taint-eviction-controller
  account kube-system/device-taint-eviction-controller

cluster-binding system:controller:disruption-controller
  account kube-system/disruption-controller

cluster-binding system:controller:endpoint-controller
  account kube-system/endpoint-controller

cluster-binding system:controller:endpointslice-controller
  account kube-system/endpointslice-controller

cluster-binding system:controller:endpointslicemirroring-controller
  account kube-system/endpointslicemirroring-controller

cluster-binding system:controller:ephemeral-volume-controller
  account kube-system/ephemeral-volume-controller

cluster-binding system:controller:expand-controller
  account kube-system/expand-controller

cluster-binding system:controller:generic-garbage-collector
  account kube-system/generic-garbage-collector

cluster-binding system:controller:horizontal-pod-autoscaler
  account kube-system/horizontal-pod-autoscaler

cluster-binding system:controller:job-controller
  account kube-system/job-controller

cluster-binding system:controller:legacy-service-account-token-cleaner
  account kube-system/legacy-service-account-token-cleaner

cluster-binding system:controller:namespace-controller
  account kube-system/namespace-controller

cluster-binding system:controller:node-controller
  account kube-system/node-controller

cluster-binding system:controller:persistent-volume-binder
  account kube-system/persistent-volume-binder

cluster-binding system:controller:pod-garbage-collector
  account kube-system/pod-garbage-collector

cluster-binding system:controller:pv-protection-controller
  account kube-system/pv-protection-controller

cluster-binding system:controller:pvc-protection-controller
  account kube-system/pvc-protection-controller

cluster-binding system:controller:replicaset-controller
  account kube-system/replicaset-controller

cluster-binding system:controller:replication-controller
  account kube-system/replication-controller

cluster-binding system:controller:resource-claim-controller
  account kube-system/resource-claim-controller

cluster-binding system:controller:resourcequota-controller
  account kube-system/resourcequota-controller

cluster-binding system:controller:root-ca-cert-publisher
  account kube-system/root-ca-cert-publisher

cluster-binding system:controller:route-controller
  account kube-system/route-controller

cluster-binding system:controller:selinux-warning-controller
  account kube-system/selinux-warning-controller

cluster-binding system:controller:service-account-controller
  account kube-system/service-account-controller

cluster-binding system:controller:service-cidrs-controller
  account kube-system/service-cidrs-controller

cluster-binding system:controller:service-controller
  account kube-system/service-controller

cluster-binding system:controller:statefulset-controller
  account kube-system/statefulset-controller

cluster-binding system:controller:ttl-after-finished-controller
  account kube-system/ttl-after-finished-controller

cluster-binding system:controller:ttl-controller
  account kube-system/ttl-controller

cluster-binding system:controller:validatingadmissionpolicy-status-controller
  account kube-system/validatingadmissionpolicy-status-controller

cluster-binding system:controller:volumeattributesclass-protection-controller
  account kube-system/volumeattributesclass-protection-controller
)";

}  // namespace keelson::registry::rbac
