// Resources: every resource that is served, with its cache, its stores and its rules.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/config.h"
#include "base/metrics.h"
#include "base/result.h"
#include "endpoints/api_handler.h"
#include "registry/store.h"
#include "storage/backend.h"
#include "storage/cacher/cacher.h"

namespace keelson::app {

// Threads: made by one; read by any. The backend and the event loops outlive it.
class Resources {
 public:
  // Loads every cache; blocks meanwhile.
  static base::Result<std::unique_ptr<Resources>, std::string> Open(storage::Backend& backend,
                                                                    const Config& config,
                                                                    base::Metrics& metrics);

  // What the API handler serves; borrowed.
  std::vector<endpoints::ServedResource> Served() const;
  std::vector<const api::ResourceDesc*> Descriptions() const;
  bool Serves(const endpoints::RequestInfo& info) const;

  std::vector<registry::Store*> NamespacedStores() const;
  // Where a stored namespace has status.phase: an index for Object::field.
  size_t NamespacePhaseField() const { return namespace_phase_field_; }
  // Null when it is not served.
  registry::Store* Find(std::string_view plural, std::string_view subresource = "") const;

 private:
  struct Row;
  struct Resource {
    const api::ResourceDesc* desc = nullptr;
    std::unique_ptr<storage::Cacher> cache;
    std::unique_ptr<registry::Strategy> own_strategy;  // made for this server's configuration
    std::unique_ptr<registry::Store> store;
    std::map<std::string, std::unique_ptr<registry::Store>, std::less<>> subresources;
  };

  Resources() = default;
  base::Result<void, std::string> Add(const Row& row, storage::Backend& backend, const Config& config);
  registry::Admission AdmissionFor(const api::ResourceDesc& desc);
  base::Task<registry::rest::Result<void>> AdmitLifecycle(registry::AdmissionRequest request);

  std::vector<std::unique_ptr<Resource>> resources_;  // namespaces first
  size_t namespace_phase_field_ = 0;
  std::set<std::string, std::less<>> names_;  // "group/version/resource[/subresource]"
};

}  // namespace keelson::app
