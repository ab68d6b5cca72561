#include "audit/batcher.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/executor.h"
#include "base/handoff.h"

namespace keelson::audit {
namespace {

constexpr std::chrono::milliseconds kSoon{5};
// So much does not wait until it is more: what was just written down is still in the processor's cache.
constexpr size_t kMuch = 128 * 1024;
// Batches that a loop delivers one after the other for others, before it leaves the next to the thread.
constexpr int kMostRounds = 4;

size_t BytesOf(const Batch& batch) {
  size_t bytes = 0;
  for (const Waiting& event : batch) bytes += event.text.bytes;
  return bytes;
}

}  // namespace

// What a loop does at the end of its turn.
struct Batcher::AtOnce {
  std::atomic<const Batcher*> batcher = nullptr;  // that delivers; null: none

  static void Forget(AtOnce& at_once, const Batcher* batcher) {
    at_once.batcher.compare_exchange_strong(batcher, nullptr);
  }
};

Batcher::Batcher(BatchConfig config, Deliver deliver)
    : config_(config),
      deliver_(std::move(deliver)),
      one_by_one_(config.events == 1 && config.throttle.batches_per_second <= 0),
      tokens_(config.throttle.burst),
      tokens_at_(std::chrono::steady_clock::now()),
      thread_([this] { Run(); }) {}

Batcher::Batcher(BatchConfig config, Quick quick)
    : config_(config),
      deliver_([this](Batch batch) {
        quick_.deliver(batch);
        Delivered(BytesOf(batch));
        Tell(batch);
      }),
      quick_(std::move(quick)),
      one_by_one_(config.events == 1 && config.throttle.batches_per_second <= 0),
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
  bool full = false, much = false;
  {
    base::MutexLock lock(mu_);
    if (ending_ || waiting_.size() >= config_.buffered_events) return false;
    if (held_bytes_ + event.text.bytes > kMostBytes) return false;
    held_bytes_ += event.text.bytes;
    waiting_bytes_ += event.text.bytes;
    waiting_.push_back(std::move(event));
    if (!asleep_) return true;
    // Asleep, it waits for a first one or for a full batch.
    full = config_.events > 1 && waiting_.size() >= config_.events;
    if (!full && config_.events > 1 && waiting_.size() > 1) return true;
    much = one_by_one_ && waiting_bytes_ >= kMuch;
  }
  if (full)
    changed_.NotifyOne();
  else
    Wake(much ? Haste::kNow : haste);
  return true;
}

void Batcher::Wake(Haste haste) {
  base::Executor* const loop = base::Executor::Current();
  if (!loop) return changed_.NotifyOne();
  if (haste == Haste::kNow) {
    AtOnce& here = base::LoopLocal<AtOnce>::Here();
    if (here.batcher.exchange(this) != this) DeliverAtEndOfTurn(&here);
    return;
  }
  if (waking_.exchange(true, std::memory_order_relaxed)) return;
  loop->PostAfter(kSoon, [this] {
    waking_.store(false, std::memory_order_relaxed);
    DeliverAtEndOfTurn(nullptr);
  });
}

void Batcher::DeliverAtEndOfTurn(AtOnce* at_once) {
  base::Handoff* const loop = base::Handoff::Current();
  if (!loop || !quick_.deliver || !one_by_one_) {
    if (!at_once) return changed_.NotifyOne();
    return base::Executor::Current()->Post([this] {
      AtOnce::Forget(base::LoopLocal<AtOnce>::Here(), this);
      changed_.NotifyOne();
    });
  }
  auto delivered = std::make_unique<Batch>();
  loop->RunBlocking(
      [this, at_once, batch = delivered.get()] {
        // Before it looks at what waits: another thread may go on with the loop by now, and hand over more.
        if (at_once) AtOnce::Forget(*at_once, this);
        DeliverHere(*batch);
      },
      [batch = std::move(delivered)] { Tell(*batch); });
}

void Batcher::DeliverHere(Batch& delivered) {
  for (int round = 0;; ++round) {
    const Time began = std::chrono::steady_clock::now();
    Batch batch;
    size_t bytes = 0;
    {
      base::MutexLock lock(mu_);
      if (waiting_.empty()) return;
      if (delivering_) {
        more_ = true;
        return;
      }
      if (ending_ || round == kMostRounds || began < slow_until_ || !quick_.fits(waiting_bytes_))
        return changed_.NotifyOne();
      delivering_ = true;
      more_ = false;
      bytes = std::exchange(waiting_bytes_, 0);
      batch = std::exchange(waiting_, {});
      waiting_.reserve(batch.size());
    }
    quick_.deliver(batch);
    const Time ended = std::chrono::steady_clock::now();
    if (delivered.empty())
      delivered = std::move(batch);
    else
      std::ranges::move(batch, std::back_inserter(delivered));
    base::MutexLock lock(mu_);
    delivering_ = false;
    held_bytes_ -= bytes;
    if (ended - began > quick_.slow) slow_until_ = ended + quick_.distrust;
    if (ending_) changed_.NotifyOne();
    if (!more_) return;
  }
}

void Batcher::Tell(const Batch& delivered) {
  for (const Waiting& event : delivered)
    if (event.done) event.done->Set(event.kept);
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
  const size_t most = one_by_one_ ? waiting_.size() : std::min(config_.events, waiting_.size());
  size_t taken = 0, bytes = 0;
  for (; taken < most; ++taken) {
    const size_t with_next = bytes + waiting_[taken].text.bytes;
    if (config_.bytes > 0 && taken > 0 && with_next > config_.bytes) break;
    bytes = with_next;
  }
  waiting_bytes_ -= bytes;
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
      while (delivering_ || !IsDue(begun)) {
        if (ending_ && waiting_.empty() && !delivering_) return;
        asleep_ = true;
        // A loop delivers. Who handed over more while this thread was awake relies on it.
        if (delivering_ && !waiting_.empty()) more_ = true;
        if (delivering_ || waiting_.empty())
          changed_.Wait(mu_);
        else
          changed_.WaitUntil(mu_, begun + config_.wait);
        asleep_ = false;
      }
      batch = NextBatch();
      delivering_ = true;
      more_ = false;
    }
    begun = std::chrono::steady_clock::now();
    AwaitThrottle();
    deliver_(std::move(batch));
    base::MutexLock lock(mu_);
    delivering_ = false;
  }
}

}  // namespace keelson::audit
