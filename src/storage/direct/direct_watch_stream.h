// DirectWatchStream: one watch straight on the backend's feed. Changes wait in a queue; a Worker makes events
// of them, for which it reads the object before each change, since a selector looks at both.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/executor.h"
#include "storage/backend.h"
#include "storage/interface.h"
#include "storage/object_factory.h"
#include "storage/worker.h"

namespace keelson::storage {

// Threads: belongs to `Start::executor`, and outside of one to one thread (its waker then runs on the
// worker's thread and may only signal). A client that does not poll for so long that the queue is full gets
// kExpired.
class DirectWatchStream final : public WatchStream {
 public:
  // What is pointed to must outlive the watch.
  struct Start {
    Backend* backend = nullptr;
    std::shared_ptr<const ObjectFactory> factory;
    Worker* worker = nullptr;
    base::Executor* executor = nullptr;
    std::string ns;
    Selection selection;
    Revision after = 0;  // events newer than this
    std::optional<std::vector<ObjectPtr>>
        initial;                    // the selected objects at `after`, told as additions first
    bool initial_bookmark = false;  // and then a bookmark that says so
  };
  // Blocks. kExpired: what follows `after` is compacted.
  static Result<std::unique_ptr<WatchStream>> Open(Start start);
  ~DirectWatchStream() override;

  State Poll(size_t limit, std::vector<WatchEvent>& out) override;
  void SetWaker(std::function<void()> waker) override;
  Revision position() const override;

 private:
  class Queue;
  explicit DirectWatchStream(std::shared_ptr<Queue> queue) : queue_(std::move(queue)) {}

  const std::shared_ptr<Queue> queue_;  // shared with the jobs on the worker
  std::unique_ptr<Backend::Subscription> subscription_;
};

}  // namespace keelson::storage
