#include "net/loop/timers.h"

#include <algorithm>

namespace keelson::net {

void Timer::Start(Duration delay) {
  Cancel();
  due_ = timers_.now() + std::chrono::duration_cast<TimePoint::duration>(delay);
  timers_.Insert(this);
}

void Timer::Cancel() {
  if (armed()) timers_.Erase(this);
}

void Timers::Advance(TimePoint now) {
  now_ = std::max(now_, now);
  while (!heap_.empty() && heap_.front()->due_ <= now_) {
    Timer* timer = heap_.front();
    Erase(timer);
    timer->callback_();  // may destroy the timer
  }
}

void Timers::Insert(Timer* timer) {
  heap_.push_back(timer);
  timer->slot_ = heap_.size() - 1;
  SiftUp(timer->slot_);
}

void Timers::Erase(Timer* timer) {
  const size_t slot = timer->slot_;
  Timer* last = heap_.back();
  heap_.pop_back();
  timer->slot_ = Timer::kIdle;
  if (last == timer) return;
  Place(slot, last);
  SiftUp(slot);
  SiftDown(last->slot_);
}

void Timers::Place(size_t slot, Timer* timer) {
  heap_[slot] = timer;
  timer->slot_ = slot;
}

void Timers::SiftUp(size_t slot) {
  Timer* timer = heap_[slot];
  while (slot > 0) {
    const size_t parent = (slot - 1) / 2;
    if (heap_[parent]->due_ <= timer->due_) break;
    Place(slot, heap_[parent]);
    slot = parent;
  }
  Place(slot, timer);
}

void Timers::SiftDown(size_t slot) {
  Timer* timer = heap_[slot];
  while (true) {
    size_t child = 2 * slot + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && heap_[child + 1]->due_ < heap_[child]->due_) ++child;
    if (timer->due_ <= heap_[child]->due_) break;
    Place(slot, heap_[child]);
    slot = child;
  }
  Place(slot, timer);
}

}  // namespace keelson::net
