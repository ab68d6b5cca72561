// Batcher: events on their way to where they are kept. Loops hand them over and go on; a thread of its own
// takes them, in batches, one batch after the other.
//
// Threads: Take on any; deliver runs on the batcher's thread.
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
};
using Batch = std::vector<Waiting>;

class Batcher {
 public:
  // The bytes of events that wait, or are being delivered: beyond it they are dropped, however few they are.
  static constexpr size_t kMostBytes = size_t{256} << 20;

  using Deliver = std::function<void(Batch)>;

  Batcher(BatchConfig config, Deliver deliver);
  ~Batcher() { End(); }
  Batcher(const Batcher&) = delete;
  Batcher& operator=(const Batcher&) = delete;

  // Waking the thread costs more than writing a line, and a request has two: who need not know at once lets
  // a few milliseconds of events come together, and who waits those of this turn of its loop.
  enum class Haste : bool { kSoon, kNow };
  // False: there is no room for it. Who delivers says when `text.bytes` are gone, with Delivered.
  bool Take(Waiting event, Haste haste) EXCLUDES(mu_);
  void Delivered(size_t bytes) EXCLUDES(mu_);
  // Delivers what waits and takes nothing more. One thread at a time.
  void End() EXCLUDES(mu_);

 private:
  using Time = std::chrono::steady_clock::time_point;

  void Run() EXCLUDES(mu_);
  bool IsDue(Time begun) const REQUIRES_LOCK(mu_);
  Batch NextBatch() REQUIRES_LOCK(mu_);
  void AwaitThrottle() EXCLUDES(mu_);
  void Wake(Haste haste);

  const BatchConfig config_;
  const Deliver deliver_;
  base::Mutex mu_;
  base::CondVar changed_;
  Batch waiting_ GUARDED_BY(mu_);
  size_t held_bytes_ GUARDED_BY(mu_) = 0;  // that wait or are being delivered
  bool ending_ GUARDED_BY(mu_) = false;
  bool asleep_ GUARDED_BY(mu_) = false;  // the thread does not look at what waits
  std::atomic<bool> waking_{false};      // a loop will wake the thread
  double tokens_;                        // of the throttle; the thread's own, as is the next
  Time tokens_at_;
  std::thread thread_;
};

}  // namespace keelson::audit
