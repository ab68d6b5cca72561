// Handoff: an executor that goes on while work blocks. The work runs on the executor's own thread, which
// costs no more than a call; where it takes long, another thread goes on with the executor's turns.
//
// So a loop has no thread for good. What belongs to a loop and not to one request is in LoopLocal, never in a
// thread_local variable; what a thread merely remembers, such as a cache, may be in one.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>

#include "base/executor.h"

namespace keelson::base {

class Handoff {
 public:
  using Work = Executor::Work;

  // Runs `blocking` at the end of the executor's turn and `then` behind it, on the executor. Until `blocking`
  // has returned it has no executor: Executor::Current() is null. Requires: on the executor.
  virtual void RunBlocking(Work blocking, Work then) = 0;

  // The one whose work this thread is running now; null outside of one.
  static Handoff* Current();

 protected:
  ~Handoff() = default;
  static void SetCurrent(Handoff* handoff);

 private:
  template <class T>
  friend class LoopLocal;
  static constexpr size_t kMostLocals = 8;
  static inline std::atomic<size_t> next_local_{0};

  std::array<std::shared_ptr<void>, kMostLocals> locals_;
};

// One T for each executor that is a Handoff, whichever thread runs it; elsewhere one for each thread.
// At most kMostLocals types.
template <class T>
class LoopLocal {
 public:
  static T& Here() {
    static const size_t index = Handoff::next_local_.fetch_add(1);
    Handoff* const loop = Handoff::Current();
    if (!loop) {
      thread_local T of_thread;
      return of_thread;
    }
    std::shared_ptr<void>& local = loop->locals_.at(index);
    if (!local) local = std::make_shared<T>();
    return *static_cast<T*>(local.get());
  }
};

}  // namespace keelson::base
