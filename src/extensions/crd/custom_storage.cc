#include "extensions/crd/custom_storage.h"

#include "extensions/crd/custom_scaling.h"
#include "extensions/crd/openapi.h"
#include "registry/scale.h"

namespace keelson::extensions {
namespace {

using registry::rest::Result;

// Refuses what is created while the definition goes; else asks `next`.
base::Task<Result<void>> AdmitWhileServed(std::shared_ptr<const std::atomic<bool>> terminating,
                                          admission::Hook next, admission::Attributes request) {
  if (request.operation == admission::Operation::kCreate && terminating->load(std::memory_order_relaxed))
    co_return base::Err(api::Forbidden({request.resource->group, request.resource->plural}, request.name,
                                       "create not allowed while custom resource definition is terminating"));
  if (!next) co_return Result<void>();
  co_return co_await next(request);
}

}  // namespace

CustomStorage::CustomStorage(std::shared_ptr<const CustomResource> resource)
    : resource_(std::move(resource)), strategy_(*resource_), status_strategy_(*resource_) {}

base::Result<std::unique_ptr<CustomStorage>, std::string> CustomStorage::Open(
    std::shared_ptr<const CustomResource> resource, const StorageOptions& storage_options) {
  std::unique_ptr<CustomStorage> made(new CustomStorage(std::move(resource)));
  const api::ResourceDesc& desc = made->resource().storage_version().desc;
  auto cache = storage::Cacher::Start(desc, *storage_options.backend, storage_options.cacher(desc));
  if (!cache) return base::Err(std::move(cache.error().detail));
  made->cache_ = std::move(*cache);
  made->MakeStores(storage_options);
  return made;
}

admission::Hooks CustomStorage::AdmissionFor(const StorageOptions& storage_options,
                                             const api::ResourceDesc& version,
                                             std::string_view subresource) const {
  admission::Hooks hooks = storage_options.admission(version, subresource);
  hooks.mutate = [terminating = std::shared_ptr<const std::atomic<bool>>(terminating_),
                  next = std::move(hooks.mutate)](admission::Attributes request) {
    return AdmitWhileServed(terminating, next, request);
  };
  return hooks;
}

registry::StoreOptions CustomStorage::StoreOptionsFor(const StorageOptions& storage_options,
                                                      const api::ResourceDesc& version,
                                                      storage::Interface& objects,
                                                      std::string_view subresource) const {
  return {.resource = &version,
          .storage = &objects,
          .strategy = subresource.empty() ? &strategy_ : &status_strategy_,
          .subresource = std::string(subresource),
          .asks_converters = &objects != cache_.get(),
          .admission = AdmissionFor(storage_options, version, subresource),
          .authorizer = storage_options.authorizer,
          .clock = storage_options.clock,
          .collection_workers = storage_options.collection_workers};
}

std::unique_ptr<CustomStorage::Converted> CustomStorage::Convert(const CustomResource::Version& version,
                                                                 const StorageOptions& storage_options) {
  auto made = std::make_unique<Converted>();
  const api::ResourceDesc& desc = version.desc;
  const std::string prefix = storage_options.cacher(desc).registry_prefix + std::string(desc.storage_prefix);
  made->storage = std::make_unique<ConvertingStorage>(
      ConvertedObjects::Create(desc, prefix, resource_, {.clock = storage_options.clock}),
      resource_->storage_version().desc, *cache_);
  made->store = std::make_unique<registry::Store>(StoreOptionsFor(storage_options, desc, *made->storage, ""));
  made->status =
      std::make_unique<registry::Store>(StoreOptionsFor(storage_options, desc, *made->storage, "status"));
  made->deleter = std::make_unique<ConvertingDeleter>(*store_, *made->store, *made->storage);
  return made;
}

void CustomStorage::MakeStores(const StorageOptions& storage_options) {
  const api::ResourceDesc& stored = resource_->storage_version().desc;
  store_ = std::make_unique<registry::Store>(StoreOptionsFor(storage_options, stored, *cache_, ""));
  status_ = std::make_unique<registry::Store>(StoreOptionsFor(storage_options, stored, *cache_, "status"));
  for (const CustomResource::Version& version : resource_->versions()) {
    registry::Store* store = store_.get();
    if (resource_->converter())
      store = converted_.emplace_back(Convert(version, storage_options))->store.get();
    scales_.push_back(version.scaling ? ServeScale(version, *store, storage_options) : nullptr);
  }
}

std::unique_ptr<registry::Serving> CustomStorage::ServeScale(const CustomResource::Version& version,
                                                             const registry::Store& store,
                                                             const StorageOptions& storage_options) const {
  registry::ServingOptions options{&version.desc, "scale", storage_options.admission(version.desc, "scale")};
  return registry::ServeScale(*version.scaling, std::move(options), store, *storage_options.clock);
}

std::vector<endpoints::ServedResource> CustomStorage::Served(const std::shared_ptr<CustomStorage>& self) {
  std::vector<endpoints::ServedResource> served;
  size_t i = 0;
  for (const CustomResource::Version& version : self->resource_->versions()) {
    const Converted* const converted = self->converted_.empty() ? nullptr : self->converted_[i].get();
    registry::Serving* const scale = self->scales_[i++].get();
    if (!version.served) continue;
    endpoints::ServedResource& s = served.emplace_back();
    s.desc = self->terminating() ? &version.closed_desc : &version.desc;
    s.verbs = (converted ? converted->store : self->store_)->AllVerbs();
    if (converted) {
      s.verbs.remove = converted->deleter.get();
      s.verbs.remove_collection = converted->deleter.get();
    }
    s.printer = version.printer.get();
    s.deprecation = version.deprecation;
    s.keepalive = self;
    if (version.has_status)
      s.subresources.emplace("status", (converted ? converted->status : self->status_)->SubresourceVerbs());
    if (scale) s.subresources.emplace("scale", scale->verbs());
  }
  return served;
}

std::vector<endpoints::openapi::CustomDefinitionPtr> CustomStorage::Described(
    const std::shared_ptr<CustomStorage>& self) {
  using endpoints::openapi::CustomDefinitionName;
  if (!self->described_.empty()) return self->described_;
  for (const CustomResource::Version& version : self->resource_->versions()) {
    if (!version.served) continue;
    auto definition = std::make_shared<endpoints::openapi::CustomDefinition>();
    const api::ResourceDesc& desc = version.desc;
    definition->desc = &desc;
    definition->name = CustomDefinitionName(desc.group, desc.version, desc.kind);
    definition->list_name = CustomDefinitionName(desc.group, desc.version, desc.list_kind);
    definition->key = self->resource_->key();
    definition->write = [&desc, &schema = version.type->compiled()](endpoints::openapi::Dialect dialect,
                                                                    base::BufferBuilder& out) {
      AppendOpenApi(schema.Text(), schema.preserve_unknown(), desc, dialect, out);
    };
    definition->keepalive = self->resource_;
    self->described_.push_back(std::move(definition));
  }
  return self->described_;
}

}  // namespace keelson::extensions
