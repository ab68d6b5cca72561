// CoreResources: the stores of core/v1, each over the storage of its resource.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "api/types/resource_desc.h"
#include "registry/admission.h"
#include "registry/rest/storage.h"
#include "registry/strategy.h"
#include "storage/interface.h"

namespace keelson::registry {

class Store;

struct CoreOptions {
  std::chrono::seconds event_ttl = std::chrono::hours(1);
  Admission admission;  // after the rules of namespaces, which always hold
  const base::Clock* clock = &base::Clock::Real();
};

class CoreResources {
 public:
  // A resource with the verbs of its objects and of its subresources; borrowed from the
  // CoreResources.
  struct Resource {
    const api::ResourceDesc* desc = nullptr;
    rest::Verbs verbs;
    std::map<std::string, rest::Verbs, std::less<>> subresources;
  };

  // `storage_of` gives the storage of a resource, which must outlive this.
  CoreResources(const std::function<storage::Interface&(const api::ResourceDesc&)>& storage_of, CoreOptions options);
  ~CoreResources();
  CoreResources(const CoreResources&) = delete;
  CoreResources& operator=(const CoreResources&) = delete;

  // In the order of discovery.
  std::span<const Resource> resources() const { return resources_; }
  // Requires: `plural` is one of them.
  const Resource& Find(std::string_view plural) const;

 private:
  Store& Add(std::unique_ptr<Store> store);
  base::Task<rest::Result<void>> Mutate(AdmissionRequest request) const;

  const AdmissionFn mutate_;                 // of the options
  AdmissionFn namespace_lifecycle_;          // set before the first request
  std::unique_ptr<Strategy> events_;
  std::vector<std::unique_ptr<Store>> stores_;
  std::vector<Resource> resources_;
};

}  // namespace keelson::registry
