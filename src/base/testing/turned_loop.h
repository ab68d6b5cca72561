// TurnedLoop: an executor whose turns a test runs, one at a time. Work that blocks holds it up.
//
// Threads: Post on any, all else on one at a time.
#pragma once

#include <utility>
#include <vector>

#include "base/executor.h"
#include "base/handoff.h"
#include "base/mutex.h"

namespace keelson::base::testing {

class TurnedLoop final : public Executor, public Handoff {
 public:
  using Work = Executor::Work;

  void Post(Work work) override {
    MutexLock lock(mu_);
    posted_.push_back(std::move(work));
  }
  // Runs it in the next turn, however long the delay is.
  void PostAfter(std::chrono::nanoseconds, Work work) override { Post(std::move(work)); }
  void RunBlocking(Work blocking, Work then) override {
    blocking_.emplace_back(std::move(blocking), std::move(then));
  }

  // Runs what was posted, then what blocks. False: there was nothing.
  bool RunTurn() {
    SetRuns(true);
    auto posted = TakePosted();
    for (Work& work : posted) work();
    auto all = std::exchange(blocking_, {});
    for (auto& [blocking, then] : all) {
      SetRuns(false);
      blocking();
      SetRuns(true);
      then();
    }
    SetRuns(false);
    return !posted.empty() || !all.empty();
  }
  void RunTurns() {
    while (RunTurn()) continue;
  }

 private:
  std::vector<Work> TakePosted() {
    MutexLock lock(mu_);
    return std::exchange(posted_, {});
  }
  void SetRuns(bool runs) {
    Executor::SetCurrent(runs ? this : nullptr);
    Handoff::SetCurrent(runs ? this : nullptr);
  }

  Mutex mu_;
  std::vector<Work> posted_ GUARDED_BY(mu_);
  std::vector<std::pair<Work, Work>> blocking_;
};

}  // namespace keelson::base::testing
