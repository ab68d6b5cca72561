// ManualLoop: an executor whose time and turns a test decides.
#pragma once

#include <chrono>
#include <deque>
#include <utility>
#include <vector>

#include "base/executor.h"

namespace keelson::controllers {

class ManualLoop final : public base::Executor {
 public:
  void Post(Work work) override { posted_.push_back(std::move(work)); }
  void PostAfter(std::chrono::nanoseconds delay, Work work) override {
    delayed_.emplace_back(now_ + delay, std::move(work));
  }

  // Until nothing is left to do now.
  void Run() {
    while (!posted_.empty()) {
      Work work = std::move(posted_.front());
      posted_.pop_front();
      work();
    }
  }
  void Advance(std::chrono::nanoseconds by) {
    now_ += by;
    auto waiting = std::exchange(delayed_, {});
    for (auto& [when, work] : waiting) {
      if (when <= now_)
        work();
      else
        delayed_.emplace_back(when, std::move(work));
    }
    Run();
  }

 private:
  std::chrono::nanoseconds now_{0};
  std::deque<Work> posted_;
  std::vector<std::pair<std::chrono::nanoseconds, Work>> delayed_;
};

}  // namespace keelson::controllers
