#include "server/filters/request_log.h"

#include "base/log.h"

namespace keelson::server {

void LogFinished(const IncomingRequest& incoming, int code, std::chrono::nanoseconds took) {
  const bool failed = code >= 500 && !incoming.failure_is_told;
  const bool slow = took > kSlowRequest && !incoming.long_running;
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
      {{"verb", incoming.info.verb},
       {"path", incoming.info.path},
       {"user", incoming.user ? std::string_view(incoming.user->name) : std::string_view()},
       {"code", code},
       {"ms", std::chrono::duration_cast<std::chrono::milliseconds>(took).count()},
       {"auditID", incoming.audit_id},
       {"from", incoming.request.connection ? std::string_view(incoming.request.connection->remote_address)
                                            : std::string_view()}});
}

}  // namespace keelson::server
