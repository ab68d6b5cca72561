// OneAtATime: work of one loop that must not overlap. Who comes while another is at it waits, in order.
#pragma once

#include <deque>
#include <utility>

#include "base/task.h"

namespace keelson::base {

// Threads: one loop. Outlives everybody who waits.
class OneAtATime {
 public:
  // The caller is at it for as long as this exists.
  class Turn {
   public:
    explicit Turn(OneAtATime& all) : all_(&all) {}
    Turn(Turn&& other) noexcept : all_(std::exchange(other.all_, nullptr)) {}
    Turn& operator=(Turn&&) = delete;
    ~Turn() {
      if (all_) all_->End();
    }

   private:
    OneAtATime* all_;
  };

  Task<Turn> Take() {
    if (!std::exchange(taken_, true)) co_return Turn(*this);
    co_await waiting_.emplace_back();
    co_return Turn(*this);
  }

 private:
  void End() {
    if (waiting_.empty()) {
      taken_ = false;
      return;
    }
    const Completion<bool> next = waiting_.front();
    waiting_.pop_front();
    next.Set(true);
  }

  bool taken_ = false;
  std::deque<Completion<bool>> waiting_;
};

}  // namespace keelson::base
