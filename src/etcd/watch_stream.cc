#include "etcd/watch_stream.h"

#include <algorithm>
#include <utility>

#include "base/mutex.h"
#include "etcd/stored_value.h"
#include "storage/etcd3/messages.h"

namespace keelson::etcd {
namespace {

using storage::Change;
using storage::KeptChange;
using storage::etcd3::kOpenEnd;

constexpr int64_t kNoWatch = -1;          // in answers that are about all of them
constexpr size_t kAnswerBytes = 1 << 20;  // of events in one message, but for those of one revision

// The longest prefix of every key in [key, range_end).
std::string CommonPrefix(std::string_view key, std::string_view range_end) {
  if (range_end.empty()) return std::string(key);
  if (range_end == kOpenEnd) return "";
  // The last key is below range_end: a prefix's range ends where its last byte is one more.
  const auto [a, b] = std::ranges::mismatch(key, range_end);
  const auto same = static_cast<size_t>(a - key.begin());
  const bool is_prefix_range = same + 1 == key.size() && same + 1 == range_end.size() &&
                               static_cast<unsigned char>(*a) + 1 == static_cast<unsigned char>(*b);
  return std::string(key.substr(0, is_prefix_range ? key.size() : same));
}

}  // namespace

// Changes that the watches of a stream were told of, and that are yet to be sent to its client.
//
// Threads: any.
class WatchStream::Inbox {
 public:
  struct Item {
    int64_t watch;
    std::vector<KeptChange> changes;
    Revision revision;
  };

  void Put(Item item) {
    const base::MutexLock lock(mu_);
    items_.push_back(std::move(item));
  }
  // Takes out what is not newer than `revision`, in order.
  std::vector<Item> Take(Revision revision) {
    const base::MutexLock lock(mu_);
    const auto newer = std::ranges::stable_partition(
        items_, [revision](const Item& item) { return item.revision <= revision; });
    std::vector<Item> taken(std::move_iterator(items_.begin()), std::move_iterator(newer.begin()));
    items_.erase(items_.begin(), newer.begin());
    return taken;
  }
  // The revision of the first item; 0: there is none.
  Revision next() const {
    const base::MutexLock lock(mu_);
    return items_.empty() ? 0 : items_.front().revision;
  }
  // Forgets a watch that is not told any more.
  void Drop(int64_t watch) {
    const base::MutexLock lock(mu_);
    std::erase_if(items_, [watch](const Item& item) { return item.watch == watch; });
  }

 private:
  mutable base::Mutex mu_;
  std::vector<Item> items_ GUARDED_BY(mu_);
};

// One watch. Told by the backend, on its thread; what it keeps does not change once it is subscribed.
class WatchStream::Watch final : public storage::Observer {
 public:
  Watch(std::weak_ptr<WatchStream> stream, std::shared_ptr<Inbox> inbox, base::Executor& loop, int64_t id,
        const WatchCreateRequest& request)
      : progress_notify(request.progress_notify),
        with_previous(request.prev_kv),
        stream_(std::move(stream)),
        inbox_(std::move(inbox)),
        loop_(loop),
        id_(id),
        key_(request.key.empty() ? kOpenEnd : request.key),
        end_(request.range_end),
        start_(request.start_revision),
        no_put_(request.no_put),
        no_delete_(request.no_delete) {}

  // A start in the future is waited for.
  storage::Result<void> Begin(storage::Backend& backend) {
    const Revision now = backend.CurrentRevision();
    const Revision after = start_ > 0 ? std::min(start_ - 1, now) : now;
    auto subscribed = backend.Subscribe(CommonPrefix(key_, end_), after, *this);
    if (!subscribed) return base::Err(std::move(subscribed.error()));
    subscription_ = std::move(*subscribed);
    return {};
  }

  void OnChanges(std::span<const Change> changes, Revision revision) override {
    std::vector<KeptChange> wanted;
    for (const Change& change : changes)
      if (Wants(change)) wanted.emplace_back(change);
    if (wanted.empty()) return;
    inbox_->Put({.watch = id_, .changes = std::move(wanted), .revision = revision});
    loop_.Post([stream = stream_] {
      if (const auto self = stream.lock()) self->Deliver();
    });
  }
  void OnBroken(const storage::Error& error) override {
    loop_.Post([stream = stream_, id = id_, why = error.detail]() mutable {
      if (const auto self = stream.lock()) self->Cancel(id, 0, std::move(why));
    });
  }

  const bool progress_notify, with_previous;
  bool had_events = false;  // since progress was told last

 private:
  bool Wants(const Change& change) const {
    if (change.revision < start_) return false;
    if (change.type == storage::Write::Type::kPut ? no_put_ : no_delete_) return false;
    if (end_.empty()) return change.key == key_;
    return change.key >= key_ && (end_ == kOpenEnd || change.key < end_);
  }

