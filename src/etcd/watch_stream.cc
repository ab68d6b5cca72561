#include "etcd/watch_stream.h"

#include <algorithm>
#include <utility>

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

// One watch. Told by the backend, on its thread; what it keeps does not change once it is subscribed.
class WatchStream::Watch final : public storage::Observer {
 public:
  Watch(std::weak_ptr<WatchStream> stream, base::Executor& loop, int64_t id,
        const WatchCreateRequest& request)
      : progress_notify(request.progress_notify),
        with_previous(request.prev_kv),
        stream_(std::move(stream)),
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
    loop_.Post([stream = stream_, id = id_, wanted = std::move(wanted), revision]() mutable {
      if (const auto self = stream.lock()) self->OnChanges(id, std::move(wanted), revision);
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
  base::Executor& loop_;
  const int64_t id_;
  const std::string key_, end_;
  const Revision start_;
  const bool no_put_, no_delete_;
  std::unique_ptr<storage::Backend::Subscription> subscription_;  // last: nothing is told once it is gone
};

WatchStream::WatchStream(Store& store, base::Executor& loop, Header identity,
                         std::shared_ptr<MessageQueue> out)
    : store_(store), loop_(loop), identity_(identity), out_(std::move(out)) {}
WatchStream::~WatchStream() = default;

void WatchStream::Close() { watches_.clear(); }

void WatchStream::Take(const WatchRequest& request) {
  if (const auto* create = std::get_if<WatchCreateRequest>(&request)) return Create(*create);
  if (const auto* cancel = std::get_if<WatchCancelRequest>(&request)) {
    if (watches_.contains(cancel->watch_id)) Cancel(cancel->watch_id, 0, "");
    return;
  }
  // Everything up to this revision has been told to the watches, and so posted before this.
  loop_.Post([weak = weak_from_this(), revision = store_.revision()] {
    if (const auto self = weak.lock()) self->Send({.watch_id = kNoWatch}, revision);
  });
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
  auto watch = std::make_unique<Watch>(weak_from_this(), loop_, id, request);
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

void WatchStream::OnChanges(int64_t id, std::vector<KeptChange> changes, Revision revision) {
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
  for (const auto& [id, watch] : watches_)
    if (watch->progress_notify && !std::exchange(watch->had_events, false))
      loop_.Post([weak = weak_from_this(), id = id, revision = store_.revision()] {
        const auto self = weak.lock();
        if (self && self->watches_.contains(id)) self->Send({.watch_id = id}, revision);
      });
}

void WatchStream::Send(const WatchAnswer& answer, Revision revision) {
  Header header = identity_;
  header.revision = revision;
  out_->Push(Encode(header, answer));
}

}  // namespace keelson::etcd
