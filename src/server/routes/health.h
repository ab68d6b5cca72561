// /healthz, /livez and /readyz, each check on its own path below, ?verbose and ?exclude=. A check is logged
// when it begins to fail and when it is well again, not each time it is asked.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "server/router.h"

namespace keelson::server {

// Threads: filled at the start; then checks are asked from any loop, so they must not block.
class HealthChecks {
 public:
  // An error is the reason; the public pages withhold it.
  using Check = std::function<base::Result<void, std::string>()>;

  // Part of all three pages, of all but /livez, or of readiness alone.
  enum class Scope : uint8_t { kAlways, kNotLiveness, kReadiness };
  void Add(std::string name, Scope scope, Check check);

  // Nothing may be added afterwards; outlives the router.
  void Install(Router& router);

 private:
  struct Named {
    std::string name;
    Scope scope;
    Check check;
    std::atomic<bool> failing{false};  // as last logged

    base::Result<void, std::string> Ask();
  };
  static bool Shows(std::string_view page, Scope scope);
  net::http::Response Page(std::string_view page, IncomingRequest& incoming);

  std::deque<Named> checks_;
};

}  // namespace keelson::server
