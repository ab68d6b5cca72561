// A loop for tests: runs what was posted when told to, with a clock that is told the time.
#pragma once

#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/executor.h"

namespace keelson::server::testing {

class ManualLoop final : public base::Executor {
 public:
  explicit ManualLoop(base::FakeClock& clock) : clock_(clock) {}
  ~ManualLoop() override {
    // Whoever still ticks must come to rest, or the next test would find it waiting.
    for (int i = 0; i < 100 && !(ready_.empty() && delayed_.empty()); ++i) Advance(std::chrono::hours(1));
  }

  void Post(Work work) override { ready_.push_back(std::move(work)); }
  void PostAfter(std::chrono::nanoseconds delay, Work work) override {
    delayed_.emplace_back(clock_.SteadyNow() + delay, std::move(work));
  }
  void Run() {
    SetCurrent(this);
    while (!ready_.empty())
      for (auto& work : std::exchange(ready_, {})) work();
    SetCurrent(nullptr);
  }
  void Advance(std::chrono::nanoseconds by) {
    clock_.Advance(by);
    auto waiting = std::exchange(delayed_, {});
    for (auto& [when, work] : waiting) {
      if (when <= clock_.SteadyNow())
        ready_.push_back(std::move(work));
      else
        delayed_.emplace_back(when, std::move(work));
    }
    Run();
  }
  size_t delayed() const { return delayed_.size(); }

 private:
  base::FakeClock& clock_;
  std::vector<Work> ready_;
  std::vector<std::pair<base::Clock::SteadyTime, Work>> delayed_;
};

}  // namespace keelson::server::testing
