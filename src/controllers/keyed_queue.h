// KeyedQueue: work by key: one piece at a time per key, a few keys at a time, again after a
// failure, and once more for what came up meanwhile. The retry queue of every controller.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/executor.h"
#include "base/metrics.h"
#include "base/string_hash.h"
#include "base/task.h"

namespace keelson::controllers {

struct KeyedQueueOptions {
  size_t parallel = 16;  // keys that are worked on at a time
  // Between tries of what fails; doubled each time.
  std::chrono::milliseconds first_retry{100}, max_retry{30'000};
  // What came up while its key was worked on, without success, is worked on at once, not after the pause.
  bool again_at_once = false;
};

// Threads: everything on `loop`, which it borrows; outlives the loop's running.
class KeyedQueue {
 public:
  // Does the work of one key; false: it failed and is to be tried again.
  using Worker = std::function<base::Task<bool>(std::string key)>;

  KeyedQueue(base::Executor& loop, Worker worker, KeyedQueueOptions options = {})
      : loop_(loop), worker_(std::move(worker)), options_(options) {}
  KeyedQueue(const KeyedQueue&) = delete;
  KeyedQueue& operator=(const KeyedQueue&) = delete;

  // Counts from now on what is added, waits and is done, under upstream's names for work queues, as the queue
  // of that name. Borrows `metrics`.
  void ReportTo(base::Metrics& metrics, std::string_view name);

  void Start() { active_ = true; }
  // What is under way is finished; the rest is forgotten.
  void Stop();
  // Ignored while it is stopped.
  void Add(std::string key);

 private:
  struct Item {
    bool queued = false, running = false;         // neither: it waits to be tried again
    bool again = false;                           // it came up while it was worked on
    std::chrono::milliseconds retry{0};           // the last pause; 0: it has not failed
    std::chrono::steady_clock::time_point since;  // it is queued, or worked on
  };

  struct Report {
    base::Counter &adds, &retries;
    base::Gauge& depth;
    base::Histogram &waits, &works;
  };

  void Queue(const std::string& key, Item& item);
  // The seconds since then; from now on it does the next thing.
  static double Lap(Item& item);
  void Schedule();
  void RunReady();
  base::Task<void> Run(std::string key);
  void RetryLater(const std::string& key, Item& item);

  base::Executor& loop_;
  const Worker worker_;
  const KeyedQueueOptions options_;
  std::optional<Report> report_;
  bool active_ = false, scheduled_ = false;
  size_t running_ = 0;
  std::unordered_map<std::string, Item, base::StringHash, std::equal_to<>> items_;
  std::deque<std::string> ready_;
};

}  // namespace keelson::controllers
