// ObjectsClient: the garbage collector's view of the stores.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "app/feed.h"
#include "base/executor.h"
#include "client/objects.h"
#include "extensions/crd/custom_resources.h"
#include "registry/store.h"

namespace keelson::app {

// Threads: everything on `loop`. Borrows all; outlives the loop's running.
class ObjectsClient final : public client::Objects {
 public:
  ObjectsClient(std::vector<registry::Store*> stores, registry::Store& events, base::Executor& loop);

  // Objects of custom resources come and go with their storages.
  using StoragePtr = extensions::CustomResources::StoragePtr;
  void OnCustomResource(const StoragePtr& now, const StoragePtr& was);

  void Watch(Observer observer) override;
  void StopWatching() override;
  void CatchUp() override;
  std::optional<Resource> Resolve(std::string_view api_version, std::string_view kind) const override;
  base::Task<Result<std::optional<client::ObjectState>>> Get(client::ObjectRef object) override;
  base::Task<bool> ExistsAnywhere(uint32_t resource, std::string name, std::string uid) override;
  base::Task<void> Warn(client::ObjectRef object, std::string_view reason, std::string message) override;
  base::Task<Result<void>> Delete(client::ObjectRef object, std::string resource_version,
                                  client::Propagation propagation) override;
  base::Task<Result<void>> EditMetadata(client::ObjectRef object, Edit edit) override;

 private:
  // One resource: its store and what follows it; neither once it is gone.
  struct Source {
    StoragePtr storage;  // of a custom resource
    std::shared_ptr<Feed> feed;
  };

  void Open(uint32_t resource);
  void Tell(uint32_t resource, const registry::rest::WatchEvent& event);
  // Null: it is not served any more. The pointer keeps the store.
  std::shared_ptr<registry::Store> StoreOf(uint32_t resource) const;

  registry::Store& events_;
  base::Executor& loop_;
  std::deque<Source> sources_;  // by resource; numbers are not given anew
  Observer observer_;
  bool watching_ = false;
};

}  // namespace keelson::app
