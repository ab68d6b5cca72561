#include "storage/cacher/sleepers.h"

#include <algorithm>

namespace keelson::storage {

void SleeperLink::Unlink() {
  prev->next = next;
  next->prev = prev;
  prev = next = this;
}

void SleeperLink::InsertBefore(SleeperLink& place) {
  prev = place.prev;
  next = &place;
  prev->next = next->prev = this;
}

void SleeperLink::Splice(SleeperLink& list, SleeperLink& place) {
  if (list.alone()) return;
  list.next->prev = place.prev;
  place.prev->next = list.next;
  list.prev->next = &place;
  place.prev = list.prev;
  list.prev = list.next = &list;
}

void SleeperGroup::Sleep(Sleeper& sleeper, TriggerId trigger) {
  base::MutexLock lock(mu_);
  sleeper.trigger_ = trigger;
  // Who waits for every event is at the end of the log and passes none.
  sleeper.woken_by_ = trigger == kEveryEvent ? 0 : kAsleep;
  sleeper.InsertBefore(lists_[trigger]);
}

uint64_t SleeperGroup::Passed(const Sleeper& sleeper) const {
  base::MutexLock lock(mu_);
  return PassedLocked(sleeper);
}

uint64_t SleeperGroup::PassedLocked(const Sleeper& sleeper) const {
  return sleeper.woken_by_ == kAsleep ? rung_until_ : sleeper.woken_by_;
}

uint64_t SleeperGroup::Cancel(Sleeper& sleeper) {
  base::MutexLock lock(mu_);
  const uint64_t passed = PassedLocked(sleeper);
  if (!sleeper.alone()) {
    sleeper.Unlink();
    auto it = lists_.find(sleeper.trigger_);
    if (it != lists_.end() && it->second.alone()) lists_.erase(it);
  }
  return passed;
}

void SleeperGroup::Ring(std::span<const Alarm> alarms, uint64_t end) {
  Wake([&] {
    mu_.AssertHeld();
    rung_until_ = end;
    // Spliced as it is, however long: nobody in it needs to be told a place.
    if (auto it = lists_.find(kEveryEvent); it != lists_.end()) {
      SleeperLink::Splice(it->second, woken_);
      lists_.erase(it);
    }
    for (const Alarm& alarm : alarms) MoveToWoken(alarm.trigger, alarm.seq);
  });
}

void SleeperGroup::RingAll() {
  Wake([&] {
    mu_.AssertHeld();
    for (auto& [trigger, list] : lists_) MoveToWoken(list, 0);
    lists_.clear();
  });
}

// `move` puts the sleepers to wake into woken_.
template <class Move>
void SleeperGroup::Wake(const Move& move) {
  {
    base::MutexLock lock(mu_);
    const bool under_way = !woken_.alone();
    move();
    if (under_way || woken_.alone()) return;
    while (!executor_ && !woken_.alone()) {
      auto& sleeper = static_cast<Sleeper&>(*woken_.next);
      sleeper.Unlink();
      sleeper.OnWake();
    }
  }
  if (executor_) executor_->Post([self = shared_from_this()] { self->WakeAll(); });
}

void SleeperGroup::MoveToWoken(SleeperLink& list, uint64_t seq) {
  for (SleeperLink* s = list.next; s != &list; s = s->next) static_cast<Sleeper*>(s)->woken_by_ = seq;
  SleeperLink::Splice(list, woken_);
}

void SleeperGroup::MoveToWoken(TriggerId trigger, uint64_t seq) {
  auto it = lists_.find(trigger);
  if (it == lists_.end()) return;
  MoveToWoken(it->second, seq);
  lists_.erase(it);
}

// One at a time: a woken watcher may destroy others that wait to be woken.
void SleeperGroup::WakeAll() {
  for (;;) {
    Sleeper* sleeper = nullptr;
    {
      base::MutexLock lock(mu_);
      if (woken_.alone()) return;
      sleeper = static_cast<Sleeper*>(woken_.next);
      sleeper->Unlink();
    }
    sleeper->OnWake();
  }
}

std::shared_ptr<SleeperGroup> Sleepers::GroupHere() {
  base::Executor* here = base::Executor::Current();
  base::MutexLock lock(mu_);
  auto it = std::ranges::find(groups_, here, [](const auto& g) { return g->executor(); });
  if (it == groups_.end()) it = groups_.insert(it, std::make_shared<SleeperGroup>(here));
  return *it;
}

void Sleepers::Ring(std::span<const SleeperGroup::Alarm> alarms, uint64_t end) {
  base::MutexLock lock(mu_);
  for (const auto& group : groups_) group->Ring(alarms, end);
}

void Sleepers::RingAll() {
  base::MutexLock lock(mu_);
  for (const auto& group : groups_) group->RingAll();
}

}  // namespace keelson::storage
