// EventLoop: epoll, timers and posted work, on one thread at a time.
//
// Threads: Post, PostAfter, Stop and TurnTime may be called from anywhere; everything else on
// the loop's own thread, or before Run. That is the one that called Run, or, from the first RunBlocking on,
// one of two: where work has blocked for kLongBlock, the other goes on with the turns. It does not go back
// when the work has returned: then the first is the other.
// Ownership: borrows file descriptors and handlers; a handler must stay alive until the
// turn of the loop in which it was removed has ended (Post its destruction).
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "base/executor.h"
#include "base/handoff.h"
#include "base/mutex.h"
#include "net/loop/timers.h"

namespace keelson::net {

class FdHandler {
 public:
  // `events` as epoll gives them. May still come in the turn in which the handler was removed.
  virtual void OnEvents(uint32_t events) = 0;

 protected:
  ~FdHandler() = default;
};

class EventLoop final : public base::Executor, public base::Handoff {
 public:
  using Work = base::Executor::Work;
  using base::Executor::Current;

  // How often the other thread looks: work that blocks holds the loop up for twice as long at most.
  static constexpr std::chrono::milliseconds kLongBlock{10};

  EventLoop();  // Throws std::system_error when the process has no descriptors left.
  ~EventLoop() override;
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Runs until Stop. Work still queued then is dropped with the loop.
  void Run();
  void Stop();

  // Work posted after Stop is kept but never run.
  void Post(Work work) override;
  void PostAfter(Duration delay, Work work) override;
  void RunBlocking(Work blocking, Work then) override;

  // False: the kernel refused (no memory, or its limit of watches).
  [[nodiscard]] bool Add(int fd, uint32_t events, FdHandler& handler);
  void Remove(int fd);

  Timers& timers() { return timers_; }

  // How long the turn under way has lasted; nothing while the loop sleeps.
  Duration TurnTime(TimePoint now) const {
    const TimePoint began = turn_began_.load(std::memory_order_relaxed);
    return began == kAsleep ? Duration{0} : now - began;
  }

 private:
  static constexpr TimePoint kAsleep{};

  struct Delayed {
    TimePoint due;
    uint64_t order;  // equal times run in the order posted
    Work work;
  };
  static bool Later(const Delayed& a, const Delayed& b) {
    return a.due != b.due ? a.due > b.due : a.order > b.order;
  }

  struct BlockingWork {
    Work blocking, then;
  };

  // What a thread of the loop does until the loop is stopped. `runs`: the loop is its own.
  void Live(bool runs);
  // False: the loop is the other thread's now.
  bool RunTurns();
  bool RunBlockingWork();
  // The number of the block, as `blocks_` has it while it is under way.
  uint64_t BeginToBlock();
  // The other thread: waits until the loop is its own. False: the loop is stopped.
  bool Watch() EXCLUDES(spare_mu_);
  void SetRuns(bool runs);

  void AddDelayed(TimePoint due, Work work);
  void RunDelayed();
  void RunPosted();
  // How long epoll may sleep; takes what other threads posted on the way.
  int PrepareToSleep();
  void Signal();

  const int epoll_fd_;
  const int wake_fd_;
  Timers timers_;
  std::vector<Work> posted_;
  std::vector<Work> running_;     // kept for its capacity
  std::vector<Delayed> delayed_;  // a heap by Later
  uint64_t next_order_ = 0;
  std::atomic<TimePoint> turn_began_{kAsleep};
  std::vector<BlockingWork> blocking_;
  // How often work that may block has begun and ended, so it is odd in between: who makes it even has the
  // loop.
  std::atomic<uint64_t> blocks_{0};

  std::thread spare_;  // the second thread; made when it is first needed
  std::atomic<bool> spare_sleeps_{false};
  base::Mutex spare_mu_;
  base::CondVar spare_wakes_;
  bool over_ GUARDED_BY(spare_mu_) = false;

  base::Mutex mu_;
  std::vector<Work> remote_ GUARDED_BY(mu_);
  bool asleep_ GUARDED_BY(mu_) = false;  // in epoll_wait: a post must signal
  bool stopped_ GUARDED_BY(mu_) = false;
};

}  // namespace keelson::net
