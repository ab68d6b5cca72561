#include "storage/cacher/cache_watch_stream.h"

#include <algorithm>

#include "storage/failed_watch.h"
#include "storage/messages.h"

namespace keelson::storage {
namespace {

// Events that a selector leaves out are looked at in turns of this size, so that a poll
// never holds its loop for long.
constexpr size_t kEventsPerPoll = 4096;

}  // namespace

CacheWatchStream::CacheWatchStream(std::shared_ptr<WatchCache> cache, std::string ns, Selection selection,
                                   const Start& start)
    : cache_(std::move(cache)),
      group_(cache_->sleepers().GroupHere()),
      filter_(std::move(ns), std::move(selection)),
      after_(start.after) {
  cache_->watcher_counts().watchers.fetch_add(1, std::memory_order_relaxed);
  const Scope scope = MakeScope(*cache_, filter_.ns(), filter_.selection());
  trigger_ = scope.trigger;
  const CacheState& state = *start.from.state;
  if (start.initial) {
    initial_ = std::make_unique<Initial>(Initial{.objects = {scope.Map(state), scope, scope.from},
                                                 .revision = start.from.revision,
                                                 .bookmark = start.initial_bookmark});
    cursor_ = state.log.end();
  } else {
    cursor_ = state.log.FirstAfter(start.after);
    position_ = start.after;
  }
}

CacheWatchStream::~CacheWatchStream() {
  WakeUp();
  cache_->watcher_counts().watchers.fetch_sub(1, std::memory_order_relaxed);
}

void CacheWatchStream::WakeUp() {
  if (!asleep_) return;
  asleep_ = false;
  cursor_ = std::max(cursor_, group_->Cancel(*this));
}

void CacheWatchStream::OnWake() {
  if (waker_) waker_();
}

WatchStream::State CacheWatchStream::Poll(size_t limit, std::vector<WatchEvent>& out) {
  if (ended_) return State::kEnd;
  WakeUp();
  if (initial_) {
    PollInitial(limit, out);
    return State::kMore;
  }
  const size_t before = out.size();
  for (;;) {
    {
      const CacheReading now = cache_->Read();
      if (cursor_ < now.state->log.begin()) return Expire(now.state->log.floor(), out);
      PollLog(now, limit, out);
      if (out.size() != before || cursor_ != now.state->log.end()) return State::kMore;
    }
    if (cache_->closed()) {  // and everything before that is told
      ended_ = true;
      return State::kEnd;
    }
    group_->Sleep(*this, trigger_);
    asleep_ = true;
    // An event that came before Sleep has woken nobody. It may also have rung before: what the group then
    // takes for passed was not.
    if (cache_->Read().state->log.end() == cursor_ && !cache_->closed()) return State::kSleep;
    asleep_ = false;
    group_->Cancel(*this);
  }
}

void CacheWatchStream::PollInitial(size_t limit, std::vector<WatchEvent>& out) {
  ScopeCursor& objects = initial_->objects;
  size_t looked_at = 0;
  for (size_t sent = 0; objects.left() > 0; objects.Advance()) {
    if (sent == limit || ++looked_at > kEventsPerPoll) return;
    const ObjectPtr& object = objects.run().front();
    if (!filter_.Selects(*object)) continue;
    WatchEvent event;
    event.type = EventType::kAdded;
    event.object = object;
    event.revision = object->revision();
    out.push_back(std::move(event));
    ++sent;
  }
  position_ = initial_->revision;
  if (initial_->bookmark) {
    WatchEvent end;
    end.type = EventType::kBookmark;
    end.revision = initial_->revision;
    end.initial_events_end = true;
    out.push_back(std::move(end));
  }
  initial_.reset();
}

void CacheWatchStream::PollLog(const CacheReading& now, size_t limit, std::vector<WatchEvent>& out) {
  const EventLogView& log = now.state->log;
  std::atomic<uint64_t>& worst = cache_->watcher_counts().worst_lag;
  const uint64_t lag = log.end() - cursor_;
  for (uint64_t known = worst.load(std::memory_order_relaxed); known < lag;)
    if (worst.compare_exchange_weak(known, lag, std::memory_order_relaxed)) break;
  size_t left = limit;
  for (size_t looked_at = 0; left > 0 && looked_at < kEventsPerPoll; ++looked_at) {
    cursor_ = log.NextConcerning(cursor_, trigger_);
    if (cursor_ == log.end()) break;
    const EventPtr& event = log.at(cursor_++);
    const auto type = Seen(*event);
    if (!type) continue;
    out.push_back(EventFilter::Tell(*type, event, cache_->factory()));
    --left;
  }
  const Revision seen = cursor_ == log.end() ? now.revision : log.at(cursor_)->revision - 1;
  position_ = std::max(position_, seen);
}

WatchStream::State CacheWatchStream::Expire(Revision floor, std::vector<WatchEvent>& out) {
  ended_ = true;
  cache_->CountExpired();
  out.push_back(ErrorEvent({.code = Code::kExpired, .detail = TooOldForWatch(position_, floor)}));
  return State::kEnd;
}

Revision CacheWatchStream::position() const {
  if (initial_ || ended_) return position_;
  const CacheReading now = cache_->Read();
  const EventLogView& log = now.state->log;
  uint64_t seq = asleep_ ? std::max(cursor_, group_->Passed(*this)) : cursor_;
  if (seq < log.begin()) return position_;
  // Events it has not handed out but need not: they are not for it.
  for (; (seq = log.NextConcerning(seq, trigger_)) != log.end(); ++seq)
    if (Seen(*log.at(seq))) return std::max(position_, log.at(seq)->revision - 1);
  return std::max(position_, now.revision);
}

}  // namespace keelson::storage
