// WatchStream: one Watch call: requests to begin and end watches come in, their events go out.
//
// An event is sent once every observer of the backend was told of its revision, which the backend then calls
// its current one: a client that heard of it earlier could ask for it and be answered with an older revision
// than it knows, which it must take for a store that was put back.
//
// Threads: everything on the store's loop but what observes the backend, which is told on the commit thread
// and leaves it in the inbox.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/executor.h"
#include "base/task.h"
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
  class Inbox;
  class Watch;

  void Create(const WatchCreateRequest& request);
  void Cancel(int64_t id, Revision compacted, std::string reason);
  // Tells of what is in the inbox up to the backend's current revision, and again when there is more of it.
  void Deliver();
  static base::Task<void> DeliverOnce(std::weak_ptr<WatchStream> weak, storage::Backend& backend,
                                      Revision published);
  void Tell(int64_t id, const std::vector<storage::KeptChange>& changes, Revision revision);
  Event EventOf(const storage::Change& change, bool with_previous) const;
  void Send(const WatchAnswer& answer, Revision revision);

  Store& store_;
  base::Executor& loop_;
  const Header identity_;
  const std::shared_ptr<MessageQueue> out_;
  const std::shared_ptr<Inbox> inbox_;
  bool waits_ = false;  // for the backend to come to what is in the inbox
  std::map<int64_t, std::unique_ptr<Watch>> watches_;
  int64_t next_id_ = 0;
};

}  // namespace keelson::etcd
