// For the tests here: a loop that runs when it is told, and short forms of requests.
#pragma once

#include <deque>
#include <optional>
#include <string_view>
#include <utility>

#include "base/executor.h"
#include "base/mutex.h"
#include "base/slice.h"
#include "etcd/messages.h"

namespace keelson::etcd {

// Threads: any may post; the test runs it.
class ManualLoop final : public base::Executor {
 public:
  void Post(Work work) override {
    base::MutexLock lock(mu_);
    posted_.push_back(std::move(work));
  }
  void PostAfter(std::chrono::nanoseconds, Work) override {}

  void Run() {
    SetCurrent(this);
    while (auto work = Next()) (*work)();
    SetCurrent(nullptr);
  }

 private:
  std::optional<Work> Next() {
    base::MutexLock lock(mu_);
    if (posted_.empty()) return std::nullopt;
    Work work = std::move(posted_.front());
    posted_.pop_front();
    return work;
  }

  base::Mutex mu_;
  std::deque<Work> posted_ GUARDED_BY(mu_);
};

inline TxnRequest OnlyDo(Operation operation) {
  TxnRequest request;
  request.success.push_back(std::move(operation));
  return request;
}
inline PutRequest PutOf(std::string_view key, std::string_view value, LeaseId lease = 0) {
  return {.key = key, .value = base::Slice::Copy(value), .lease = lease};
}

}  // namespace keelson::etcd
