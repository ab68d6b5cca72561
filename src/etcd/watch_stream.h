// WatchStream: one Watch call: requests to begin and end watches come in, their events go out.
//
// Threads: everything on the store's loop but what observes the backend, which is told on the commit thread
// and posts.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/executor.h"
#include "etcd/message_queue.h"
#include "etcd/messages.h"
#include "etcd/store.h"
#include "storage/backend.h"

namespace keelson::etcd {

class WatchStream : public std::enable_shared_from_this<WatchStream> {
 public:
  // Borrows the store and the loop. Events go to `out`; `identity` stands in every header.
  WatchStream(Store& store, base::Executor& loop, Header identity, std::shared_ptr<MessageQueue> out);
  ~WatchStream();

  void Take(const WatchRequest& request);
  // Ends every watch: the client has gone.
  void Close();
  // Tells those who asked for it, and had no event since the last time, how far they are.
  void NotifyProgress();

 private:
  class Watch;

  void Create(const WatchCreateRequest& request);
  void Cancel(int64_t id, Revision compacted, std::string reason);
  void OnChanges(int64_t id, std::vector<storage::KeptChange> changes, Revision revision);
  Event EventOf(const storage::Change& change, bool with_previous) const;
  void Send(const WatchAnswer& answer, Revision revision);

  Store& store_;
  base::Executor& loop_;
  const Header identity_;
  const std::shared_ptr<MessageQueue> out_;
  std::map<int64_t, std::unique_ptr<Watch>> watches_;
  int64_t next_id_ = 0;
};

}  // namespace keelson::etcd
