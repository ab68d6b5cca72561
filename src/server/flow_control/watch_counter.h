// WatchCounter: how many watches a write concerns, by what each of them watches: a resource, in one namespace
// or all, one object or all.
//
// Watches on pods of one node are left out, as upstream does: a write concerns few of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/mutex.h"
#include "base/string_hash.h"
#include "endpoints/request_info.h"

namespace keelson::server::flow_control {

// Threads: any.
class WatchCounter {
 public:
  // One watch, for as long as it lives. The counter outlives it.
  class Counted {
   public:
    Counted() = default;
    Counted(Counted&& o) noexcept : counter_(o.counter_), key_(std::move(o.key_)) { o.counter_ = nullptr; }
    Counted& operator=(Counted&& o) noexcept {
      std::swap(counter_, o.counter_);
      std::swap(key_, o.key_);
      return *this;
    }
    ~Counted() {
      if (counter_) counter_->Forget(key_);
    }

   private:
    friend class WatchCounter;
    Counted(WatchCounter& counter, std::string key) : counter_(&counter), key_(std::move(key)) {}
    WatchCounter* counter_ = nullptr;
    std::string key_;
  };

  // `query` as sent.
  [[nodiscard]] Counted Add(const endpoints::RequestInfo& info, std::string_view query);
  // Watches that a write concerns.
  int64_t CountFor(const endpoints::RequestInfo& info) const;

 private:
  void Forget(const std::string& key);

  mutable base::Mutex mu_;
  std::unordered_map<std::string, int64_t, base::StringHash, std::equal_to<>> watches_ GUARDED_BY(mu_);
};

}  // namespace keelson::server::flow_control
