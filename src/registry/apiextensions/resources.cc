#include "registry/apiextensions/resources.h"

#include "registry/apiextensions/strategies.h"
#include "registry/namespace_store.h"

namespace keelson::registry::apiextensions {

namespace {

std::unique_ptr<Store> MakeDefinitions(StoreOptions options, const Dependencies&) {
  return std::make_unique<NamespaceStore>(std::move(options), /*propagates=*/false);
}

}  // namespace

Group Resources() {
  static const ResourceRow rows[] = {
      {.plural = "customresourcedefinitions",
       .subresources = {{"status", CustomResourceDefinitionStatus}},
       .make_strategy = MakeCustomResourceDefinitions,
       .make_store = MakeDefinitions},
  };
  return {"apiextensions.k8s.io", rows};
}

}  // namespace keelson::registry::apiextensions
