#include "app/resources.h"

#include <algorithm>
#include <optional>

#include "admission/plugins/namespace_lifecycle.h"
#include "endpoints/table/rows.h"
#include "registry/core/strategies.h"
#include "registry/namespace_store.h"

namespace keelson::app {

namespace core = registry::core;
using registry::Strategy;

// One resource of core/v1 and the rules it is served by.
struct Resources::Row {
  struct Subresource {
    std::string_view name;
    const Strategy& (*strategy)() = nullptr;
  };
  std::string_view plural;
  const Strategy& (*strategy)() = nullptr;  // null: made from the configuration
  std::vector<Subresource> subresources = {};
  bool returns_deleted_object = false;
};

namespace {

constexpr std::string_view kNamespaces = "namespaces", kEvents = "events";

std::string Name(std::string_view group, std::string_view version, std::string_view resource,
                 std::string_view subresource) {
  std::string name;
  name.append(group).append("/").append(version).append("/").append(resource);
  if (!subresource.empty()) name.append("/").append(subresource);
  return name;
}

const api::ResourceDesc* FindCoreResource(std::string_view plural) {
  for (const api::ResourceDesc& desc : api::BuiltinResources())
    if (desc.group.empty() && desc.version == "v1" && desc.plural == plural) return &desc;
  return nullptr;
}

std::optional<size_t> FindNamespacePhase() {
  const api::ResourceDesc* const desc = FindCoreResource(kNamespaces);
  if (!desc) return std::nullopt;
  const auto field = std::ranges::find(desc->selectable_fields, "status.phase");
  if (field == desc->selectable_fields.end()) return std::nullopt;
  return static_cast<size_t>(field - desc->selectable_fields.begin());
}

bool Has(std::span<const std::string_view> verbs, std::string_view verb) {
  return std::ranges::find(verbs, verb) != verbs.end();
}

// Of what a store can do, what the resource offers.
registry::rest::Verbs Offered(registry::Store& store, std::span<const std::string_view> verbs) {
  registry::rest::Verbs all = store.AllVerbs();
  if (!Has(verbs, "get")) all.get = nullptr;
  if (!Has(verbs, "list")) all.list = nullptr;
  if (!Has(verbs, "watch")) all.watch = nullptr;
  if (!Has(verbs, "create")) all.create = nullptr;
  if (!Has(verbs, "update")) all.update = nullptr;
  if (!Has(verbs, "delete")) all.remove = nullptr;
  if (!Has(verbs, "deletecollection")) all.remove_collection = nullptr;
  return all;
}

std::unique_ptr<registry::Store> MakeStore(registry::StoreOptions options) {
  if (options.resource->plural == kNamespaces && options.subresource.empty())
    return std::make_unique<registry::NamespaceStore>(std::move(options));
  return std::make_unique<registry::Store>(std::move(options));
}

}  // namespace

base::Result<std::unique_ptr<Resources>, std::string> Resources::Open(storage::Backend& backend,
                                                                      const Config& config,
                                                                      base::Metrics& metrics) {
  // Namespaces first: the others ask for them.
  const Row rows[] = {
      {kNamespaces,
       core::Namespaces,
       {{"status", core::NamespaceStatus}, {"finalize", core::NamespaceFinalize}},
       true},
      {"configmaps", core::ConfigMaps},
      {"endpoints", core::Endpoints},
      {kEvents},
      {"limitranges", core::LimitRanges},
      {"nodes", core::Nodes, {{"status", core::NodeStatus}}},
      {"persistentvolumeclaims",
       core::PersistentVolumeClaims,
       {{"status", core::PersistentVolumeClaimStatus}},
       true},
      {"persistentvolumes", core::PersistentVolumes, {{"status", core::PersistentVolumeStatus}}, true},
      {"pods", core::Pods, {{"status", core::PodStatus}}, true},
      {"podtemplates", core::PodTemplates, {}, true},
      {"replicationcontrollers",
       core::ReplicationControllers,
       {{"status", core::ReplicationControllerStatus}}},
      {"resourcequotas", core::ResourceQuotas, {{"status", core::ResourceQuotaStatus}}, true},
      {"secrets", core::Secrets},
      {"serviceaccounts", core::ServiceAccounts, {}, true},
      {"services", core::Services, {{"status", core::ServiceStatus}}, true},
  };
  std::unique_ptr<Resources> all(new Resources);
  const auto phase = FindNamespacePhase();
  if (!phase) return base::Err(std::string("namespaces cannot be selected by status.phase"));
  all->namespace_phase_field_ = *phase;
  for (const Row& row : rows)
    if (auto added = all->Add(row, backend, config); !added) return base::Err(std::move(added.error()));
  for (const auto& resource : all->resources_)
    metrics.AddCallback("apiserver_storage_objects", "Number of stored objects, by resource.",
                        [cache = resource->cache.get()] { return static_cast<double>(cache->Count()); },
                        {{"resource", std::string(resource->desc->plural)}});
  return all;
}

base::Result<void, std::string> Resources::Add(const Row& row, storage::Backend& backend,
                                               const Config& config) {
  const api::ResourceDesc* const desc = FindCoreResource(row.plural);
  if (!desc) return base::Err("no such built-in resource: " + std::string(row.plural));
  auto resource = std::make_unique<Resource>();
  resource->desc = desc;
  auto cache = storage::Cacher::Start(*desc, backend);
  if (!cache) return base::Err("cannot load " + std::string(row.plural) + ": " + cache.error().detail);
  resource->cache = std::move(*cache);
  if (!row.strategy) resource->own_strategy = core::Events(config.event_ttl);

  registry::StoreOptions options{.resource = desc,
                                 .storage = resource->cache.get(),
                                 .strategy = row.strategy ? &row.strategy() : resource->own_strategy.get(),
                                 .returns_deleted_object = row.returns_deleted_object,
                                 .garbage_collected = row.plural != kEvents,
                                 .admission = AdmissionFor(*desc)};
  resource->store = MakeStore(options);
  names_.insert(Name(desc->group, desc->version, desc->plural, ""));
  for (const Row::Subresource& sub : row.subresources) {
    options.strategy = &sub.strategy();
    options.subresource = sub.name;
    resource->subresources.emplace(sub.name, MakeStore(options));
    names_.insert(Name(desc->group, desc->version, desc->plural, sub.name));
  }
  resources_.push_back(std::move(resource));
  return {};
}

registry::Admission Resources::AdmissionFor(const api::ResourceDesc& desc) {
  if (desc.plural == kNamespaces)
    return {.mutate = [](registry::AdmissionRequest request) -> base::Task<registry::rest::Result<void>> {
      if (request.operation != registry::Operation::kDelete) co_return registry::rest::Result<void>();
      co_return admission::AdmitNamespaceDelete(request.name);
    }};
  if (!desc.namespaced) return {};
  return {.mutate = [this](registry::AdmissionRequest request) { return AdmitLifecycle(request); }};
}

base::Task<registry::rest::Result<void>> Resources::AdmitLifecycle(registry::AdmissionRequest request) {
  if (request.operation == registry::Operation::kDelete) co_return registry::rest::Result<void>();
  const Resource& namespaces = *resources_.front();
  auto lookup = namespaces.cache->Get(std::string(request.ns), {});
  const auto found = co_await std::move(lookup);
  auto state = admission::NamespaceState::kAbsent;
  if (found) {
    const bool terminating = (*found)->field(namespace_phase_field_) == "Terminating";
    state = terminating ? admission::NamespaceState::kTerminating : admission::NamespaceState::kActive;
  } else if (found.error().code != storage::Code::kNotFound) {
    co_return base::Err(api::InternalError(found.error().detail));
  }
  co_return admission::AdmitNamespaceContent(request.operation == registry::Operation::kCreate,
                                             {request.resource->group, request.resource->plural},
                                             request.name, request.ns, state);
}

std::vector<endpoints::ServedResource> Resources::Served() const {
  std::vector<endpoints::ServedResource> served;
  for (const auto& resource : resources_) {
    endpoints::ServedResource s{.desc = resource->desc,
                                .verbs = Offered(*resource->store, resource->desc->verbs),
                                .printer = &endpoints::table::PrinterFor(*resource->desc)};
    for (const auto& sub : resource->desc->subresources)
      if (const auto store = resource->subresources.find(sub.name); store != resource->subresources.end())
        s.subresources.emplace(sub.name, Offered(*store->second, sub.verbs));
    served.push_back(std::move(s));
  }
  // In the order of discovery, which is that of the table of built-in resources.
  std::ranges::sort(served, {}, &endpoints::ServedResource::desc);
  return served;
}

std::vector<const api::ResourceDesc*> Resources::Descriptions() const {
  std::vector<const api::ResourceDesc*> descriptions;
  for (const auto& resource : resources_) descriptions.push_back(resource->desc);
  std::ranges::sort(descriptions);
  return descriptions;
}

bool Resources::Serves(const endpoints::RequestInfo& info) const {
  return names_.contains(Name(info.group, info.version, info.resource, info.subresource));
}

std::vector<registry::Store*> Resources::NamespacedStores() const {
  std::vector<registry::Store*> stores;
  for (const auto& resource : resources_)
    if (resource->desc->namespaced) stores.push_back(resource->store.get());
  return stores;
}

registry::Store* Resources::Find(std::string_view plural, std::string_view subresource) const {
  for (const auto& resource : resources_) {
    if (resource->desc->plural != plural) continue;
    if (subresource.empty()) return resource->store.get();
    const auto store = resource->subresources.find(subresource);
    return store == resource->subresources.end() ? nullptr : store->second.get();
  }
  return nullptr;
}

}  // namespace keelson::app
