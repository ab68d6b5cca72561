// Feed: the changes of one store as a controller in the process follows them.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "base/executor.h"
#include "registry/store.h"

namespace keelson::app {

// How many events are taken from a watch before others have their turn.
constexpr size_t kEventsAtATime = 256;

// Threads: everything on `loop`. Borrows both.
class Feed {
 public:
  struct Observer {
    std::function<void(const registry::rest::WatchEvent&)> see;  // additions, changes, removals
    std::function<void()> missed = [] {};                        // some went by unseen
    std::function<void()> relisting = [] {};  // every object there is comes next, as an addition
    std::function<void()> told_all = [] {};   // everything up to told() was told
  };

  Feed(registry::Store& store, base::Executor& loop) : store_(store), loop_(loop) {}
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;

  // Every object there is comes first, as an addition, then each change. Opens itself anew
  // when the log has passed it. Requires: it is closed.
  void Open(Observer observer);
  // Nothing is told any more.
  void Close();
  // Hands out every change that is committed by now.
  void Poll();

  // The revision up to which everything was told since Open; 0: nothing yet. Any thread.
  registry::rest::Revision told() const { return told_.load(std::memory_order_acquire); }
  // Whether all that this server has acknowledged was told. Any thread.
  bool IsCurrent() const { return told() >= store_.options().storage->NewestChange(); }

  registry::Store& store() const { return store_; }

 private:
  // A task can end after the feed has.
  using Alive = std::weak_ptr<const bool>;
  static base::Task<void> OpenStream(Feed* feed, Alive alive, uint64_t opening);
  void OpenLater();

  const std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
  registry::Store& store_;
  base::Executor& loop_;
  Observer observer_;
  std::unique_ptr<registry::rest::WatchStream> stream_;  // null while it is opened, or closed
  uint64_t opening_ = 0;                                 // counts Open and Close: which one is awaited
  bool opened_before_ = false;                           // since Open
  std::atomic<registry::rest::Revision> told_{0};
};

}  // namespace keelson::app
