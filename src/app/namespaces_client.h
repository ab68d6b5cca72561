// NamespacesClient: the namespace controller's view of the stores.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/feed.h"
#include "app/resources.h"
#include "base/executor.h"
#include "client/namespaces.h"
#include "extensions/crd/custom_resources.h"

namespace keelson::app {

// Threads: everything on `loop`. Borrows both; outlives the loop's running.
class NamespacesClient final : public client::Namespaces {
 public:
  NamespacesClient(const Resources& resources, base::Executor& loop);

  // Namespaces are emptied of custom objects too.
  using StoragePtr = extensions::CustomResources::StoragePtr;
  void OnCustomResource(const StoragePtr& now, const StoragePtr& was);

  void WatchTerminating(std::function<void(std::string)> see) override;
  void StopWatching() override;
  base::Task<base::Result<bool, api::Status>> IsTerminating(std::string ns) override;
  base::Task<Stir> LookForChanges(std::string ns) override;
  base::Task<client::NamespaceContent> DeleteContent(std::string ns) override;
  base::Task<base::Result<void, api::Status>> EditStatus(std::string ns, StatusEdit edit) override;
  base::Task<base::Result<void, api::Status>> Finalize(std::string ns) override;

 private:
  // Waits for the objects that a deletion has left.
  struct Wait {
    StoragePtr storage;  // of a custom resource; outlives the stream
    std::unique_ptr<registry::rest::WatchStream> stream;
    size_t left = 0;
  };
  using Waits = std::list<Wait>;
  // Follows what changes among the objects of one resource.
  struct Look {
    StoragePtr storage;  // as above
    std::unique_ptr<registry::rest::WatchStream> stream;
  };
  using Looks = std::vector<Look>;

  // Begins to follow the resource if it has objects in `ns`, besides those that every namespace is given.
  base::Task<void> Follow(registry::Store& store, const std::string& ns, Looks& looks,
                          StoragePtr storage = nullptr);

  // `storage`: of a custom resource, kept meanwhile.
  base::Task<void> Empty(registry::Store& store, const std::string& ns, client::NamespaceContent& content,
                         StoragePtr storage = nullptr);
  // Lists what is left into `content` and waits for it to go.
  base::Task<base::Result<void, api::Status>> Count(registry::Store& store, const std::string& ns,
                                                    client::NamespaceContent& content, StoragePtr storage);
  void PollWaits(const std::string& ns);

  base::Executor& loop_;
  registry::Store& namespaces_;
  registry::Store& status_;
  registry::Store& finalize_;
  registry::Store& pods_;
  const registry::Store& accounts_;
  const registry::Store& config_maps_;
  const std::vector<registry::Store*> others_;  // what lies in namespaces besides pods
  std::vector<StoragePtr> custom_;              // and what custom resources are there
  const size_t phase_field_;                    // index of status.phase
  std::function<void(std::string)> see_;
  Feed feed_;
  std::map<std::string, Waits> waits_;  // by namespace
  std::map<std::string, Looks> looks_;  // of those that are given a grace
};

}  // namespace keelson::app
