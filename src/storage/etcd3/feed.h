// Feed: every change of the cluster, in order, to the observers that it concerns.
//
// It is one watch over all keys. Every revision changes some key, so every revision comes by,
// and the feed knows that it has seen everything up to the last one without asking for progress.
// When the connection is lost it goes on where it was, once it knows that what it told of is still there: the
// member must have the last value that came by, at its revision. When history was compacted meanwhile, or the
// cluster is another one or has gone back in time, all observers are told so, and it goes on from now.
//
// Threads: the loop's own, but current(), compacted(), history(), NoteCompacted() and observers() are
// any thread's.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "storage/backend.h"
#include "storage/embedded/observer_table.h"
#include "storage/etcd3/client.h"
#include "storage/etcd3/messages.h"

namespace keelson::storage::etcd3 {

class Feed {
 public:
  Feed(net::EventLoop& loop, Client& client);
  ~Feed();

  // Begins after the revision of `at`.
  void Start(const Header& at);
  bool started() const { return started_; }
  // As the client goes up and down. OnUp has it admitted once the cluster is known to be the same.
  void OnUp();
  void OnDown();

  // Every observer has been told of everything up to here.
  Revision current() const { return current_.load(std::memory_order_acquire); }
  // The oldest revision whose history is there, as far as is known.
  Revision compacted() const { return compacted_.load(std::memory_order_acquire); }
  void NoteCompacted(Revision revision);
  // Backend::History.
  uint64_t history() const { return history_.load(std::memory_order_acquire); }
  // `header`: of a linearizable read that was sent when current() was `told`. False: the cluster is another
  // one, or has lost what was told; the feed is then broken.
  bool CheckHistory(const Header& header, Revision told);
  ObserverTable& observers() { return observers_; }

  // Calls back once the feed has come to `revision`, or with false when that takes longer
  // than `timeout`.
  using Reached = std::move_only_function<void(bool reached)>;
  void WaitFor(Revision revision, net::Duration timeout, Reached reached);

  // The observer hears of what is below `prefix` and newer than `after`: first from history, then
  // as it happens. Requires: `after` is not newer than current().
  using Joined = std::move_only_function<void(Result<void>)>;
  void Join(std::string prefix, Revision after, Observer& observer, Joined joined);

  // A write of this process with a tag, from before it is sent until it is answered and has
  // come by. The change that it becomes may come by before its answer does.
  struct Expected {
    const Write* write = nullptr;
    Revision revision = 0;  // once answered
  };
  void Expect(Expected& expected);
  void Forget(Expected& expected);

 private:
  struct Joining;
  struct Waiter {
    net::TimePoint deadline;
    Reached reached;
  };

  void Watch();
  void OnMessage(const base::Slice& message);
  void Deliver(const WatchAnswer& answer);
  void SetCurrent(Revision revision);
  WriteTag* TagOf(const WatchEvent& event) const;
  void Verify();
  void OnVerified(Revision told, const Client::Answer& answer);
  enum class History : uint8_t { kKept, kLost };
  void Break(const std::string& why, History history);
  void Restart();
  void ExpireWaiters();

  void Replay(uint64_t id);
  void OnReplayed(uint64_t id, const base::Slice& message);
  void FinishJoin(uint64_t id, Result<void> result);

  net::EventLoop& loop_;
  Client& client_;
  bool started_ = false;
  uint64_t cluster_id_ = 0;
  // The last value that came by; revision 0: none yet.
  struct LastPut {
    std::string key;
    base::Slice value;
    Revision revision = 0;
  } last_put_;
  std::atomic<Revision> current_{0};
  std::atomic<Revision> compacted_{0};
  std::atomic<uint64_t> history_{0};
  net::grpc::Channel* channel_ = nullptr;  // where the watch is; null: nowhere
  net::grpc::Channel::CallId watch_ = 0;
  ObserverTable observers_;
  std::vector<Change> changes_;  // kept for its capacity
  std::multimap<Revision, Waiter> waiters_;
  std::unordered_multimap<std::string_view, Expected*> expected_;  // by key
  std::map<uint64_t, std::unique_ptr<Joining>> joining_;
  uint64_t last_joining_ = 0;
  net::Timer waiters_timer_, watch_timer_, restart_timer_;
};

// The change that an event is; its key lies in the message.
Change ToChange(const WatchEvent& event, WriteTag* tag);

}  // namespace keelson::storage::etcd3
