#include "controllers/keyed_queue.h"

#include <algorithm>
#include <array>

namespace keelson::controllers {

namespace {

// Ten nanoseconds, ten times as long nine times; multiplied, so that the bounds are written as upstream's.
constexpr auto kQueueBounds = [] {
  std::array<double, 10> bounds{};
  double bound = 10e-9;
  for (double& b : bounds) {
    b = bound;
    bound *= 10;
  }
  return bounds;
}();

}  // namespace

void KeyedQueue::ReportTo(base::Metrics& metrics, std::string_view name) {
  const base::Labels labels = {{"name", std::string(name)}};
  report_.emplace(Report{
      .adds = metrics.GetCounter("workqueue_adds_total", "What was added to a work queue.", labels),
      .retries = metrics.GetCounter("workqueue_retries_total", "What is tried again later.", labels),
      .depth = metrics.GetGauge("workqueue_depth", "What waits in a work queue.", labels),
      .waits = metrics.GetHistogram("workqueue_queue_duration_seconds",
                                    "How long something waited in a work queue.", kQueueBounds, labels),
      .works =
          metrics.GetHistogram("workqueue_work_duration_seconds",
                               "How long something from a work queue was worked on.", kQueueBounds, labels)});
}

double KeyedQueue::Lap(Item& item) {
  const auto now = std::chrono::steady_clock::now();
  return std::chrono::duration<double>(now - std::exchange(item.since, now)).count();
}

void KeyedQueue::Stop() {
  active_ = false;
  if (report_) report_->depth.Set(0);
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
  if (report_) {
    Lap(item);
    report_->adds.Add();
    report_->depth.Set(static_cast<int64_t>(ready_.size()));
  }
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
    if (report_) {
      report_->waits.Observe(Lap(item));
      report_->depth.Set(static_cast<int64_t>(ready_.size()));
    }
    ++running_;
    base::Spawn(Run(std::move(key)));
  }
}

base::Task<void> KeyedQueue::Run(std::string key) {
  const bool done = co_await worker_(key);
  --running_;
  const auto it = items_.find(key);
  it->second.running = false;
  if (report_) report_->works.Observe(Lap(it->second));
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
  if (report_) report_->retries.Add();
  item.retry = item.retry.count() == 0 ? options_.first_retry : std::min(2 * item.retry, options_.max_retry);
  loop_.PostAfter(item.retry, [this, key] {
    const auto waiting = items_.find(key);
    if (waiting != items_.end() && !waiting->second.running) Queue(key, waiting->second);
  });
}

}  // namespace keelson::controllers
