#include "registry/apiserverinternal/resources.h"

#include "registry/apiserverinternal/strategies.h"

namespace keelson::registry::apiserverinternal {

Group Resources() {
  static const ResourceRow rows[] = {
      {.plural = "storageversions",
       .strategy = StorageVersions,
       .subresources = {{"status", StorageVersionStatus}},
       .version = "v1alpha1"},
  };
  return {"internal.apiserver.k8s.io", rows};
}

}  // namespace keelson::registry::apiserverinternal
