// /healthz, /livez and /readyz, each check on its own path below, ?verbose and ?exclude=. A check is logged
// when it begins to fail and when it is well again, not each time it is asked. What the pages found is
// counted
// (/metrics/slis).
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/result.h"
#include "server/router.h"

namespace keelson::server {

// Threads: filled at the start; then checks are asked from any loop, so they must not block.
class HealthChecks {
 public:
  // `slis` takes the results of the pages. Borrowed, both.
  explicit HealthChecks(base::Metrics& slis, const base::Clock& clock = base::Clock::Real())
      : slis_(slis), clock_(clock), begun_(clock.SteadyNow()) {}

  // An error is the reason; the public pages withhold it.
  using Check = std::function<base::Result<void, std::string>()>;

  enum class Scope : uint8_t {
    kAlways,        // part of all three pages
    kBootSequence,  // likewise, but a server that is starting is alive: /livez asks after a grace period
    kNotLiveness,   // of all but /livez
    kReadiness,     // of /readyz alone
  };
  // `group`: a name that excludes the check too, with others; empty: none.
  void Add(std::string name, Scope scope, Check check, std::string group = {});

  // How long after the making of this /livez does not ask for kBootSequence; without it, it never does.
  void SetLivezGracePeriod(std::chrono::nanoseconds period) { livez_grace_period_ = period; }

  // Nothing may be added afterwards; outlives the router.
  void Install(Router& router);

 private:
  static constexpr size_t kPages = 3;
  // What a page found of a check.
  struct Results {
    base::Gauge* healthy = nullptr;
    base::Counter *successes = nullptr, *errors = nullptr;
    void Count(bool success) const;
  };
  struct Named {
    std::string name;
    Scope scope;
    Check check;
    std::string group;
    std::array<Results, kPages> results = {};
    std::atomic<bool> failing{false};  // as last logged
  };
  base::Result<void, std::string> Ask(Named& check, size_t page) const;
  bool InGracePeriod() const;
  static bool Shows(size_t page, Scope scope);
  net::http::Response Page(size_t page, IncomingRequest& incoming);

  base::Metrics& slis_;
  const base::Clock& clock_;
  const base::Clock::SteadyTime begun_;
  std::optional<std::chrono::nanoseconds> livez_grace_period_;
  std::deque<Named> checks_;
};

}  // namespace keelson::server
