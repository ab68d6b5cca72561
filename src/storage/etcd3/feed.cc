#include "storage/etcd3/feed.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "base/log.h"
#include "storage/etcd3/errors.h"

namespace keelson::storage::etcd3 {
namespace {

using net::grpc::Channel;
using net::grpc::Status;
using std::chrono::milliseconds;

constexpr milliseconds kWaitersCheck{100};
constexpr milliseconds kWatchAgain{200};  // after the server ended the watch
constexpr std::chrono::seconds kVerifyTimeout{3};

// The member ends the stream when it loses its leader, instead of being silent.
const Channel::Metadata kRequireLeader = {{"hasleader", "true"}};

Error Compacted() { return {.code = Code::kExpired, .detail = "required revision has been compacted"}; }

}  // namespace

// An observer on its way from history to the present.
struct Feed::Joining {
  std::string prefix;
  Revision after = 0;  // told up to here
  Revision until = 0;  // what is newer comes by the feed itself, and is kept in `later`
  Observer* observer = nullptr;
  Joined joined;
  Channel* channel = nullptr;
  Channel::CallId watch = 0;
  std::vector<KeptChange> later;
};

Change ToChange(const WatchEvent& event, WriteTag* tag) {
  return {.type = event.type,
          .key = event.kv.key,
          .value = event.kv.value,
          .create_revision = event.kv.create_revision,
          .revision = event.kv.mod_revision,
          .lease = event.kv.lease,
          .tag = tag};
}

Feed::Feed(net::EventLoop& loop, Client& client)
    : loop_(loop),
      client_(client),
      waiters_timer_(loop.timers(), [this] { ExpireWaiters(); }),
      watch_timer_(loop.timers(), [this] { Watch(); }),
      restart_timer_(loop.timers(), [this] { Restart(); }) {}

Feed::~Feed() = default;

void Feed::Start(const Header& at) {
  cluster_id_ = at.cluster_id;
  last_put_ = {};
  started_ = true;
  SetCurrent(at.revision);
  Watch();
}

void Feed::OnUp() {
  if (started_) return Verify();
  client_.Admit();
}

// Asks for the last value that came by, as of its revision. A cluster that was put back, and has come to that
// revision again by other ways, does not have it.
void Feed::Verify() {
  const std::string question =
      last_put_.revision != 0 ? EncodeGet(last_put_.key, last_put_.revision) : EncodeRevisionRead();
  client_.CallNow(kRangeMethod, question, kVerifyTimeout,
                  [this, told = current()](const Client::Answer& answer) { OnVerified(told, answer); });
}

void Feed::OnVerified(Revision told, const Client::Answer& answer) {
  if (!answer) {
    const Error error = ToError(answer.error());
    if (error.code == Code::kTooLarge) {
      Break("etcd has not come to revision " + std::to_string(told), History::kLost);
    } else if (error.code != Code::kExpired) {  // compacted: the watch will find that out
      return client_.Leave(error.detail);
    }
  } else {
    const auto range = DecodeRange(*answer);
    if (!range) return client_.Leave("malformed message");
    const auto is_last_put = [&](const WireKeyValue& kv) {
      return kv.mod_revision == last_put_.revision && kv.value.view() == last_put_.value.view();
    };
    if (CheckHistory(range->header, told) && last_put_.revision != 0 &&
        std::ranges::none_of(range->items, is_last_put))
      Break("etcd has another history up to revision " + std::to_string(told), History::kLost);
  }
  client_.NoteWorking();
  client_.Admit();
  Watch();
}

bool Feed::CheckHistory(const Header& header, Revision told) {
  if (!started_) return true;
  if (header.cluster_id != 0 && header.cluster_id != cluster_id_) {
    Break("etcd is another cluster now", History::kLost);
    return false;
  }
  // What the feed has told since then is of the same cluster, and only started anew by a Break.
  if (header.revision >= told || told > current()) return true;
  Break("etcd has gone back to revision " + std::to_string(header.revision) + " from " + std::to_string(told),
        History::kLost);
  return false;
}

void Feed::OnDown() {
  channel_ = nullptr;
  watch_timer_.Cancel();
}

void Feed::NoteCompacted(Revision revision) {
  Revision known = compacted();
  while (known < revision && !compacted_.compare_exchange_weak(known, revision, std::memory_order_acq_rel)) {
  }
}

void Feed::Watch() {
  Channel* const channel = client_.channel();
  if (!started_ || channel_ || !channel) return;
  channel_ = channel;
  watch_ = channel->Open(kWatchMethod, kRequireLeader,
                         {.on_message = [this](const base::Slice& message) { OnMessage(message); },
                          .on_end =
                              [this](const Status& status) {
                                if (!channel_) return;
                                channel_ = nullptr;
                                watch_timer_.Start(kWatchAgain);
                                // Of several members another one may have a leader.
                                if (status.from_server) client_.Leave("watch: " + status.message);
                              }});
  channel->Send(watch_, EncodeWatchCreate(current() + 1));
}

void Feed::OnMessage(const base::Slice& message) {
  auto answer = DecodeWatch(message);
  if (!answer) return client_.Leave("watch: malformed message");
  if (!answer->canceled) client_.NoteWorking();
  if (answer->header.cluster_id != 0 && answer->header.cluster_id != cluster_id_)
    return Break("etcd is another cluster now", History::kLost);
  if (answer->canceled) {
    if (answer->compact_revision == 0) return client_.Leave("watch: " + answer->cancel_reason);
    NoteCompacted(answer->compact_revision);
    return Break("history was compacted", History::kKept);
  }
  if (!answer->events.empty()) Deliver(*answer);
}

void Feed::Deliver(const WatchAnswer& answer) {
  const Revision before = current();
  changes_.clear();
  for (const WatchEvent& event : answer.events)
    if (event.kv.mod_revision > before) changes_.push_back(ToChange(event, TagOf(event)));
  if (changes_.empty()) return;
  const Revision revision = changes_.back().revision;
  observers_.Publish(changes_, revision);
  for (auto& [id, joining] : joining_)
    for (const Change& change : changes_)
      if (change.key.starts_with(joining->prefix)) joining->later.emplace_back(change);
  const auto put = std::ranges::find(std::views::reverse(changes_), Write::Type::kPut, &Change::type);
  if (put != std::views::reverse(changes_).end()) {
    last_put_.key = put->key;
    last_put_.value = put->value;
    last_put_.revision = put->revision;
  }
  SetCurrent(revision);
}

// Of several writes that the change could be, the one that was answered with its revision;
// else one that has no answer yet. A wrong guess among writes of the same bytes to the same key
// is harmless: the one that is refused does not look at its tag.
WriteTag* Feed::TagOf(const WatchEvent& event) const {
  if (expected_.empty()) return nullptr;
  const Write* unanswered = nullptr;
  const auto [begin, end] = expected_.equal_range(event.kv.key);
  for (auto it = begin; it != end; ++it) {
    const Expected& e = *it->second;
    if (e.revision == event.kv.mod_revision) return e.write->tag.get();
    if (e.revision == 0 && e.write->type == event.type && e.write->value.view() == event.kv.value.view())
      unanswered = e.write;
  }
  return unanswered ? unanswered->tag.get() : nullptr;
}

void Feed::Expect(Expected& expected) { expected_.emplace(expected.write->key, &expected); }

void Feed::Forget(Expected& expected) {
  const auto [begin, end] = expected_.equal_range(expected.write->key);
  for (auto it = begin; it != end; ++it)
    if (it->second == &expected) {
      expected_.erase(it);
      return;
    }
}

void Feed::SetCurrent(Revision revision) {
  current_.store(revision, std::memory_order_release);
  while (!waiters_.empty() && waiters_.begin()->first <= revision) {
    auto node = waiters_.extract(waiters_.begin());
    node.mapped().reached(true);
  }
}

void Feed::WaitFor(Revision revision, net::Duration timeout, Reached reached) {
  if (started_ && revision <= current()) return reached(true);
  waiters_.emplace(revision, Waiter{std::chrono::steady_clock::now() + timeout, std::move(reached)});
  if (!waiters_timer_.armed()) waiters_timer_.Start(kWaitersCheck);
}

void Feed::ExpireWaiters() {
  const auto now = std::chrono::steady_clock::now();
  std::vector<Reached> late;
  for (auto it = waiters_.begin(); it != waiters_.end();) {
    if (it->second.deadline > now) {
      ++it;
    } else {
      late.push_back(std::move(it->second.reached));
      it = waiters_.erase(it);
    }
  }
  if (!waiters_.empty()) waiters_timer_.Start(kWaitersCheck);
  for (Reached& reached : late) reached(false);
}

void Feed::Break(const std::string& why, History history) {
  if (!started_) return;
  base::Log(base::LogLevel::kError, "the watch of etcd cannot go on where it was", {{"why", why}});
  started_ = false;
  if (channel_) std::exchange(channel_, nullptr)->Cancel(watch_);
  if (history == History::kLost) {
    // What was compacted of another history says nothing of this one.
    compacted_.store(0, std::memory_order_release);
    history_.fetch_add(1, std::memory_order_acq_rel);
  }
  observers_.BreakAll({.code = Code::kExpired, .detail = why}, history == History::kLost);
  while (!joining_.empty()) FinishJoin(joining_.begin()->first, base::Err(Compacted()));
  Restart();
}

void Feed::Restart() {
  client_.Call(kRangeMethod, EncodeRevisionRead(),
               {.wait = std::chrono::hours(24), .timeout = std::chrono::hours(24)},
               [this](const Client::Answer& answer) {
                 const auto header = answer ? DecodeHeaderOnly(*answer) : std::nullopt;
                 if (header) return Start(*header);
                 base::Log(base::LogLevel::kError, "cannot read the revision of etcd",
                           {{"why", answer ? "malformed message" : answer.error().message}});
                 restart_timer_.Start(kWatchAgain);
               });
}

// ---- Joining

void Feed::Join(std::string prefix, Revision after, Observer& observer, Joined joined) {
  const uint64_t id = ++last_joining_;
  auto joining = std::make_unique<Joining>();
  joining->prefix = std::move(prefix);
  joining->after = after;
  joining->until = current();
  joining->observer = &observer;
  joining->joined = std::move(joined);
  const bool present = after >= joining->until;
  joining_.emplace(id, std::move(joining));
  if (present) return FinishJoin(id, {});
  Replay(id);
}

// History comes by a watch of its own, over all keys as well: that tells where it ends.
void Feed::Replay(uint64_t id) {
  Joining& joining = *joining_.at(id);
  Channel* const channel = client_.channel();
  if (!channel)
    return FinishJoin(id, base::Err(Error{.code = Code::kUnreachable, .detail = client_.trouble()}));
  joining.channel = channel;
  joining.watch = channel->Open(
      kWatchMethod, kRequireLeader,
      {.on_message = [this, id](const base::Slice& message) { OnReplayed(id, message); },
       .on_end =
           [this, id](const Status& status) {
             const auto it = joining_.find(id);
             if (it == joining_.end()) return;
             it->second->channel = nullptr;
             FinishJoin(id, base::Err(Error{.code = Code::kUnreachable, .detail = status.message}));
           }});
  channel->Send(joining.watch, EncodeWatchCreate(joining.after + 1));
}

void Feed::OnReplayed(uint64_t id, const base::Slice& message) {
  const auto it = joining_.find(id);
  if (it == joining_.end()) return;
  Joining& joining = *it->second;
  const auto answer = DecodeWatch(message);
  if (!answer)
    return FinishJoin(id, base::Err(Error{.code = Code::kUnreachable, .detail = "malformed message"}));
  if (answer->canceled) {
    if (answer->compact_revision == 0)
      return FinishJoin(id, base::Err(Error{.code = Code::kUnreachable, .detail = answer->cancel_reason}));
    NoteCompacted(answer->compact_revision);
    return FinishJoin(id, base::Err(Compacted()));
  }
  std::vector<Change> changes;
  for (const WatchEvent& event : answer->events) {
    if (event.kv.mod_revision > joining.until) break;
    joining.after = event.kv.mod_revision;
    if (event.kv.key.starts_with(joining.prefix)) changes.push_back(ToChange(event, nullptr));
  }
  if (!changes.empty()) joining.observer->OnChanges(changes, joining.after);
  if (joining.after >= joining.until) FinishJoin(id, {});
}

void Feed::FinishJoin(uint64_t id, Result<void> result) {
  const auto joining = std::move(joining_.extract(id).mapped());
  if (joining->channel) joining->channel->Cancel(joining->watch);
  if (result) {
    std::vector<Change> later;
    later.reserve(joining->later.size());
    for (const KeptChange& kept : joining->later) later.push_back(kept.Get());
    joining->observer->OnChanges(later, current());
    observers_.Add(joining->prefix, *joining->observer);
  }
  joining->joined(std::move(result));
}

}  // namespace keelson::storage::etcd3
