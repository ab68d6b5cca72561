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
    {"StorageVersionMigrator",
     R"(cluster-role system:controller:storage-version-migrator-controller
  allow create,list,patch on * of *
  allow get on customresourcedefinitions of apiextensions.k8s.io
  allow patch on customresourcedefinitions/status of apiextensions.k8s.io
  allow update on storageversionmigrations/status of storagemigration.k8s.io
cluster-binding system:controller:storage-version-migrator-controller
  account kube-system/storage-version-migrator-controller
)"},
};

std::span<const GatedPolicy> GatedPolicies() { return kPolicies; }

}  // namespace keelson::registry::rbac
