// KeyedQueue: work by key: one piece at a time per key, a few keys at a time, again after a
// failure, and once more for what came up meanwhile.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "base/executor.h"
#include "base/task.h"

namespace keelson::controllers {

// Threads: everything on `loop`, which it borrows; outlives the loop's running.
class KeyedQueue {
 public:
  // Does the work of one key; false: it failed and is to be tried again.
  using Worker = std::function<base::Task<bool>(std::string key)>;

  KeyedQueue(base::Executor& loop, Worker worker) : loop_(loop), worker_(std::move(worker)) {}
  KeyedQueue(const KeyedQueue&) = delete;
  KeyedQueue& operator=(const KeyedQueue&) = delete;

  void Start() { active_ = true; }
  // What is under way is finished; the rest is forgotten.
  void Stop();
  // Ignored while it is stopped.
  void Add(std::string key);

  // Between tries of what fails; doubled each time.
  static constexpr std::chrono::milliseconds kFirstRetry{100}, kMaxRetry{30'000};
  static constexpr size_t kParallel = 16;

 private:
  struct Item {
    bool queued = false, running = false;  // neither: it waits to be tried again
    bool again = false;                    // it came up while it was worked on
    std::chrono::milliseconds retry = kFirstRetry;
  };

  void Queue(const std::string& key, Item& item);
  void Schedule();
  void RunReady();
  base::Task<void> Run(std::string key);

  base::Executor& loop_;
  const Worker worker_;
  bool active_ = false, scheduled_ = false;
  size_t running_ = 0;
  std::map<std::string, Item> items_;
  std::deque<std::string> ready_;
};

}  // namespace keelson::controllers
