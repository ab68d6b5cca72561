#include "controllers/keyed_queue.h"

#include <algorithm>

namespace keelson::controllers {

void KeyedQueue::Stop() {
  active_ = false;
  ready_.clear();
  std::erase_if(items_, [](const auto& entry) { return !entry.second.running; });
}

void KeyedQueue::Add(std::string key) {
  if (!active_) return;
  Item& item = items_[key];
  if (item.running) {
    item.again = true;
  } else {
    Queue(key, item);
  }
}

void KeyedQueue::Queue(const std::string& key, Item& item) {
  if (std::exchange(item.queued, true)) return;
  ready_.push_back(key);
  Schedule();
}

void KeyedQueue::Schedule() {
  if (std::exchange(scheduled_, true)) return;
  loop_.Post([this] {
    scheduled_ = false;
    RunReady();
  });
}

void KeyedQueue::RunReady() {
  while (running_ < options_.parallel && !ready_.empty()) {
    std::string key = std::move(ready_.front());
    ready_.pop_front();
    Item& item = items_.find(key)->second;
    item.queued = false;
    item.running = true;
    ++running_;
    base::Spawn(Run(std::move(key)));
  }
}

base::Task<void> KeyedQueue::Run(std::string key) {
  const bool done = co_await worker_(key);
  --running_;
  const auto it = items_.find(key);
  it->second.running = false;
  if (done || !active_) {
    const bool again = it->second.again;
    items_.erase(it);
    if (again) Add(key);
  } else if (std::exchange(it->second.again, false) && options_.again_at_once) {
    Queue(key, it->second);
  } else {
    RetryLater(key, it->second);
  }
  // In a turn of its own: work that needs no wait must not grow the stack.
  if (!ready_.empty()) Schedule();
}

void KeyedQueue::RetryLater(const std::string& key, Item& item) {
  item.retry = item.retry.count() == 0 ? options_.first_retry : std::min(2 * item.retry, options_.max_retry);
  loop_.PostAfter(item.retry, [this, key] {
    const auto waiting = items_.find(key);
    if (waiting != items_.end() && !waiting->second.running) Queue(key, waiting->second);
  });
}

}  // namespace keelson::controllers
