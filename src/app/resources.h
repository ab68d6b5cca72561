// Resources: every resource that is served, with its cache, its stores and its rules.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/admission_rules.h"
#include "app/runtime_config.h"
#include "base/metrics.h"
#include "base/result.h"
#include "endpoints/api_handler.h"
#include "registry/client/store_catalog.h"
#include "registry/client/store_client.h"
#include "registry/group.h"
#include "registry/store.h"
#include "storage/backend.h"
#include "storage/cacher/cacher.h"

namespace keelson::app {

// Threads: made by one; read by any. The backends and the event loops outlive it.
class Resources final : public registry::Stores {
 public:
  // Loads every cache; blocks meanwhile. `dependencies` is what the rows of the groups get;
  // its `stores` are these. What `runtime_config` switches off is stored, but not served;
  // `admission` says what every write is asked; `admission_inputs` outlive this.
  // `backend`: where a resource is stored. `cacher`: how its cache is made. Each resource that is stored is
  // added to `catalog`, which outlives this.
  using BackendOf = std::function<storage::Backend&(const api::ResourceDesc&)>;
  using CacherOptionsOf = std::function<storage::CacherOptions(const api::ResourceDesc&)>;
  static base::Result<std::unique_ptr<Resources>, std::string> Open(
      const BackendOf& backend, const CacherOptionsOf& cacher, registry::Dependencies dependencies,
      const RuntimeConfig& runtime_config, const AdmissionConfig& admission,
      const AdmissionInputs& admission_inputs, registry::StoreCatalog& catalog, base::Metrics& metrics);

  // What the API handler serves; borrowed.
  std::vector<endpoints::ServedResource> Served() const;
  std::vector<const api::ResourceDesc*> Descriptions() const;
  // The resources whose delete answers with the deleted object instead of a Status.
  std::set<const api::ResourceDesc*> ShownDeleted() const;
  bool Serves(const endpoints::RequestInfo& info) const;

  struct Cached {
    api::GroupResource resource;
    storage::Cacher* cache;
  };
  std::vector<Cached> Caches() const;

  // What every write of a resource that is none of these is asked.
  admission::Hooks AdmissionFor(const api::ResourceDesc& resource, std::string_view subresource) const {
    return admission_->For(resource, subresource);
  }
  // Null when it is not served.
  registry::Store* Find(api::GroupResource resource, std::string_view subresource = "") const override;

 private:
  // Has a store, a serving, or the store of another version.
  struct Resource {
    const api::ResourceDesc* desc = nullptr;
    const registry::ResourceRow* row = nullptr;
    const Resource* stored = nullptr;  // the version whose store serves this one
    std::unique_ptr<storage::Cacher> cache;
    std::unique_ptr<registry::Strategy> own_strategy;  // made for this server's configuration
    std::unique_ptr<const registry::WriteCheck> check;
    std::vector<std::unique_ptr<const registry::WriteCheck>> subresource_checks;
    std::unique_ptr<registry::Store> store;
    std::unique_ptr<registry::Store> renamed_store;  // another group's, by this one's name
    std::unique_ptr<registry::Serving> serving;
    std::map<std::string, std::unique_ptr<registry::Store>, std::less<>> subresources;
    std::map<std::string, std::unique_ptr<registry::Serving>, std::less<>> subresource_servings;
  };

  explicit Resources(registry::StoreCatalog& catalog) : catalog_(catalog), client_(catalog) {}
  base::Result<void, std::string> Add(std::string_view group, const registry::ResourceRow& row,
                                      const BackendOf& backend, const CacherOptionsOf& cacher);
  void MakeStores(Resource& resource);
  // Finds the store of each version that has none of its own.
  base::Result<void, std::string> JoinVersions();
  void MakeServings();  // Requires: all stores are made.

  registry::StoreCatalog& catalog_;
  const registry::StoreClient client_;  // of the admission plugins
  registry::Dependencies dependencies_;
  RuntimeConfig runtime_config_;
  std::unique_ptr<const AdmissionRules> admission_;   // the stores borrow from it
  std::vector<std::unique_ptr<Resource>> resources_;  // namespaces first
  std::set<std::string, std::less<>> names_;          // "group/version/resource[/subresource]"
};

}  // namespace keelson::app
