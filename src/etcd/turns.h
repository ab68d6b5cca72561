// Turns: coroutines of one loop that do something one after the other, in the order in which they asked.
//
// Threads: the loop's.
#pragma once

#include <coroutine>
#include <deque>
#include <utility>

#include "base/executor.h"

namespace keelson::etcd {

class Turns {
 public:
  // Requires: lives as long as the loop runs what was posted to it.
  explicit Turns(base::Executor& loop) : loop_(loop) {}

  // Whoever holds it has the turn.
  class Turn {
   public:
    explicit Turn(Turns& turns) : turns_(&turns) {}
    Turn(Turn&& o) noexcept : turns_(std::exchange(o.turns_, nullptr)) {}
    Turn& operator=(Turn&&) = delete;
    ~Turn() {
      if (turns_) turns_->Next();
    }

   private:
    Turns* turns_;
  };

  // co_await turns.Take() gives a Turn.
  auto Take() {
    struct Awaiter {
      Turns& turns;
      bool await_ready() const { return !std::exchange(turns.taken_, true); }
      void await_suspend(std::coroutine_handle<> h) const { turns.waiting_.push_back(h); }
      Turn await_resume() const { return Turn(turns); }
    };
    return Awaiter{*this};
  }

 private:
  void Next() {
    if (waiting_.empty()) {
      taken_ = false;
      return;
    }
    loop_.Post([next = waiting_.front()] { next.resume(); });
    waiting_.pop_front();
  }

  base::Executor& loop_;
  bool taken_ = false;
  std::deque<std::coroutine_handle<>> waiting_;
};

}  // namespace keelson::etcd