  const std::weak_ptr<WatchStream> stream_;
  const std::shared_ptr<Inbox> inbox_;
  base::Executor& loop_;
  const int64_t id_;
  const std::string key_, end_;
  const Revision start_;
  const bool no_put_, no_delete_;
  std::unique_ptr<storage::Backend::Subscription> subscription_;  // last: nothing is told once it is gone
};

WatchStream::WatchStream(Store& store, base::Executor& loop, Header identity,
                         std::shared_ptr<MessageQueue> out)
    : store_(store),
      loop_(loop),
      identity_(identity),
      out_(std::move(out)),
      inbox_(std::make_shared<Inbox>()) {}
WatchStream::~WatchStream() = default;

void WatchStream::Close() { watches_.clear(); }

void WatchStream::Take(const WatchRequest& request) {
  if (const auto* create = std::get_if<WatchCreateRequest>(&request)) return Create(*create);
  if (const auto* cancel = std::get_if<WatchCancelRequest>(&request)) {
    if (watches_.contains(cancel->watch_id)) Cancel(cancel->watch_id, 0, "");
    return;
  }
  const Revision revision = store_.revision();  // everything up to it is in the inbox
  Deliver();
  Send({.watch_id = kNoWatch}, revision);
}

void WatchStream::Create(const WatchCreateRequest& request) {
  if (request.watch_id < 0 || watches_.contains(request.watch_id != 0 ? request.watch_id : kNoWatch)) {
    return Send({.watch_id = kNoWatch,
                 .created = true,
                 .canceled = true,
                 .cancel_reason = "mvcc: duplicate watch ID provided on the WatchStream"},
                store_.revision());
  }
  while (watches_.contains(next_id_)) ++next_id_;
  const int64_t id = request.watch_id != 0 ? request.watch_id : next_id_++;
  Send({.watch_id = id, .created = true}, store_.revision());
  auto watch = std::make_unique<Watch>(weak_from_this(), inbox_, loop_, id, request);
  Watch& begun = *watches_.emplace(id, std::move(watch)).first->second;
  const auto subscribed = begun.Begin(store_.backend());
  if (subscribed) return;
  if (subscribed.error().code == storage::Code::kExpired)
    Cancel(id, store_.backend().CompactedRevision(), Compacted().message);
  else
    Cancel(id, 0, subscribed.error().detail);
}

void WatchStream::Cancel(int64_t id, Revision compacted, std::string reason) {
  if (watches_.erase(id) == 0) return;
  inbox_->Drop(id);
  Send({.watch_id = id, .canceled = true, .compact_revision = compacted, .cancel_reason = std::move(reason)},
       store_.revision());
}

Event WatchStream::EventOf(const Change& change, bool with_previous) const {
  Event event;
  event.is_delete = change.type == storage::Write::Type::kDelete;
  if (event.is_delete) {
    event.entry.key = change.key;
    event.entry.mod_revision = change.revision;
  } else if (auto stored = Unpack({.key = std::string(change.key),
                                   .value = change.value,
                                   .create_revision = change.create_revision,
                                   .mod_revision = change.revision})) {
    event.entry = std::move(stored->entry);
  }
  // What was before may be compacted: then it is left out, as etcd does.
  if (with_previous && (event.is_delete || event.entry.version > 1))
    if (auto before = store_.backend().Get(change.key, change.revision - 1); before && *before)
      if (auto stored = Unpack(std::move(**before))) event.previous = std::move(stored->entry);
  return event;
}

void WatchStream::Deliver() {
  for (const Inbox::Item& item : inbox_->Take(store_.revision()))
    Tell(item.watch, item.changes, item.revision);
  const Revision next = inbox_->next();
  if (next != 0 && !std::exchange(waits_, true))
    base::Spawn(DeliverOnce(weak_from_this(), store_.backend(), next));
}

base::Task<void> WatchStream::DeliverOnce(std::weak_ptr<WatchStream> weak, storage::Backend& backend,
                                          Revision published) {
  // If that takes too long, Deliver waits again.
  [[maybe_unused]] const auto come = co_await backend.CatchUp(published);
  const auto self = weak.lock();
  if (!self) co_return;
  self->waits_ = false;
  self->Deliver();
}

void WatchStream::Tell(int64_t id, const std::vector<KeptChange>& changes, Revision revision) {
  const auto found = watches_.find(id);
  if (found == watches_.end()) return;
  found->second->had_events = true;
  WatchAnswer answer{.watch_id = id};
  size_t bytes = 0;
  Revision last = 0;
  for (const KeptChange& kept : changes) {
    const Change change = kept.Get();
    // The events of one revision stay together.
    if (bytes >= kAnswerBytes && change.revision != last) {
      Send(answer, last);
      answer.events.clear();
      bytes = 0;
    }
    last = change.revision;
    Event& event = answer.events.emplace_back(EventOf(change, found->second->with_previous));
    bytes += event.entry.key.size() + event.entry.value.size() +
             (event.previous ? event.previous->value.size() : 0);
  }
  Send(answer, std::max(revision, last));
}

void WatchStream::NotifyProgress() {
  const Revision revision = store_.revision();  // everything up to it is in the inbox
  Deliver();
  for (const auto& [id, watch] : watches_)
    if (watch->progress_notify && !std::exchange(watch->had_events, false)) Send({.watch_id = id}, revision);
}

void WatchStream::Send(const WatchAnswer& answer, Revision revision) {
  Header header = identity_;
  header.revision = revision;
  out_->Push(Encode(header, answer));
}

}  // namespace keelson::etcd
