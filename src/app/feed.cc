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
constexpr size_t kEventsAtATime = 256;

}  // namespace

void Feed::Open(Observer observer) {
  observer_ = std::move(observer);
  opened_before_ = false;
  base::Spawn(OpenStream(++opening_));
}

void Feed::Close() {
  ++opening_;
  stream_.reset();
}

base::Task<void> Feed::OpenStream(uint64_t opening) {
  // From what the cache has now.
  registry::rest::WatchOptions options{.resource_version = "0"};
  auto watching = store_.Watch(std::move(options));
  auto stream = co_await std::move(watching);
  if (opening != opening_) co_return;
  if (!stream) {
    base::Log(base::LogLevel::kWarning, "a controller cannot watch",
              {{"resource", store_.resource().plural}, {"why", stream.error().message}});
    OpenLater();
    co_return;
  }
  stream_ = std::move(*stream);
  stream_->SetWaker([this] { loop_.Post([this] { Poll(); }); });
  const bool missed = std::exchange(opened_before_, true);
  Poll();
  if (missed) observer_.missed();
}

void Feed::OpenLater() {
  stream_.reset();
  loop_.PostAfter(kReopenPause, [this, opening = opening_] {
    if (opening == opening_) base::Spawn(OpenStream(opening));
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
    if (state == WatchStream::State::kSleep) return;
    if (state == WatchStream::State::kEnd) return OpenLater();
  }
}

}  // namespace keelson::app
