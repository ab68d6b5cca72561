#include "storage/direct/direct_watch_stream.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "base/mutex.h"
#include "storage/direct/read_event.h"
#include "storage/event_filter.h"
#include "storage/failed_watch.h"

namespace keelson::storage {
namespace {

// What changes may take while they wait; as much as the window of a cache has.
constexpr size_t kMaxWaitingBytes = size_t{32} << 20;

}  // namespace

// The changes that are not events yet, and the events that are not told yet.
class DirectWatchStream::Queue final : public Observer, public std::enable_shared_from_this<Queue> {
 public:
  explicit Queue(Start start)
      : backend_(*start.backend),
        factory_(std::move(start.factory)),
        worker_(*start.worker),
        executor_(start.executor),
        filter_(std::move(start.ns), std::move(start.selection)),
        position_(start.initial ? 0 : start.after) {
    if (!start.initial) return;
    for (ObjectPtr& object : *start.initial) {
      WatchEvent event;
      event.type = EventType::kAdded;
      event.revision = object->revision();
      event.object = std::move(object);
      initial_.push_back(std::move(event));
    }
    initial_revision_ = start.after;
    initial_bookmark_ = start.initial_bookmark;
    telling_initial_ = true;
  }

  void OnChanges(std::span<const Change> changes, Revision) override {
    if (changes.empty()) return;
    base::MutexLock lock(mu_);
    if (error_) return;
    for (const Change& change : changes) {
      waiting_bytes_ += change.value.size();
      waiting_.emplace_back(change);
    }
    if (waiting_bytes_ > kMaxWaitingBytes)
      return Fail({.code = Code::kExpired, .detail = "the watch was too slow for the changes that came"});
    if (std::exchange(job_is_due_, true)) return;
    if (!worker_.Run([self = shared_from_this()] { self->MakeEvents(); })) job_is_due_ = false;
  }
  void OnBroken(const Error& error) override {
    base::MutexLock lock(mu_);
    Fail({.code = Code::kExpired, .detail = "the feed of changes broke: " + error.detail});
  }

  State Poll(size_t limit, std::vector<WatchEvent>& out) {
    base::MutexLock lock(mu_);
    asleep_ = false;
    if (telling_initial_) {
      TakeFrom(initial_, limit, out);
      if (initial_.empty()) EndInitial(out);
      return State::kMore;
    }
    if (!ready_.empty()) {
      TakeFrom(ready_, limit, out);
      return State::kMore;
    }
    if (error_) {
      if (!std::exchange(error_told_, true)) out.push_back(ErrorEvent(*error_));
      return State::kEnd;
    }
    asleep_ = true;
    return State::kSleep;
  }

  void SetWaker(std::function<void()> waker) {
    base::MutexLock lock(mu_);
    waker_ = std::move(waker);
  }
  // Nobody asks any more: the job makes no further events.
  void Close() {
    base::MutexLock lock(mu_);
    waker_ = nullptr;
    Fail({.code = Code::kExpired, .detail = "the watch was closed"});
  }

  Revision position() const {
    // Asked first: what is delivered up to here is in the queue by then.
    const Revision delivered = backend_.CurrentRevision();
    base::MutexLock lock(mu_);
    if (telling_initial_ || error_) return position_;
    Revision seen = delivered;
    if (!waiting_.empty()) seen = waiting_.front().Get().revision - 1;
    if (!ready_.empty()) seen = std::min(seen, ready_.front().revision - 1);
    return std::max(position_, seen);
  }

 private:
  static void TakeFrom(std::deque<WatchEvent>& events, size_t limit, std::vector<WatchEvent>& out) {
    for (; limit > 0 && !events.empty(); --limit) {
      out.push_back(std::move(events.front()));
      events.pop_front();
    }
  }

  void EndInitial(std::vector<WatchEvent>& out) REQUIRES_LOCK(mu_) {
    telling_initial_ = false;
    position_ = initial_revision_;
    if (!initial_bookmark_) return;
    WatchEvent end;
    end.type = EventType::kBookmark;
    end.revision = initial_revision_;
    end.initial_events_end = true;
    out.push_back(std::move(end));
  }

  // The worker's job: all changes that wait, in order. A change stays in front of the queue until it is an
  // event.
  void MakeEvents() {
    base::MutexLock lock(mu_);
    while (!waiting_.empty() && !error_) {
      const KeptChange& next = waiting_.front();
      lock.Unlock();
      auto event = ReadEvent(backend_, *factory_, next.Get(), std::nullopt);
      lock.Lock();
      if (error_) break;
      waiting_bytes_ -= next.Get().value.size();
      waiting_.pop_front();
      if (!event) {
        Fail(std::move(event.error()));
        break;
      }
      if (!*event) continue;
      const auto type = filter_.Seen(**event);
      if (!type) continue;
      ready_.push_back(EventFilter::Tell(*type, *event, *factory_));
      Wake();
    }
    job_is_due_ = false;
  }

  void Fail(Error error) REQUIRES_LOCK(mu_) {
    if (error_) return;
    error_ = std::move(error);
    Wake();
  }

  void Wake() REQUIRES_LOCK(mu_) {
    if (!std::exchange(asleep_, false) || !waker_) return;
    if (!executor_) return waker_();
    executor_->Post([self = shared_from_this()] {
      std::function<void()> waker;
      {
        base::MutexLock lock(self->mu_);
        waker = self->waker_;
      }
      if (waker) waker();
    });
  }

  Backend& backend_;
  const std::shared_ptr<const ObjectFactory> factory_;
  Worker& worker_;
  base::Executor* const executor_;
  const EventFilter filter_;

  mutable base::Mutex mu_;
  std::deque<KeptChange> waiting_
      GUARDED_BY(mu_);  // its front is read without the lock: only the job pops it
  size_t waiting_bytes_ GUARDED_BY(mu_) = 0;
  bool job_is_due_ GUARDED_BY(mu_) = false;
  std::deque<WatchEvent> initial_ GUARDED_BY(mu_), ready_ GUARDED_BY(mu_);
  bool telling_initial_ GUARDED_BY(mu_) = false;
  bool initial_bookmark_ GUARDED_BY(mu_) = false;
  Revision initial_revision_ GUARDED_BY(mu_) = 0;
  Revision position_ GUARDED_BY(mu_);
  std::function<void()> waker_ GUARDED_BY(mu_);
  bool asleep_ GUARDED_BY(mu_) = false;
  bool error_told_ GUARDED_BY(mu_) = false;
  std::optional<Error> error_ GUARDED_BY(mu_);
};

Result<std::unique_ptr<WatchStream>> DirectWatchStream::Open(Start start) {
  Backend& backend = *start.backend;
  const Revision after = start.after;
  std::string prefix = start.factory->prefix() + "/";
  if (!start.ns.empty()) prefix += start.ns + "/";
  std::unique_ptr<DirectWatchStream> watch(new DirectWatchStream(std::make_shared<Queue>(std::move(start))));
  watch->subscription_ = TRY(backend.Subscribe(std::move(prefix), after, *watch->queue_));
  return watch;
}

DirectWatchStream::~DirectWatchStream() {
  subscription_.reset();
  queue_->Close();
}

WatchStream::State DirectWatchStream::Poll(size_t limit, std::vector<WatchEvent>& out) {
  return queue_->Poll(limit, out);
}
void DirectWatchStream::SetWaker(std::function<void()> waker) { queue_->SetWaker(std::move(waker)); }
Revision DirectWatchStream::position() const { return queue_->position(); }

}  // namespace keelson::storage
