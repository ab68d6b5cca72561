#include "registry/scheduling/resources.h"

#include "registry/scheduling/priority_class_store.h"
#include "registry/scheduling/strategies.h"

namespace keelson::registry::scheduling {
namespace {

std::unique_ptr<Store> MakePriorityClassStore(StoreOptions options, const Dependencies&) {
  return std::make_unique<PriorityClassStore>(std::move(options));
}

}  // namespace

Group Resources() {
  static const ResourceRow rows[] = {
      {.plural = "priorityclasses", .strategy = PriorityClasses, .make_store = MakePriorityClassStore},
      {.plural = "podgroups",
       .strategy = PodGroups,
       .subresources = {{"status", PodGroupStatus}},
       .version = "v1alpha2"},
      {.plural = "workloads", .strategy = Workloads, .version = "v1alpha2"},
  };
  return {"scheduling.k8s.io", rows};
}

}  // namespace keelson::registry::scheduling
