#include "app/index_feeds.h"

#include <algorithm>
#include <chrono>

namespace keelson::app {
namespace {

constexpr std::chrono::milliseconds kPollAgain{10};

}  // namespace

void IndexFeeds::Add(registry::Store& store, Feed::Observer observer) {
  parts_.emplace_back(store, loop_, std::move(observer));
}

void IndexFeeds::Start() {
  for (Part& part : parts_) part.feed.Open(std::move(part.observer));
}

bool IndexFeeds::IsCurrent() const {
  return std::ranges::all_of(parts_, [](const Part& part) { return part.feed.IsCurrent(); });
}

// A feed that is being opened anew tells everything once it is open: until then nobody can know what holds.
base::Task<void> IndexFeeds::CatchUp() {
  for (std::chrono::milliseconds pause{0}; !IsCurrent(); pause = kPollAgain) {
    base::Completion<bool> polled;
    loop_.PostAfter(pause, [this, polled] {
      for (Part& part : parts_) part.feed.Poll();
      polled.Set(true);
    });
    co_await polled;
  }
}

}  // namespace keelson::app
