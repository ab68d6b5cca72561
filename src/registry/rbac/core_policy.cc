// The policy of a new cluster, but for the controllers: what users, nodes and the other
// components may do. policy_text.h tells how to read it.
#include "registry/rbac/policy_text.h"

namespace keelson::registry::rbac {

const std::string_view kCorePolicy = R"(cluster-role admin made-of admin

cluster-role cluster-admin
  allow * on * of *
  allow * url *

cluster-role edit part-of admin made-of edit

cluster-role system:aggregate-to-admin part-of admin
  allow create on localsubjectaccessreviews of authorization.k8s.io
  allow create,delete,deletecollection,get,list,patch,update,watch on rolebindings,roles of
      rbac.authorization.k8s.io

cluster-role system:aggregate-to-edit part-of edit
  allow get,list,watch on pods/attach,pods/exec,pods/portforward,pods/proxy,secrets,services/proxy of core
  allow impersonate on serviceaccounts of core
  allow create,delete,deletecollection,patch,update on pods,pods/attach,pods/exec,pods/portforward,
      pods/proxy of core
  allow create on pods/eviction of core
  allow create,delete,deletecollection,patch,update on configmaps,persistentvolumeclaims,
      replicationcontrollers,replicationcontrollers/scale,secrets,serviceaccounts,services,services/proxy of
      core
  allow create on serviceaccounts/token of core
  allow create,delete,deletecollection,patch,update on events of core,events.k8s.io
  allow create,delete,deletecollection,patch,update on daemonsets,deployments,deployments/rollback,
      deployments/scale,replicasets,replicasets/scale,statefulsets,statefulsets/scale of apps
  allow create,delete,deletecollection,patch,update on horizontalpodautoscalers of autoscaling
  allow create,delete,deletecollection,patch,update on cronjobs,jobs of batch
  allow create,delete,deletecollection,patch,update on daemonsets,deployments,deployments/rollback,
      deployments/scale,ingresses,networkpolicies,replicasets,replicasets/scale,replicationcontrollers/scale
      of extensions
  allow create,delete,deletecollection,patch,update on poddisruptionbudgets of policy
  allow create,delete,deletecollection,patch,update on ingresses,networkpolicies of networking.k8s.io
  allow create,delete,deletecollection,get,list,patch,update,watch on leases of coordination.k8s.io
  allow create,delete,deletecollection,patch,update on resourceclaims,resourceclaimtemplates of
      resource.k8s.io

cluster-role system:aggregate-to-view part-of view
  allow get,list,watch on configmaps,endpoints,persistentvolumeclaims,persistentvolumeclaims/status,pods,
      replicationcontrollers,replicationcontrollers/scale,serviceaccounts,services,services/status of core
  allow get,list,watch on bindings,limitranges,namespaces/status,pods/log,pods/status,
      replicationcontrollers/status,resourcequotas,resourcequotas/status of core
  allow get,list,watch on namespaces of core
  allow get,list,watch on events of core,events.k8s.io
  allow get,list,watch on endpointslices of discovery.k8s.io
  allow get,list,watch on controllerrevisions,daemonsets,daemonsets/status,deployments,deployments/scale,
      deployments/status,replicasets,replicasets/scale,replicasets/status,statefulsets,statefulsets/scale,
      statefulsets/status of apps
  allow get,list,watch on horizontalpodautoscalers,horizontalpodautoscalers/status of autoscaling
  allow get,list,watch on cronjobs,cronjobs/status,jobs,jobs/status of batch
  allow get,list,watch on daemonsets,daemonsets/status,deployments,deployments/scale,deployments/status,
      ingresses,ingresses/status,networkpolicies,replicasets,replicasets/scale,replicasets/status,
      replicationcontrollers/scale of extensions
  allow get,list,watch on poddisruptionbudgets,poddisruptionbudgets/status of policy
  allow get,list,watch on ingresses,ingresses/status,networkpolicies of networking.k8s.io
  allow get,list,watch on resourceclaims,resourceclaims/status,resourceclaimtemplates of resource.k8s.io

cluster-role system:auth-delegator
  allow create on tokenreviews of authentication.k8s.io
  allow create on subjectaccessreviews of authorization.k8s.io

cluster-role system:basic-user
  allow create on selfsubjectaccessreviews,selfsubjectrulesreviews of authorization.k8s.io
  allow create on selfsubjectreviews of authentication.k8s.io

cluster-role system:certificates.k8s.io:certificatesigningrequests:nodeclient
  allow create on certificatesigningrequests/nodeclient of certificates.k8s.io

cluster-role system:certificates.k8s.io:certificatesigningrequests:selfnodeclient
  allow create on certificatesigningrequests/selfnodeclient of certificates.k8s.io

cluster-role system:certificates.k8s.io:kube-apiserver-client-approver
  allow approve on signers of certificates.k8s.io named kubernetes.io/kube-apiserver-client

cluster-role system:certificates.k8s.io:kube-apiserver-client-kubelet-approver
  allow approve on signers of certificates.k8s.io named kubernetes.io/kube-apiserver-client-kubelet

cluster-role system:certificates.k8s.io:kubelet-serving-approver
  allow approve on signers of certificates.k8s.io named kubernetes.io/kubelet-serving

cluster-role system:certificates.k8s.io:legacy-unknown-approver
  allow approve on signers of certificates.k8s.io named kubernetes.io/legacy-unknown

cluster-role system:discovery
  allow get url /api,/api/*,/apis,/apis/*,/healthz,/livez,/openapi,/openapi/*,/readyz,/version,/version/

cluster-role system:heapster
  allow get,list,watch on events,namespaces,nodes,pods of core
  allow get,list,watch on deployments of extensions

cluster-role system:kube-aggregator
  allow get,list,watch on endpoints,services of core

cluster-role system:kube-controller-manager
  allow create,patch,update on events of core,events.k8s.io
  allow create on leases of coordination.k8s.io
  allow get,update on leases of coordination.k8s.io named kube-controller-manager
  allow create on secrets,serviceaccounts of core
  allow delete on secrets of core
  allow get on configmaps,namespaces,secrets,serviceaccounts of core
  allow update on secrets,serviceaccounts of core
  allow create on tokenreviews of authentication.k8s.io
  allow create on subjectaccessreviews of authorization.k8s.io
  allow list,watch on * of *
  allow create on serviceaccounts/token of core

cluster-role system:kube-dns
  allow list,watch on endpoints,services of core

cluster-role system:kube-scheduler
  allow create,patch,update on events of core,events.k8s.io
  allow create on leases of coordination.k8s.io
  allow get,list,update,watch on leases of coordination.k8s.io named kube-scheduler
  allow create,delete,deletecollection,get,list,patch,update,watch on leasecandidates of coordination.k8s.io
  allow get,list,watch on nodes of core
  allow delete,get,list,watch on pods of core
  allow create on bindings,pods/binding of core
  allow patch,update on pods/status of core
  allow get,list,watch on replicationcontrollers,services of core
  allow get,list,watch on replicasets of apps,extensions
  allow get,list,watch on statefulsets of apps
  allow get,list,watch on poddisruptionbudgets of policy
  allow get,list,watch on persistentvolumeclaims,persistentvolumes of core
  allow create on tokenreviews of authentication.k8s.io
  allow create on subjectaccessreviews of authorization.k8s.io
  allow get,list,watch on csinodes of storage.k8s.io
  allow get,list,watch on volumeattachments of storage.k8s.io
  allow get,list,watch on namespaces of core
  allow get,list,watch on csidrivers of storage.k8s.io
  allow get,list,watch on csistoragecapacities of storage.k8s.io
  allow get,list,watch on deviceclasses of resource.k8s.io
  allow get,list,patch,update,watch on resourceclaims of resource.k8s.io
  allow get,list,patch,update,watch on resourceclaims/status of resource.k8s.io
  allow update on pods/finalizers of core
  allow get,list,watch on resourceslices of resource.k8s.io
  allow create,delete on resourceclaims of resource.k8s.io
  allow patch,update on resourceclaims/binding of resource.k8s.io

cluster-role system:kubelet-api-admin
  allow get,list,watch on nodes of core
  allow proxy on nodes of core
  allow * on nodes/log,nodes/metrics,nodes/proxy,nodes/stats of core
  allow * on nodes/configz,nodes/healthz,nodes/pods of core

cluster-role system:monitoring
  allow get url /flagz,/healthz,/healthz/*,/livez,/livez/*,/metrics,/metrics/slis,/readyz,/readyz/*,/statusz
  allow get on nodes/metrics of core

cluster-role system:node
  allow create on tokenreviews of authentication.k8s.io
  allow create on localsubjectaccessreviews,subjectaccessreviews of authorization.k8s.io
  allow get,list,watch on services of core
  allow create,get,list,watch on nodes of core
  allow patch,update on nodes/status of core
  allow patch,update on nodes of core
  allow create,patch,update on events of core,events.k8s.io
  allow get,list,watch on pods of core
  allow create,delete on pods of core
  allow patch,update on pods/status of core
  allow create on pods/eviction of core
  allow get,list,watch on configmaps,secrets of core
  allow get on persistentvolumeclaims,persistentvolumes of core
  allow get on endpoints of core
  allow create,get,list,watch on certificatesigningrequests of certificates.k8s.io
  allow create,delete,get,patch,update on leases of coordination.k8s.io
  allow get on volumeattachments of storage.k8s.io
  allow create on serviceaccounts/token of core
  allow get,patch,update on persistentvolumeclaims/status of core
  allow get,list,watch on csidrivers of storage.k8s.io
  allow create,delete,get,patch,update on csinodes of storage.k8s.io
  allow get,list,watch on runtimeclasses of node.k8s.io
  allow get on resourceclaims of resource.k8s.io
  allow deletecollection on resourceslices of resource.k8s.io
  allow get on serviceaccounts of core

cluster-role system:node-bootstrapper
  allow create,get,list,watch on certificatesigningrequests of certificates.k8s.io

cluster-role system:node-problem-detector
  allow get on nodes of core
  allow patch on nodes/status of core
  allow create,patch,update on events of core,events.k8s.io

cluster-role system:node-proxier
  allow list,watch on endpoints,services of core
  allow get,list,watch on nodes of core
  allow create,patch,update on events of core,events.k8s.io
  allow list,watch on servicecidrs of networking.k8s.io
  allow list,watch on endpointslices of discovery.k8s.io

cluster-role system:persistent-volume-provisioner
  allow create,delete,get,list,watch on persistentvolumes of core
  allow get,list,update,watch on persistentvolumeclaims of core
  allow get,list,watch on storageclasses of storage.k8s.io
  allow watch on events of core
  allow create,patch,update on events of core,events.k8s.io

cluster-role system:public-info-viewer
  allow get url /healthz,/livez,/readyz,/version,/version/

cluster-role system:service-account-issuer-discovery
  allow get url /.well-known/openid-configuration,/.well-known/openid-configuration/,/openid/v1/jwks,
      /openid/v1/jwks/

cluster-role system:volume-scheduler
  allow get,list,patch,update,watch on persistentvolumes of core
  allow get,list,watch on storageclasses of storage.k8s.io
  allow get,list,patch,update,watch on persistentvolumeclaims of core

cluster-role view part-of edit made-of view

cluster-binding cluster-admin
  group system:masters

cluster-binding system:basic-user
  group system:authenticated

cluster-binding system:discovery
  group system:authenticated

cluster-binding system:kube-controller-manager
  user system:kube-controller-manager

cluster-binding system:kube-dns
  account kube-system/kube-dns

cluster-binding system:kube-scheduler
  user system:kube-scheduler

cluster-binding system:monitoring
  group system:monitoring

cluster-binding system:node

cluster-binding system:node-proxier
  user system:kube-proxy

cluster-binding system:public-info-viewer
  group system:authenticated
  group system:unauthenticated

cluster-binding system:service-account-issuer-discovery
  group system:serviceaccounts

cluster-binding system:volume-scheduler
  user system:kube-scheduler

role system:controller:bootstrap-signer in kube-public
  allow get,list,watch on configmaps of core
  allow update on configmaps of core named cluster-info
  allow create,patch,update on events of core,events.k8s.io

role extension-apiserver-authentication-reader in kube-system
  allow get,list,watch on configmaps of core named extension-apiserver-authentication

role system::leader-locking-kube-controller-manager in kube-system
  allow create,get,list,update,watch on leases of coordination.k8s.io
  allow create,get,list,update,watch on leasecandidates of coordination.k8s.io

role system::leader-locking-kube-scheduler in kube-system
  allow create,get,list,update,watch on leases of coordination.k8s.io
  allow create,get,list,update,watch on leasecandidates of coordination.k8s.io

role system:controller:bootstrap-signer in kube-system
  allow get,list,watch on secrets of core

role system:controller:cloud-provider in kube-system
  allow create,get,list,watch on configmaps of core

role system:controller:token-cleaner in kube-system
  allow delete,get,list,watch on secrets of core
  allow create,patch,update on events of core,events.k8s.io

binding system:controller:bootstrap-signer in kube-public
  account kube-system/bootstrap-signer

binding system::extension-apiserver-authentication-reader in kube-system
      to extension-apiserver-authentication-reader
  user system:kube-controller-manager
  user system:kube-scheduler

binding system::leader-locking-kube-controller-manager in kube-system
  user system:kube-controller-manager
  account kube-system/kube-controller-manager
  account kube-system/leader-election-controller

binding system::leader-locking-kube-scheduler in kube-system
  user system:kube-scheduler
  account kube-system/kube-scheduler

binding system:controller:bootstrap-signer in kube-system
  account kube-system/bootstrap-signer

binding system:controller:cloud-provider in kube-system
  account kube-system/cloud-provider

binding system:controller:token-cleaner in kube-system
  account kube-system/token-cleaner
)";

}  // namespace keelson::registry::rbac
