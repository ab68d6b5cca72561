// Sleepers: the watchers that wait for an event, by executor and trigger. An event wakes
// only those it concerns, with at most one message to each executor.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/executor.h"
#include "base/mutex.h"
#include "storage/cacher/trigger.h"

namespace keelson::storage {

class SleeperGroup;

// A place in a circle of sleepers; on its own a circle of one, and the head of each list.
struct SleeperLink {
  SleeperLink() = default;
  SleeperLink(const SleeperLink&) = delete;
  SleeperLink& operator=(const SleeperLink&) = delete;

  bool alone() const { return next == this; }
  void Unlink();
  void InsertBefore(SleeperLink& place);
  // All of `list` but its head, in front of `place`.
  static void Splice(SleeperLink& list, SleeperLink& place);

  SleeperLink* prev = this;
  SleeperLink* next = this;
};

// A watcher's entry. Touched by its own executor and, while it sleeps, by the group.
class Sleeper : private SleeperLink {
 protected:
  Sleeper() = default;
  ~Sleeper() = default;

 private:
  friend class SleeperGroup;
  // An event for it has come. On the group's executor; without one on the thread that
  // appended the event, inside a lock: it may then do no more than signal.
  virtual void OnWake() = 0;

  TriggerId trigger_ = kEveryEvent;
  uint64_t woken_by_ = 0;  // kAsleep until it is woken; 0: by something that says no place
};

// The sleepers of one executor.
class SleeperGroup : public std::enable_shared_from_this<SleeperGroup> {
 public:
  explicit SleeperGroup(base::Executor* executor) : executor_(executor) {}
  base::Executor* executor() const { return executor_; }

  // From now on `sleeper` is woken, once, by an event that sets off `trigger`. The caller
  // must look once more for events that came before this call.
  void Sleep(Sleeper& sleeper, TriggerId trigger);
  // Ends the sleep; must be called before a sleeper is destroyed. Returns Passed().
  uint64_t Cancel(Sleeper& sleeper);
  // The sequence number before which no event since its Sleep was for `sleeper`; 0: unknown. It may count
  // events that rang before the Sleep: ask only if there were none.
  uint64_t Passed(const Sleeper& sleeper) const;

  // One event and what it sets off.
  struct Alarm {
    TriggerId trigger;
    uint64_t seq;
  };
  // Called after the events are visible to readers. `alarms`: in order of the events, which
  // all come before `end`.
  void Ring(std::span<const Alarm> alarms, uint64_t end);
  // Wakes everyone.
  void RingAll();

 private:
  template <class Move>
  void Wake(const Move& move);
  void MoveToWoken(SleeperLink& list, uint64_t seq) REQUIRES_LOCK(mu_);
  void MoveToWoken(TriggerId trigger, uint64_t seq) REQUIRES_LOCK(mu_);
  uint64_t PassedLocked(const Sleeper& sleeper) const REQUIRES_LOCK(mu_);
  void WakeAll();

  static constexpr uint64_t kAsleep = ~uint64_t{0};

  base::Executor* const executor_;
  mutable base::Mutex mu_;
  uint64_t rung_until_ GUARDED_BY(mu_) = 0;  // every event before has woken whom it concerns
  // By trigger; only lists that have somebody. The map never moves its values.
  std::unordered_map<TriggerId, SleeperLink> lists_ GUARDED_BY(mu_);
  SleeperLink woken_ GUARDED_BY(mu_);
};

// The groups of all executors. Any thread.
class Sleepers {
 public:
  // The group of the executor that is running, made when it is the first.
  std::shared_ptr<SleeperGroup> GroupHere();
  void Ring(std::span<const SleeperGroup::Alarm> alarms, uint64_t end);
  void RingAll();

 private:
  base::Mutex mu_;
  std::vector<std::shared_ptr<SleeperGroup>> groups_ GUARDED_BY(mu_);
};

}  // namespace keelson::storage
