#include "registry/core_resources.h"

#include <algorithm>
#include <stdexcept>

#include "registry/core/strategies.h"
#include "registry/namespace_lifecycle.h"
#include "registry/namespace_store.h"
#include "registry/store.h"

namespace keelson::registry {
namespace {

// One row per resource: its strategies, and how its deletes answer.
struct Entry {
  std::string_view plural;
  const Strategy& (*strategy)();
  const Strategy& (*status)() = nullptr;
  bool returns_deleted_object = false;
};
constexpr Entry kEntries[] = {
    {"configmaps", core::ConfigMaps},
    {"endpoints", core::Endpoints},
    {"limitranges", core::LimitRanges},
    {"namespaces", core::Namespaces, core::NamespaceStatus, true},
    {"nodes", core::Nodes, core::NodeStatus},
    {"persistentvolumeclaims", core::PersistentVolumeClaims, core::PersistentVolumeClaimStatus, true},
    {"persistentvolumes", core::PersistentVolumes, core::PersistentVolumeStatus, true},
    {"pods", core::Pods, core::PodStatus, true},
    {"podtemplates", core::PodTemplates, nullptr, true},
    {"replicationcontrollers", core::ReplicationControllers, core::ReplicationControllerStatus},
    {"resourcequotas", core::ResourceQuotas, core::ResourceQuotaStatus, true},
    {"secrets", core::Secrets},
    {"serviceaccounts", core::ServiceAccounts, nullptr, true},
    {"services", core::Services, core::ServiceStatus, true},
};

}  // namespace

CoreResources::CoreResources(const std::function<storage::Interface&(const api::ResourceDesc&)>& storage_of,
                             CoreOptions options)
    : mutate_(std::move(options.admission.mutate)), events_(core::Events(options.event_ttl)) {
  options.admission.mutate = [this](AdmissionRequest request) { return Mutate(request); };
  for (const api::ResourceDesc& desc : api::BuiltinResources()) {
    if (!desc.group.empty()) continue;
    bool events = desc.plural == "events";
    auto entry = std::ranges::find(kEntries, desc.plural, &Entry::plural);
    if (entry == std::end(kEntries) && !events) continue;

    StoreOptions store{&desc, &storage_of(desc)};
    store.strategy = events ? events_.get() : &entry->strategy();
    store.returns_deleted_object = !events && entry->returns_deleted_object;
    store.garbage_collected = !events;
    store.admission = options.admission;
    store.clock = options.clock;
    bool namespaces = desc.plural == "namespaces";
    Resource resource{&desc};
    resource.verbs = namespaces ? Add(std::make_unique<NamespaceStore>(store)).AllVerbs()
                                : Add(std::make_unique<Store>(store)).AllVerbs();
    auto add_subresource = [&](const char* name, const Strategy& strategy) {
      StoreOptions part = store;
      part.subresource = name;
      part.strategy = &strategy;
      resource.subresources[name] = Add(std::make_unique<Store>(std::move(part))).SubresourceVerbs();
    };
    if (!events && entry->status) add_subresource("status", entry->status());
    if (namespaces) {
      add_subresource("finalize", core::NamespaceFinalize());
      namespace_lifecycle_ = NamespaceLifecycle(*resource.verbs.get);
    }
    resources_.push_back(std::move(resource));
  }
}

CoreResources::~CoreResources() = default;

base::Task<rest::Result<void>> CoreResources::Mutate(AdmissionRequest request) const {
  for (const AdmissionFn* admit : {&namespace_lifecycle_, &mutate_})
    if (*admit)
      if (auto admitted = co_await (*admit)(request); !admitted) co_return std::move(admitted);
  co_return rest::Result<void>();
}

Store& CoreResources::Add(std::unique_ptr<Store> store) { return *stores_.emplace_back(std::move(store)); }

const CoreResources::Resource& CoreResources::Find(std::string_view plural) const {
  auto found = std::ranges::find(resources_, plural, [](const Resource& r) { return r.desc->plural; });
  if (found == resources_.end()) throw std::invalid_argument("no such resource: " + std::string(plural));
  return *found;
}

}  // namespace keelson::registry
