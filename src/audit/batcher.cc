#include "audit/batcher.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/executor.h"

namespace keelson::audit {
namespace {

constexpr std::chrono::milliseconds kSoon{5};

}  // namespace

Batcher::Batcher(BatchConfig config, Deliver deliver)
    : config_(config),
      deliver_(std::move(deliver)),
      tokens_(config.throttle.burst),
      tokens_at_(std::chrono::steady_clock::now()),
      thread_([this] { Run(); }) {}

void Batcher::End() {
  if (!thread_.joinable()) return;
  {
    base::MutexLock lock(mu_);
    ending_ = true;
  }
  changed_.NotifyAll();
  thread_.join();
}

bool Batcher::Take(Waiting event, Haste haste) {
  bool full = false;
  {
    base::MutexLock lock(mu_);
    if (ending_ || waiting_.size() >= config_.buffered_events) return false;
    if (held_bytes_ + event.text.bytes > kMostBytes) return false;
    held_bytes_ += event.text.bytes;
    waiting_.push_back(std::move(event));
    if (!asleep_) return true;
    // Asleep, it waits for a first one or for a full batch.
    full = config_.events > 1 && waiting_.size() >= config_.events;
    if (!full && config_.events > 1 && waiting_.size() > 1) return true;
  }
  if (full)
    changed_.NotifyOne();
  else
    Wake(haste);
  return true;
}

void Batcher::Wake(Haste haste) {
  // The batcher that this thread's loop wakes at the end of its turn; null: none.
  static thread_local const Batcher* waking_at_once = nullptr;
  base::Executor* const loop = base::Executor::Current();
  if (!loop) return changed_.NotifyOne();
  if (haste == Haste::kNow) {
    if (std::exchange(waking_at_once, this) == this) return;
    loop->Post([this] {
      if (waking_at_once == this) waking_at_once = nullptr;
      changed_.NotifyOne();
    });
    return;
  }
  if (waking_.exchange(true, std::memory_order_relaxed)) return;
  loop->PostAfter(kSoon, [this] {
    waking_.store(false, std::memory_order_relaxed);
    changed_.NotifyOne();
  });
}

void Batcher::Delivered(size_t bytes) {
  base::MutexLock lock(mu_);
  held_bytes_ -= bytes;
}

bool Batcher::IsDue(Time begun) const {
  if (waiting_.empty()) return false;
  return ending_ || waiting_.size() >= config_.events ||
         std::chrono::steady_clock::now() >= begun + config_.wait;
}

Batch Batcher::NextBatch() {
  // Single events, which nothing holds back, may as well come together.
  const bool one_by_one = config_.events == 1 && config_.throttle.batches_per_second <= 0;
  const size_t most = one_by_one ? waiting_.size() : std::min(config_.events, waiting_.size());
  size_t taken = 0;
  for (size_t bytes = 0; taken < most; ++taken) {
    bytes += waiting_[taken].text.bytes;
    if (config_.bytes > 0 && taken > 0 && bytes > config_.bytes) break;
  }
  if (taken == waiting_.size()) return std::exchange(waiting_, {});
  const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(taken);
  Batch batch(std::make_move_iterator(waiting_.begin()), std::make_move_iterator(end));
  waiting_.erase(waiting_.begin(), end);
  return batch;
}

void Batcher::AwaitThrottle() {
  const auto [rate, burst] = config_.throttle;
  if (rate <= 0) return;
  const Time now = std::chrono::steady_clock::now();
  tokens_ = std::min(burst, tokens_ + rate * std::chrono::duration<double>(now - tokens_at_).count());
  tokens_at_ = now;
  tokens_ -= 1;
  if (tokens_ >= 0) return;
  std::this_thread::sleep_for(std::chrono::duration<double>(-tokens_ / rate));
}

void Batcher::Run() {
  Time begun = std::chrono::steady_clock::now();
  for (;;) {
    Batch batch;
    {
      base::MutexLock lock(mu_);
      while (!IsDue(begun)) {
        if (ending_ && waiting_.empty()) return;
        asleep_ = true;
        if (waiting_.empty())
          changed_.Wait(mu_);
        else
          changed_.WaitUntil(mu_, begun + config_.wait);
        asleep_ = false;
      }
      batch = NextBatch();
    }
    begun = std::chrono::steady_clock::now();
    AwaitThrottle();
    deliver_(std::move(batch));
  }
}

}  // namespace keelson::audit
