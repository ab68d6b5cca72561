#include "app/feed.h"

#include <utility>
#include <vector>

#include "base/log.h"

namespace keelson::app {
namespace {

using registry::rest::EventType;
using registry::rest::WatchEvent;
using registry::rest::WatchStream;

constexpr std::chrono::seconds kReopenPause{1};

}  // namespace

void Feed::Open(Observer observer) {
  observer_ = std::move(observer);
  opened_before_ = false;
  told_.store(0, std::memory_order_release);
  base::Spawn(OpenStream(this, alive_, ++opening_));
}

void Feed::Close() {
  ++opening_;
  stream_.reset();
}

base::Task<void> Feed::OpenStream(Feed* feed, Alive alive, uint64_t opening) {
  // From what the cache has now.
  registry::rest::WatchOptions options{.resource_version = "0"};
  auto stream = co_await feed->store_.Watch(std::move(options));
  if (alive.expired() || opening != feed->opening_) co_return;
  if (!stream) {
    base::Log(base::LogLevel::kWarning, "a controller cannot watch",
              {{"resource", feed->store_.resource().plural}, {"why", stream.error().message}});
    feed->OpenLater();
    co_return;
  }
  feed->stream_ = std::move(*stream);
  feed->stream_->SetWaker([feed, alive] {
    feed->loop_.Post([feed, alive] {
      if (!alive.expired()) feed->Poll();
    });
  });
  const bool missed = std::exchange(feed->opened_before_, true);
  feed->observer_.relisting();
  feed->Poll();
  if (missed && !alive.expired()) feed->observer_.missed();
}

void Feed::OpenLater() {
  stream_.reset();
  loop_.PostAfter(kReopenPause, [feed = this, alive = Alive(alive_), opening = opening_] {
    if (!alive.expired() && opening == feed->opening_) base::Spawn(OpenStream(feed, alive, opening));
  });
}

void Feed::Poll() {
  const uint64_t opening = opening_;
  while (stream_) {
    std::vector<WatchEvent> events;
    const auto state = stream_->Poll(kEventsAtATime, events);
    for (const WatchEvent& event : events) {
      if (event.type == EventType::kBookmark || event.type == EventType::kError) continue;
      observer_.see(event);
      if (opening != opening_) return;  // closed by what it told
    }
    if (state == WatchStream::State::kSleep) {
      const auto position = stream_->position();
      observer_.told_all();
      told_.store(position, std::memory_order_release);
      return;
    }
    if (state == WatchStream::State::kEnd) return OpenLater();
  }
}

}  // namespace keelson::app
