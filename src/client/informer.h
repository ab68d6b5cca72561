// Informer: follows one resource through its watch cache and tells a handler of every change, on one loop.
//
// The watch cache is the informer's store: Client reads it from any loop without a lock, and it has all that
// this server has acknowledged. What an informer adds is work in proportion to what changes: nothing is
// decoded, and nothing is kept, but what the handler decodes and keeps.
//
// What a handler keeps can be behind the cache, since it is told on its own loop. Who needs it as new as what
// was acknowledged asks first. An authorizer that has indexed roles and bindings, say:
//
//   for (Informer* i : {&roles_, &bindings_})
//     if (!i->IsCurrent()) co_await i->CatchUp();   // one load each while nothing changes
//   const auto index = published_.Read();           // base::Published, replaced by Handler::told_all
//
// Then a binding whose deletion was acknowledged at revision 70 is not in `index`: NewestChange() was 70
// before the deletion was acknowledged, IsCurrent() is false until told() is 70, and told() becomes 70 after
// the handler has been told of the deletion and has published.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/executor.h"
#include "base/task.h"
#include "client/client.h"

namespace keelson::client {

// Borrowed for the call that brings it.
struct Change {
  const Object& object;              // as it is now; when it is gone, as it last was
  const Object* previous = nullptr;  // as it was before; null: it was not there, or that is not known
  bool added = false;                // it was not there, or not known to be
  bool gone = false;
};

// Threads: everything on `loop`, unless it says otherwise. Borrows the loop, and outlives its running.
class Informer {
 public:
  struct Handler {
    std::function<void(const Change&)> changed;
    // All that there is now is told next, each as added. `again`: changes have been missed since the last
    // time, so what is not told now may be gone.
    std::function<void(bool again)> relisting = {};
    // Everything up to told() has been told, or will have been when this returns.
    std::function<void()> told_all = {};
  };

  // Requires: a resource that is served.
  Informer(SourcePtr source, base::Executor& loop) : source_(std::move(source)), loop_(loop) {}
  Informer(const Client& client, Resource resource, base::Executor& loop)
      : Informer(client.Find(resource), loop) {}
  Informer(const Informer&) = delete;
  Informer& operator=(const Informer&) = delete;

  // Tells of every object there is, then of each change. Requires: it is stopped.
  void Start(Handler handler);
  void Start(std::function<void(const Change&)> changed) { Start(Handler{.changed = std::move(changed)}); }
  // Nothing is told any more.
  void Stop();
  // Tells of every change that is committed by now, before it returns; of nothing while it begins to watch.
  void Poll();

  // The revision up to which everything has been told, since Start; 0: nothing yet. Any thread.
  Revision told() const { return told_.load(std::memory_order_acquire); }
  // Whether all that this server has acknowledged has been told. Any thread.
  bool IsCurrent() const { return HasTold(source_->storage->NewestChange()); }
  // Resumes once all that was acknowledged before the call has been told, or the informer is stopped; it
  // waits for as long as the resource cannot be watched. Any loop.
  base::Task<void> CatchUp();

  const SourcePtr& source() const { return source_; }
  Resource resource() const { return source_->resource(); }

 private:
  // A task can end after the informer has.
  using Alive = std::weak_ptr<const bool>;
  static base::Task<void> Open(Informer* informer, Alive alive, uint64_t run);
  void OpenLater(std::chrono::milliseconds pause);
  void ToldAll();
  // Whether everything up to `revision` has been told, and nothing else was acknowledged meanwhile: not while
  // the cache has lost its feed, nor after it was loaded anew. Any thread.
  bool HasTold(Revision revision) const {
    const storage::Interface& storage = *source_->storage;
    return told() >= revision && storage.Follows() &&
           loads_.load(std::memory_order_acquire) == storage.Loads();
  }

  struct Waiter {
    Revision revision;
    uint64_t loads;               // when it began to wait
    base::Completion<bool> done;  // false: the informer was stopped
  };

  const std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
  const SourcePtr source_;
  base::Executor& loop_;
  Handler handler_;
  std::unique_ptr<WatchStream> stream_;  // null while it is opened, or stopped
  uint64_t run_ = 0;                     // counts Start and Stop: which one is awaited
  bool opened_before_ = false;           // since Start
  bool running_ = false, polling_ = false;
  std::atomic<Revision> told_{0};
  std::atomic<uint64_t> loads_{0};  // of the storage, when the stream was opened
  std::vector<Waiter> waiters_;
};

}  // namespace keelson::client
