// ObjectsClient: the garbage collector's view of the stores.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/executor.h"
#include "client/objects.h"
#include "registry/store.h"

namespace keelson::app {

// Threads: everything on `loop`. Borrows all; outlives the loop's running.
class ObjectsClient final : public client::Objects {
 public:
  ObjectsClient(std::vector<registry::Store*> stores, base::Executor& loop);

  void Watch(Observer observer) override;
  void CatchUp() override;
  std::optional<Resource> Resolve(std::string_view api_version, std::string_view kind) const override;
  base::Task<Result<std::optional<client::ObjectState>>> Get(client::ObjectRef object) override;
  base::Task<Result<void>> Delete(client::ObjectRef object, std::string resource_version,
                                  client::Propagation propagation) override;
  base::Task<Result<void>> EditMetadata(client::ObjectRef object, Edit edit) override;

 private:
  // The changes of one resource.
  struct Feed {
    registry::Store* store = nullptr;
    uint32_t index = 0;
    std::unique_ptr<registry::rest::WatchStream> stream;  // null while it is opened
    bool opened_before = false;
  };

  base::Task<void> Open(Feed& feed);
  void Reopen(Feed& feed);
  void Poll(Feed& feed);
  void Tell(const Feed& feed, const registry::rest::WatchEvent& event);

  base::Executor& loop_;
  std::deque<Feed> feeds_;  // by index
  Observer observer_;
};

}  // namespace keelson::app
