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
  sleeper.woken_by_ = 0;
  sleeper.InsertBefore(lists_[trigger]);
}

uint64_t SleeperGroup::Cancel(Sleeper& sleeper) {
  base::MutexLock lock(mu_);
  if (!sleeper.alone()) {
    sleeper.Unlink();
    auto it = lists_.find(sleeper.trigger_);
    if (it != lists_.end() && it->second.alone()) lists_.erase(it);
  }
  return std::exchange(sleeper.woken_by_, 0);
}

void SleeperGroup::Ring(std::span<const Alarm> alarms) {
  Wake([&] {
    MoveToWoken(kEveryEvent, 0);
    for (const Alarm& alarm : alarms) MoveToWoken(alarm.trigger, alarm.seq);
  });
}

void SleeperGroup::RingAll() {
  Wake([&] {
    for (auto& [trigger, list] : lists_) SleeperLink::Splice(list, woken_);
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

void SleeperGroup::MoveToWoken(TriggerId trigger, uint64_t seq) {
  auto it = lists_.find(trigger);
  if (it == lists_.end()) return;
  // Who waits for every event has read up to `seq` already.
  for (SleeperLink* s = it->second.next; trigger != kEveryEvent && s != &it->second; s = s->next)
    static_cast<Sleeper*>(s)->woken_by_ = seq;
  SleeperLink::Splice(it->second, woken_);
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

void Sleepers::Ring(std::span<const SleeperGroup::Alarm> alarms) {
  base::MutexLock lock(mu_);
  for (const auto& group : groups_) group->Ring(alarms);
}

void Sleepers::RingAll() {
  base::MutexLock lock(mu_);
  for (const auto& group : groups_) group->RingAll();
}

}  // namespace keelson::storage
