// Batcher: events on their way to where they are kept, in batches, one batch after the other. Loops hand them
// over and go on; a thread of its own delivers them. Where that is quick, a loop delivers at the end of its
// turn what waits, for no thread need be woken then.
//
// Threads: Take on any; deliver runs on the batcher's thread, or as blocking work of a loop (base/handoff.h),
// never two at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "audit/encoding.h"
#include "base/mutex.h"
#include "base/task.h"

namespace keelson::audit {

struct Throttle {
  double batches_per_second = 0;  // 0: as many as there are
  double burst = 0;
};

struct BatchConfig {
  size_t buffered_events = 10'000;   // at most; beyond it they are dropped
  size_t events = 1;                 // in one batch, at most
  std::chrono::nanoseconds wait{0};  // for more of them, at most
  Throttle throttle;
  size_t bytes = 0;  // in one batch, at most, but one event always fits; 0: no limit
};

// An event and who waits for it.
struct Waiting {
  EventText text;
  std::optional<base::Completion<bool>> done;  // told whether it is kept
  bool kept = false;
};
using Batch = std::vector<Waiting>;

class Batcher {
 public:
  // The bytes of events that wait, or are being delivered: beyond it they are dropped, however few they are.
  static constexpr size_t kMostBytes = size_t{256} << 20;

  using Deliver = std::function<void(Batch)>;
  // A delivery that is mostly quick.
  struct Quick {
    // Whether so many bytes are to be delivered by a loop. It does not block.
    std::function<bool(size_t bytes)> fits;
    // Sets `kept` of each. May block, for as long as it likes.
    std::function<void(Batch&)> deliver;
    // One that took longer holds a loop up: for some time the thread delivers.
    std::chrono::nanoseconds slow = std::chrono::milliseconds(10), distrust = std::chrono::seconds(1);
  };

  Batcher(BatchConfig config, Deliver deliver);
  // Who waits is told by the batcher, and the bytes count as delivered.
  Batcher(BatchConfig config, Quick quick);
  ~Batcher() { End(); }
  Batcher(const Batcher&) = delete;
  Batcher& operator=(const Batcher&) = delete;

  // Delivering costs more than a line does, and a request has two: who need not know at once lets a few
  // milliseconds of events come together, and who waits those of this turn of its loop.
  enum class Haste : bool { kSoon, kNow };
  // False: there is no room for it. Who delivers says when `text.bytes` are gone, with Delivered.
  bool Take(Waiting event, Haste haste) EXCLUDES(mu_);
  void Delivered(size_t bytes) EXCLUDES(mu_);
  // Delivers what waits and takes nothing more. One thread at a time.
  void End() EXCLUDES(mu_);

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct AtOnce;

  void Run() EXCLUDES(mu_);
  bool IsDue(Time begun) const REQUIRES_LOCK(mu_);
  Batch NextBatch() REQUIRES_LOCK(mu_);
  void AwaitThrottle() EXCLUDES(mu_);
  void Wake(Haste haste);
  // On a loop: what waits is delivered at the end of its turn, or by the thread.
  void DeliverAtEndOfTurn(AtOnce* at_once) EXCLUDES(mu_);
  // Everything that waits, unless somebody else delivers and will take it along, or the thread is to. What
  // was delivered is added to `delivered`.
  void DeliverHere(Batch& delivered) EXCLUDES(mu_);
  static void Tell(const Batch& delivered);

  const BatchConfig config_;
  const Deliver deliver_;
  const Quick quick_;      // empty: the thread delivers everything
  const bool one_by_one_;  // no event waits for others
  base::Mutex mu_;
  base::CondVar changed_;
  Batch waiting_ GUARDED_BY(mu_);
  size_t held_bytes_ GUARDED_BY(mu_) = 0;     // that wait or are being delivered
  size_t waiting_bytes_ GUARDED_BY(mu_) = 0;  // that wait
  bool delivering_ GUARDED_BY(mu_) = false;   // somebody delivers
  bool more_ GUARDED_BY(mu_) = false;         // a loop would have delivered meanwhile
  Time slow_until_ GUARDED_BY(mu_);           // loops do not deliver
  bool ending_ GUARDED_BY(mu_) = false;
  bool asleep_ GUARDED_BY(mu_) = false;  // the thread does not look at what waits
  std::atomic<bool> waking_{false};      // a loop will deliver, or wake the thread
  double tokens_;                        // of the throttle; the thread's own, as is the next
  Time tokens_at_;
  std::thread thread_;
};

}  // namespace keelson::audit
