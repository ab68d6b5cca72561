// ObjectsClient: the garbage collector's view of the stores.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "app/feed.h"
#include "base/executor.h"
#include "client/objects.h"
#include "registry/store.h"

namespace keelson::app {

// Threads: everything on `loop`. Borrows all; outlives the loop's running.
class ObjectsClient final : public client::Objects {
 public:
  ObjectsClient(std::vector<registry::Store*> stores, registry::Store& events, base::Executor& loop);

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
  void Tell(uint32_t resource, const registry::rest::WatchEvent& event);
  registry::Store& StoreOf(uint32_t resource) const { return feeds_[resource].store(); }

  registry::Store& events_;
  std::deque<Feed> feeds_;  // by resource
  Observer observer_;
};

}  // namespace keelson::app
