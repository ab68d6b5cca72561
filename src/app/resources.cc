#include "app/resources.h"

#include <algorithm>

#include "endpoints/table/rows.h"
#include "registry/admissionregistration/resources.h"
#include "registry/apiextensions/resources.h"
#include "registry/apiregistration/resources.h"
#include "registry/apiserverinternal/resources.h"
#include "registry/apps/resources.h"
#include "registry/authentication/resources.h"
#include "registry/authorization/resources.h"
#include "registry/autoscaling/resources.h"
#include "registry/batch/resources.h"
#include "registry/certificates/resources.h"
#include "registry/coordination/resources.h"
#include "registry/core/resources.h"
#include "registry/discovery/resources.h"
#include "registry/events/resources.h"
#include "registry/flowcontrol/resources.h"
#include "registry/networking/resources.h"
#include "registry/node/resources.h"
#include "registry/policy/resources.h"
#include "registry/rbac/resources.h"
#include "registry/resource/resources.h"
#include "registry/scheduling/resources.h"
#include "registry/storage/resources.h"
#include "registry/storagemigration/resources.h"

namespace keelson::app {
namespace {

using registry::ResourceRow;

constexpr registry::Group (*kGroups[])() = {
    // Namespaces first: the others ask for them.
    registry::core::Resources,
    registry::admissionregistration::Resources,
    registry::apiextensions::Resources,
    registry::apiregistration::Resources,
    registry::apps::Resources,
    registry::authentication::Resources,
    registry::authorization::Resources,
    registry::autoscaling::Resources,
    registry::batch::Resources,
    registry::certificates::Resources,
    registry::coordination::Resources,
    registry::discovery::Resources,
    registry::events::Resources,
    registry::flowcontrol::Resources,
    registry::networking::Resources,
    registry::node::Resources,
    registry::policy::Resources,
    registry::rbac::Resources,
    registry::resource::Resources,
    registry::scheduling::Resources,
    registry::storage_api::Resources,
    registry::apiserverinternal::Resources,
    registry::storagemigration::Resources,
};

std::string Name(std::string_view group, std::string_view version, std::string_view resource,
                 std::string_view subresource) {
  std::string name;
  name.append(group).append("/").append(version).append("/").append(resource);
  if (!subresource.empty()) name.append("/").append(subresource);
  return name;
}

bool Has(std::span<const std::string_view> verbs, std::string_view verb) {
  return std::ranges::find(verbs, verb) != verbs.end();
}

// Of what there is, what the resource offers.
registry::rest::Verbs Offered(registry::rest::Verbs all, std::span<const std::string_view> verbs) {
  if (!Has(verbs, "get")) all.get = nullptr, all.show = nullptr;
  if (!Has(verbs, "list")) all.list = nullptr;
  if (!Has(verbs, "watch")) all.watch = nullptr;
  if (!Has(verbs, "create")) all.create = nullptr;
  if (!Has(verbs, "update")) all.update = nullptr;
  if (!Has(verbs, "delete")) all.remove = nullptr;
  if (!Has(verbs, "deletecollection")) all.remove_collection = nullptr;
  return all;  // who connects looks at the verb itself
}

void AddCacheMetrics(const Resources::Cached& cached, base::Metrics& metrics) {
  using Stats = storage::Cacher::Stats;
  const auto add = [&](const char* name, const char* help, double (*read)(const Stats&)) {
    metrics.AddCallback(name, help, [cache = cached.cache, read] { return read(cache->ReadStats()); },
                        {{"resource", cached.resource.ToString()}});
  };
  const base::Labels labels = {{"group", std::string(cached.resource.group)},
                               {"resource", std::string(cached.resource.resource)}};
  metrics.AddCallback(
      "apiserver_resource_objects", "Number of stored objects, by resource.",
      [cache = cached.cache] { return static_cast<double>(cache->ReadStats().objects); }, labels);
  metrics.AddCallback(
      "apiserver_resource_size_estimate_bytes", "Bytes of the stored objects, by resource.",
      [cache = cached.cache] { return static_cast<double>(cache->ReadStats().object_bytes); }, labels);
  add("apiserver_storage_objects",
      "Number of stored objects, by resource; superseded by "
      "apiserver_resource_objects.",
      [](const Stats& s) { return static_cast<double>(s.objects); });
  add("keelson_watch_window_bytes", "Memory of the events that watches can resume from.",
      [](const Stats& s) { return static_cast<double>(s.window_bytes); });
  add("keelson_watch_window_seconds", "Age of the oldest event that watches can resume from.",
      [](const Stats& s) { return std::chrono::duration<double>(s.window_age).count(); });
  add("keelson_watchers", "Watches that are open.",
      [](const Stats& s) { return static_cast<double>(s.watchers); });
  add("keelson_watchers_expired", "Watches that fell behind the window and were ended with 410, so far.",
      [](const Stats& s) { return static_cast<double>(s.expired_watchers); });
  metrics.AddCallback("keelson_watch_lag_events",
                      "Most events that a watch was behind since this was last read.",
                      [cache = cached.cache] { return static_cast<double>(cache->TakeWorstLag()); },
                      {{"resource", cached.resource.ToString()}});
}

}  // namespace

base::Result<std::unique_ptr<Resources>, std::string> Resources::Open(
    const BackendOf& backend, const CacherOptionsOf& cacher, registry::Dependencies dependencies,
    const RuntimeConfig& runtime_config, const AdmissionConfig& admission,
    const AdmissionInputs& admission_inputs, registry::StoreCatalog& catalog, base::Metrics& metrics) {
  std::unique_ptr<Resources> all(new Resources(catalog));
  all->admission_ = std::make_unique<const AdmissionRules>(
      all->client_, admission, admission_inputs, dependencies.authorizer, dependencies.features, metrics);
  dependencies.stores = all.get();
  all->dependencies_ = dependencies;
  all->runtime_config_ = runtime_config;
  catalog.SetServed(
      [runtime_config](const api::ResourceDesc& version) { return runtime_config.Serves(version); });
  for (const auto& group : kGroups) {
    const registry::Group table = group();
    for (const ResourceRow& row : table.rows) TRY(all->Add(table.name, row, backend, cacher));
  }
  TRY(all->JoinVersions());
  all->MakeServings();
  for (const Cached& cached : all->Caches()) AddCacheMetrics(cached, metrics);
  return all;
}

base::Result<void, std::string> Resources::Add(std::string_view group, const ResourceRow& row,
                                               const BackendOf& backend, const CacherOptionsOf& cacher) {
  const api::ResourceDesc* const desc = api::FindResource(group, row.version, row.plural);
  if (!desc) return base::Err("no such built-in resource: " + Name(group, row.version, row.plural, ""));
  if (!runtime_config_.Stores(*desc)) return {};
  auto resource = std::make_unique<Resource>();
  resource->desc = desc;
  resource->row = &row;
  if (row.strategy || row.make_strategy) {
    auto cache = storage::Cacher::Start(*desc, backend(*desc), cacher(*desc));
    if (!cache) return base::Err("cannot load " + std::string(row.plural) + ": " + cache.error().detail);
    resource->cache = std::move(*cache);
    MakeStores(*resource);
  }
  names_.insert(Name(group, desc->version, desc->plural, ""));
  for (const registry::SubresourceRow& sub : row.subresources)
    names_.insert(Name(group, desc->version, desc->plural, sub.name));
  resources_.push_back(std::move(resource));
  return {};
}

void Resources::MakeStores(Resource& resource) {
  const ResourceRow& row = *resource.row;
  if (row.make_strategy) resource.own_strategy = row.make_strategy(dependencies_);
  if (row.make_check) resource.check = row.make_check(dependencies_);
  registry::StoreOptions options{.resource = resource.desc,
                                 .storage = resource.cache.get(),
                                 .strategy = row.strategy ? &row.strategy() : resource.own_strategy.get(),
                                 .returns_deleted_object = row.returns_deleted_object,
                                 .garbage_collected = row.garbage_collected,
                                 .admission = admission_->For(*resource.desc, ""),
                                 .check = resource.check.get(),
                                 .authorizer = dependencies_.authorizer,
                                 .reserver = row.reserver ? dependencies_.*row.reserver : nullptr,
                                 .features = dependencies_.features,
                                 .collection_workers = dependencies_.collection_workers};
  resource.store =
      row.make_store ? row.make_store(options, dependencies_) : std::make_unique<registry::Store>(options);
  for (const registry::SubresourceRow& sub : row.subresources) {
    if (!sub.strategy) continue;
    options.strategy = &sub.strategy();
    options.subresource = sub.name;
    if (sub.make_check) resource.subresource_checks.push_back(sub.make_check(dependencies_));
    options.check = sub.make_check ? resource.subresource_checks.back().get() : nullptr;
    options.admission = admission_->For(*resource.desc, sub.name);
    resource.subresources.emplace(sub.name, std::make_unique<registry::Store>(options));
  }
  auto entry = registry::StoreCatalog::MakeEntry(*resource.store);
  for (const auto& [name, store] : resource.subresources) entry->subresources.emplace(name, store.get());
  catalog_.Add(std::move(entry));
}

base::Result<void, std::string> Resources::JoinVersions() {
  for (const auto& resource : resources_) {
    if (resource->store || resource->row->serve) continue;
    const api::ResourceDesc* const wanted = &api::StoredResource(*resource->desc);
    const auto stored = std::ranges::find(resources_, wanted, [](const auto& r) { return r->desc; });
    if (stored == resources_.end() || !(*stored)->store)
      return base::Err("nothing stores " +
                       Name(resource->desc->group, resource->desc->version, resource->desc->plural, ""));
    resource->stored = stored->get();
    if (wanted->group != resource->desc->group) {
      registry::StoreOptions options = resource->stored->store->options();
      options.served_as = resource->desc;
      resource->renamed_store = std::make_unique<registry::Store>(std::move(options));
    }
    for (const auto& [name, store] : resource->stored->subresources)
      names_.insert(Name(resource->desc->group, resource->desc->version, resource->desc->plural, name));
  }
  return {};
}

void Resources::MakeServings() {
  for (const auto& resource : resources_) {
    const auto options = [&](std::string_view subresource) {
      return registry::ServingOptions{resource->desc, std::string(subresource),
                                      admission_->For(*resource->desc, subresource)};
    };
    if (resource->row->serve) resource->serving = resource->row->serve(options(""), dependencies_);
    for (const registry::SubresourceRow& sub : resource->row->subresources)
      if (sub.serve)
        resource->subresource_servings.emplace(sub.name, sub.serve(options(sub.name), dependencies_));
  }
}

std::vector<endpoints::ServedResource> Resources::Served() const {
  std::vector<endpoints::ServedResource> served;
  for (const auto& resource : resources_) {
    if (!runtime_config_.Serves(*resource->desc)) continue;
    const Resource* const stored = resource->stored ? resource->stored : resource.get();
    registry::Store* const store =
        resource->renamed_store ? resource->renamed_store.get() : stored->store.get();
    const auto all = store ? store->AllVerbs() : resource->serving->verbs();
    endpoints::ServedResource s{.desc = resource->desc,
                                .verbs = Offered(all, resource->desc->verbs),
                                .printer = &endpoints::table::PrinterFor(*resource->desc)};
    for (const auto& sub : resource->desc->subresources) {
      if (const auto store = stored->subresources.find(sub.name); store != stored->subresources.end())
        s.subresources.emplace(sub.name, Offered(store->second->AllVerbs(), sub.verbs));
      if (const auto serving = resource->subresource_servings.find(sub.name);
          serving != resource->subresource_servings.end())
        s.subresources.emplace(sub.name, Offered(serving->second->verbs(), sub.verbs));
    }
    served.push_back(std::move(s));
  }
  // In the order of discovery, which is that of the table of built-in resources.
  std::ranges::sort(served, {}, &endpoints::ServedResource::desc);
  return served;
}

std::vector<const api::ResourceDesc*> Resources::Descriptions() const {
  std::vector<const api::ResourceDesc*> descriptions;
  for (const auto& resource : resources_)
    if (runtime_config_.Serves(*resource->desc)) descriptions.push_back(resource->desc);
  std::ranges::sort(descriptions);
  return descriptions;
}

std::set<const api::ResourceDesc*> Resources::ShownDeleted() const {
  std::set<const api::ResourceDesc*> shown;
  for (const auto& resource : resources_) {
    const registry::ResourceRow& row = *(resource->stored ? resource->stored : resource.get())->row;
    if (row.returns_deleted_object) shown.insert(resource->desc);
  }
  return shown;
}

bool Resources::Serves(const endpoints::RequestInfo& info) const {
  return runtime_config_.Serves(info.group, info.version, info.resource) &&
         names_.contains(Name(info.group, info.version, info.resource, info.subresource));
}

std::vector<Resources::Cached> Resources::Caches() const {
  std::vector<Cached> caches;
  for (const auto& resource : resources_)
    if (resource->cache)
      caches.push_back({{resource->desc->group, resource->desc->plural}, resource->cache.get()});
  return caches;
}

registry::Store* Resources::Find(api::GroupResource wanted, std::string_view subresource) const {
  for (const auto& resource : resources_) {
    if (!resource->store || resource->desc->plural != wanted.resource ||
        resource->desc->group != wanted.group)
      continue;
    if (subresource.empty()) return resource->store.get();
    const auto store = resource->subresources.find(subresource);
    return store == resource->subresources.end() ? nullptr : store->second.get();
  }
  return nullptr;
}

}  // namespace keelson::app
