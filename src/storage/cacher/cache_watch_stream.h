// CacheWatchStream: one watch, as a position in the event log. Some 250 bytes while it sleeps.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "storage/cacher/scope.h"
#include "storage/cacher/sleepers.h"
#include "storage/cacher/watch_cache.h"
#include "storage/event_filter.h"
#include "storage/interface.h"

namespace keelson::storage {

// Threads: belongs to the executor it was made on, and outside of one to one thread (its
// waker then runs on the thread that appends events and may only signal).
class CacheWatchStream final : public WatchStream, private Sleeper {
 public:
  struct Start {
    CacheReading from;
    bool initial = false;           // first the objects of `from` as additions
    bool initial_bookmark = false;  // and then a bookmark that says so
    Revision after = 0;             // not initial: events newer than this
  };
  // Requires: start.after is not below the log's floor.
  CacheWatchStream(std::shared_ptr<WatchCache> cache, std::string ns, Selection selection,
                   const Start& start);
  ~CacheWatchStream() override;

  State Poll(size_t limit, std::vector<WatchEvent>& out) override;
  void SetWaker(std::function<void()> waker) override { waker_ = std::move(waker); }
  Revision position() const override;

 private:
  // The objects still to be sent before the log is read.
  struct Initial {
    ScopeCursor objects;
    Revision revision;
    bool bookmark;
  };

  // As what this watch sees `event`; nullopt: it is told nothing.
  std::optional<EventType> Seen(const Event& event) const {
    return event.revision <= after_ ? std::nullopt : filter_.Seen(event);
  }
  void PollInitial(size_t limit, std::vector<WatchEvent>& out);
  void PollLog(const CacheReading& now, size_t limit, std::vector<WatchEvent>& out);
  State Expire(Revision floor, std::vector<WatchEvent>& out);
  void WakeUp();
  void OnWake() override;

  const std::shared_ptr<WatchCache> cache_;
  const std::shared_ptr<SleeperGroup> group_;
  const EventFilter filter_;
  std::unique_ptr<Initial> initial_;
  std::function<void()> waker_;
  TriggerId trigger_ = kEveryEvent;
  uint64_t cursor_ = 0;    // the next event to look at
  Revision after_ = 0;     // events up to here are not wanted
  Revision position_ = 0;  // everything up to here has been handed out
  bool asleep_ = false;
  bool ended_ = false;
};

}  // namespace keelson::storage
