#include "registry/rbac/policy_text.h"

namespace keelson::registry::rbac {

constexpr GatedPolicy kPolicies[] = {
    {"ClusterTrustBundle",
     R"(cluster-role system:node
  allow get,list,watch on clustertrustbundles of certificates.k8s.io
cluster-role system:cluster-trust-bundle-discovery
  allow get,list,watch on clustertrustbundles of certificates.k8s.io
cluster-binding system:cluster-trust-bundle-discovery
  group system:serviceaccounts
cluster-role system:controller:kube-apiserver-serving-clustertrustbundle-publisher
  allow attest on signers of certificates.k8s.io named kubernetes.io/kube-apiserver-serving
  allow create,delete,list,update,watch on clustertrustbundles of certificates.k8s.io
  allow create,patch,update on events of core,events.k8s.io
cluster-binding system:controller:kube-apiserver-serving-clustertrustbundle-publisher
  account kube-system/kube-apiserver-serving-clustertrustbundle-publisher
)"},
    {"DRADeviceTaintRules",
     R"(cluster-role system:kube-scheduler
  allow get,list,watch on devicetaintrules of resource.k8s.io
cluster-role system:controller:device-taint-eviction-controller
  allow patch,update on devicetaintrules/status of resource.k8s.io
  allow get,list,watch on devicetaintrules of resource.k8s.io
)"},
    {"DRAResourcePoolStatus",
     R"(cluster-role system:controller:resourcepoolstatusrequest-controller
  allow delete,get,list,watch on resourcepoolstatusrequests of resource.k8s.io
  allow patch,update on resourcepoolstatusrequests/status of resource.k8s.io
  allow get,list,watch on resourceslices of resource.k8s.io
  allow get,list,watch on resourceclaims of resource.k8s.io
  allow create,patch,update on events of core,events.k8s.io
cluster-binding system:controller:resourcepoolstatusrequest-controller
  account kube-system/resourcepoolstatusrequest-controller
)"},
    {"DRAWorkloadResourceClaims",
     R"(cluster-role system:controller:resource-claim-controller
  allow get,list,watch on podgroups of scheduling.k8s.io
  allow patch,update on podgroups/status of scheduling.k8s.io
)"},
    {"GenericWorkload",
     R"(cluster-role system:aggregate-to-view
  allow get,list,watch on podgroups,podgroups/status,workloads of scheduling.k8s.io
cluster-role system:aggregate-to-edit
  allow create,delete,deletecollection,patch,update on podgroups,workloads of scheduling.k8s.io
cluster-role system:kube-scheduler
  allow get,list,watch on podgroups of scheduling.k8s.io
  allow patch,update on podgroups/status of scheduling.k8s.io
cluster-role system:controller:podgroup-protection-controller
  allow get,list,update,watch on podgroups of scheduling.k8s.io
  allow get,list,watch on pods of core
cluster-binding system:controller:podgroup-protection-controller
  account kube-system/podgroup-protection-controller
)"},
    {"PodCertificateRequest",
     R"(cluster-role system:node
  allow create,get,list,watch on podcertificaterequests of certificates.k8s.io
cluster-role system:controller:podcertificaterequestcleaner
  allow delete,get,list,watch on podcertificaterequests of certificates.k8s.io
cluster-binding system:controller:podcertificaterequestcleaner
  account kube-system/podcertificaterequestcleaner
)"},
    {"StorageVersionMigrator",
     R"(cluster-role system:controller:storage-version-migrator-controller
  allow create,list,patch on * of *
  allow get on customresourcedefinitions of apiextensions.k8s.io
  allow patch on customresourcedefinitions/status of apiextensions.k8s.io
  allow update on storageversionmigrations/status of storagemigration.k8s.io
cluster-binding system:controller:storage-version-migrator-controller
  account kube-system/storage-version-migrator-controller
)"},
    {"WorkloadWithJob",
     R"(cluster-role system:controller:job-controller
  allow create,get,list,watch on podgroups,workloads of scheduling.k8s.io
)"},
};

std::span<const GatedPolicy> GatedPolicies() { return kPolicies; }

}  // namespace keelson::registry::rbac
