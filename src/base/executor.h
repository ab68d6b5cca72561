// Executor: where work runs. One per event loop; everything a loop owns is touched only
// by work posted to it, so nothing there needs a lock.
#pragma once

#include <chrono>
#include <functional>

namespace keelson::base {

class Executor {
 public:
  using Work = std::move_only_function<void()>;

  virtual ~Executor() = default;

  // Runs `work` soon, on this executor, in the order posted. Any thread may call it.
  virtual void Post(Work work) = 0;
  // Runs `work` on this executor once `delay` has passed. Any thread may call it.
  virtual void PostAfter(std::chrono::nanoseconds delay, Work work) = 0;

  // The executor whose work this thread is running now; null outside of one.
  static Executor* Current();

 protected:
  // A loop marks its thread for as long as it runs.
  static void SetCurrent(Executor* executor);
};

}  // namespace keelson::base
