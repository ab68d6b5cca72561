#include "audit/errors.h"

#include "base/log.h"

namespace keelson::audit {
namespace {

constexpr std::chrono::seconds kBetweenLines{1};

}  // namespace

Errors::Errors(base::Metrics& metrics, std::string_view plugin)
    : counter_(metrics.GetCounter("apiserver_audit_error_total",
                                  "Counter of audit events that failed to be audited properly. Plugin "
                                  "identifies the plugin affected by the error.",
                                  {{"plugin", std::string(plugin)}})),
      plugin_(plugin),
      told_at_(std::chrono::steady_clock::now() - kBetweenLines) {}

void Errors::Lost(size_t events, std::string_view why) {
  counter_.Add(events);
  size_t lost = 0;
  {
    base::MutexLock lock(mu_);
    untold_ += events;
    const auto now = std::chrono::steady_clock::now();
    if (now - told_at_ < kBetweenLines) return;
    told_at_ = now;
    lost = std::exchange(untold_, 0);
  }
  base::Log(base::LogLevel::kError, "audit events are lost",
            {{"plugin", plugin_}, {"events", static_cast<int64_t>(lost)}, {"why", why}});
}

}  // namespace keelson::audit
