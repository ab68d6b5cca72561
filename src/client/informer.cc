#include "client/informer.h"

#include <algorithm>
#include <chrono>

#include "base/log.h"

namespace keelson::client {
namespace {

using storage::EventType;

// How many events are taken from the log at a time.
constexpr size_t kEventsAtATime = 256;
constexpr std::chrono::milliseconds kReopenPause{1000};

Change ChangeOf(const WatchEvent& event) {
  return {.object = *event.object,
          .previous = event.shared ? event.shared->previous.get() : nullptr,
          .added = event.type == EventType::kAdded,
          .gone = event.type == EventType::kDeleted};
}

}  // namespace

void Informer::Start(Handler handler) {
  handler_ = std::move(handler);
  running_ = true;
  opened_before_ = false;
  told_.store(0, std::memory_order_release);
  base::Spawn(Open(this, alive_, ++run_));
}

void Informer::Stop() {
  ++run_;
  running_ = false;
  stream_.reset();
  for (const Waiter& waiter : std::exchange(waiters_, {})) waiter.done.Set(false);
}

base::Task<void> Informer::Open(Informer* informer, Alive alive, uint64_t run) {
  // From what the cache has now.
  WatchOptions options{.resource_version = "0"};
  storage::Interface& storage = *informer->source_->storage;
  const uint64_t loads = storage.Loads();
  auto stream = co_await storage.Watch(std::move(options));
  if (alive.expired() || run != informer->run_) co_return;
  if (loads != storage.Loads()) {
    informer->OpenLater(std::chrono::milliseconds(0));  // which load it is from cannot be told
    co_return;
  }
  if (!stream) {
    base::Log(base::LogLevel::kWarning, "a controller cannot watch",
              {{"resource", informer->source_->desc->plural}, {"why", stream.error().detail}});
    informer->OpenLater(kReopenPause);
    co_return;
  }
  informer->stream_ = std::move(*stream);
  informer->loads_.store(loads, std::memory_order_release);
  informer->stream_->SetWaker([informer, alive] {
    informer->loop_.Post([informer, alive] {
      if (!alive.expired()) informer->Poll();
    });
  });
  const bool again = std::exchange(informer->opened_before_, true);
  if (informer->handler_.relisting) informer->handler_.relisting(again);
  informer->Poll();
}

void Informer::OpenLater(std::chrono::milliseconds pause) {
  stream_.reset();
  told_.store(0, std::memory_order_release);  // nothing counts until all is told again
  loop_.PostAfter(pause, [informer = this, alive = Alive(alive_), run = run_] {
    if (!alive.expired() && run == informer->run_) base::Spawn(Open(informer, alive, run));
  });
}

void Informer::Poll() {
  // A handler that asks for more while it is told is told the rest after that.
  if (std::exchange(polling_, true)) return;
  const uint64_t run = run_;
  while (stream_ && run == run_) {
    std::vector<WatchEvent> events;
    const auto state = stream_->Poll(kEventsAtATime, events);
    for (const WatchEvent& event : events) {
      if (event.type == EventType::kBookmark || event.type == EventType::kError) continue;
      handler_.changed(ChangeOf(event));
      if (run != run_) break;  // stopped by what it told
    }
    if (run != run_) break;
    if (state == WatchStream::State::kMore) continue;
    if (state == WatchStream::State::kSleep)
      ToldAll();
    else
      OpenLater(told() != 0 ? std::chrono::milliseconds(0) : kReopenPause);
    break;
  }
  polling_ = false;
  if (run != run_) Poll();  // a handler has started it anew
}

void Informer::ToldAll() {
  const Revision position = stream_->position();
  const uint64_t run = run_;
  if (handler_.told_all) handler_.told_all();
  if (run != run_) return;
  told_.store(position, std::memory_order_release);
  const uint64_t loads = source_->storage->Loads();
  const auto reached = std::ranges::partition(
      waiters_, [&](const Waiter& w) { return w.loads == loads && !HasTold(w.revision); });
  std::vector<Waiter> ready(std::make_move_iterator(reached.begin()), std::make_move_iterator(reached.end()));
  waiters_.erase(reached.begin(), reached.end());
  for (const Waiter& waiter : ready) waiter.done.Set(true);
}

base::Task<void> Informer::CatchUp() {
  const storage::Interface& storage = *source_->storage;
  uint64_t loads = storage.Loads();
  Revision wanted = storage.NewestChange();
  while (!HasTold(wanted)) {
    base::Completion<bool> done;
    loop_.Post([informer = this, alive = Alive(alive_), wanted, loads, done] {
      if (!alive.expired()) informer->Poll();
      if (alive.expired() || !informer->running_)
        done.Set(false);
      else if (informer->HasTold(wanted))
        done.Set(true);
      else
        informer->waiters_.push_back({wanted, loads, done});
    });
    if (!co_await done) co_return;
    // Revisions of another history say nothing about this one.
    if (std::exchange(loads, storage.Loads()) != loads) wanted = storage.NewestChange();
  }
}

}  // namespace keelson::client
