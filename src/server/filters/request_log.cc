#include "server/filters/request_log.h"

#include <utility>

#include "api/codec/time_format.h"
#include "base/log.h"
#include "server/filters/request_metrics.h"

namespace keelson::server {
namespace {

constexpr int kHttpVerbosity = 3;
constexpr size_t kLongestName = 64;  // of audit ids and of objects, as upstream

std::string GoDuration(std::chrono::nanoseconds time) {
  char buf[api::kMaxDurationSize];
  return std::string(buf, api::FormatDuration(time.count(), buf));
}

// "10.0.0.1:41234", "[fd00::1]:41234".
std::string Source(const net::http::Request& request) {
  if (!request.connection) return "";
  const std::string& address = request.connection->remote_address;
  const std::string port = ":" + std::to_string(request.connection->remote_port);
  return address.contains(':') ? "[" + address + "]" + port : address + port;
}

// Upstream's line by its names.
void LogHttp(const IncomingRequest& incoming, int code, std::chrono::nanoseconds took) {
  const LoggedHead head = incoming.logged_head ? *incoming.logged_head : LoggedHead(incoming);
  const base::LogField verb("verb", VerbLabel(incoming, ScopeLabel(incoming.info))), uri("URI", head.uri),
      latency("latency", GoDuration(took)), agent("userAgent", head.user_agent),
      audit_id("audit-ID", std::string_view(incoming.audit_id).substr(0, kLongestName)),
      source("srcIP", Source(incoming.request)), status("resp", code);
  if (!incoming.ticket)
    return base::LogV(kHttpVerbosity, "HTTP", {verb, uri, latency, agent, audit_id, source, status});
  const auto& schema = incoming.ticket->schema();
  const auto& work = incoming.ticket->work();
  base::LogV(kHttpVerbosity, "HTTP",
             {verb,
              uri,
              latency,
              agent,
              audit_id,
              source,
              {"apf_pl", std::string_view(schema.level).substr(0, kLongestName)},
              {"apf_fs", std::string_view(schema.name).substr(0, kLongestName)},
              {"apf_iseats", work.initial_seats},
              {"apf_fseats", work.final_seats},
              {"apf_additionalLatency", GoDuration(work.additional_latency)},
              status});
}

}  // namespace

bool LogsEveryRequest() { return base::LogEnabled(kHttpVerbosity); }

void LogFinished(const IncomingRequest& incoming, int code, std::chrono::nanoseconds took) {
  if (LogsEveryRequest()) LogHttp(incoming, code, took);
  const bool failed = code >= 500 && !incoming.failure_is_told;
  const bool slow = took > kSlowRequest && !incoming.long_running;
  if (!failed && !slow) return;
  // The path without its query, which may carry secrets of proxied services.
  base::Log(
      failed ? base::LogLevel::kError : base::LogLevel::kWarning, failed ? "request failed" : "slow request",
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
