// CustomStorage: a custom resource with its cache and stores. It is made anew when the definition changes;
// who still uses the old one keeps it.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "admission/hooks.h"
#include "endpoints/api_handler.h"
#include "endpoints/openapi/custom.h"
#include "extensions/conversion/converting_deleter.h"
#include "extensions/crd/custom_resource.h"
#include "extensions/crd/custom_strategy.h"
#include "registry/group.h"
#include "registry/store.h"
#include "storage/backend.h"
#include "storage/cacher/cacher.h"

namespace keelson::extensions {

// What a storage is made with. Borrowed: outlives it.
struct StorageOptions {
  storage::Backend* backend = nullptr;
  std::function<storage::CacherOptions(const api::ResourceDesc&)> cacher;
  std::function<admission::Hooks(const api::ResourceDesc&, std::string_view subresource)> admission;
  auth::Authorizer* authorizer = nullptr;  // asked before an update or apply creates; null: all may
  ConversionParts conversion;              // of the webhooks that convert versions
  const base::Clock* clock = &base::Clock::Real();
  size_t collection_workers = registry::kCollectionWorkers;  // StoreOptions'
};

// Threads: any.
class CustomStorage {
 public:
  // Loads the objects; blocks meanwhile.
  static base::Result<std::unique_ptr<CustomStorage>, std::string> Open(
      std::shared_ptr<const CustomResource> resource, const StorageOptions& storage_options);

  const CustomResource& resource() const { return *resource_; }
  // The objects as they are stored: with a converter in whatever version that is. Nobody is asked to convert.
  registry::Store& store() { return *store_; }
  registry::Store* status_store() { return status_.get(); }  // null: there is no such subresource
  storage::Cacher& cache() { return *cache_; }

  // While its definition is being deleted nothing is created.
  void SetTerminating(bool terminating) { terminating_->store(terminating, std::memory_order_relaxed); }
  bool terminating() const { return terminating_->load(std::memory_order_relaxed); }

  // What is served, version by version. `self` keeps it all.
  static std::vector<endpoints::ServedResource> Served(const std::shared_ptr<CustomStorage>& self);

  // How documents describe it.
  static std::vector<endpoints::openapi::CustomDefinitionPtr> Described(
      const std::shared_ptr<CustomStorage>& self);

  // Ends the watches.
  void Close() { cache_->Close(); }

 private:
  explicit CustomStorage(std::shared_ptr<const CustomResource> resource);
  // A version to which objects are converted.
  struct Converted {
    std::unique_ptr<ConvertingStorage> storage;
    std::unique_ptr<registry::Store> store, status;
    std::unique_ptr<ConvertingDeleter> deleter;
  };
  admission::Hooks AdmissionFor(const StorageOptions& storage_options, const api::ResourceDesc& version,
                                std::string_view subresource) const;
  registry::StoreOptions StoreOptionsFor(const StorageOptions& storage_options,
                                         const api::ResourceDesc& version, storage::Interface& objects,
                                         std::string_view subresource) const;
  void MakeStores(const StorageOptions& storage_options);
  std::unique_ptr<Converted> Convert(const CustomResource::Version& version,
                                     const StorageOptions& storage_options);
  // Requires: the version says where its replicas are.
  std::unique_ptr<registry::Serving> ServeScale(const CustomResource::Version& version,
                                                const registry::Store& store,
                                                const StorageOptions& storage_options) const;

  const std::shared_ptr<const CustomResource> resource_;
  const std::shared_ptr<std::atomic<bool>> terminating_ = std::make_shared<std::atomic<bool>>(false);
  const CustomStrategy strategy_;
  const CustomStatusStrategy status_strategy_;
  std::unique_ptr<storage::Cacher> cache_;
  std::unique_ptr<registry::Store> store_, status_;
  std::vector<std::unique_ptr<Converted>> converted_;       // by version; none without a converter
  std::vector<std::unique_ptr<registry::Serving>> scales_;  // by version; null: it has none
  // Made when first asked for, on one thread; they keep the resource and not the storage.
  std::vector<endpoints::openapi::CustomDefinitionPtr> described_;
};

}  // namespace keelson::extensions
