#include "server/filters/request_log.h"

#include "base/log.h"

namespace keelson::server {

void LogFinished(const Exchange& exchange, int code, std::chrono::nanoseconds took) {
  const bool failed = code >= 500 && !exchange.failure_is_told;
  const bool slow = took > kSlowRequest && !exchange.long_running;
  const auto level = failed ? base::LogLevel::kError
                     : slow ? base::LogLevel::kWarning
                            : base::LogLevel::kDebug;
  if (!base::LogEnabled(level)) return;
  // The path without its query, which may carry secrets of proxied services.
  base::Log(
      level,
      failed ? "request failed"
      : slow ? "slow request"
             : "request",
      {{"verb", exchange.info.verb},
       {"path", exchange.info.path},
       {"user", exchange.user ? std::string_view(exchange.user->name) : std::string_view()},
       {"code", code},
       {"ms", std::chrono::duration_cast<std::chrono::milliseconds>(took).count()},
       {"auditID", exchange.audit_id},
       {"from", exchange.request.connection ? std::string_view(exchange.request.connection->remote_address)
                                            : std::string_view()}});
}

}  // namespace keelson::server
