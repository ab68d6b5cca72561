// Gathering: tasks that run side by side on one loop, so that what they write shares
// commits, and whose end is awaited together.
#pragma once

#include <string>

#include "base/result.h"
#include "base/task.h"

namespace keelson::base {

class Gathering {
 public:
  using Done = Result<void, std::string>;

  // Runs `task` up to its first suspension now.
  void Start(Task<Done> task) {
    ++under_way_;
    Spawn(Run(std::move(task)));
  }

  // The end of all that were started; the error is the first that came. Requires: awaited
  // once, on the same loop, and the gathering outlives it.
  Task<Done> Wait() {
    End();
    co_await ended_;
    if (!error_.empty()) co_return Err(std::move(error_));
    co_return Done();
  }

 private:
  Task<void> Run(Task<Done> task) {
    const auto done = co_await std::move(task);
    if (!done && error_.empty()) error_ = done.error();
    End();
  }
  void End() {
    if (--under_way_ == 0) ended_.Set(true);
  }

  size_t under_way_ = 1;  // Wait() itself: none can end the whole before all have begun
  std::string error_;
  Completion<bool> ended_;
};

}  // namespace keelson::base
