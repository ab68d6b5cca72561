#include "server/filters/authentication.h"

#include <chrono>
#include <ctime>

#include "base/log.h"
#include "endpoints/respond.h"

namespace keelson::server {
namespace {

// Nobody behind this filter is to see a secret, or to believe what only a trusted front
// proxy may say.
bool IsCredential(std::string_view header) {
  return header == "authorization" || header == "x-remote-user" || header == "x-remote-uid" ||
         header == "x-remote-group" || header.starts_with("x-remote-extra-");
}

}  // namespace

base::Task<std::optional<net::http::Response>> AuthenticationFilter::Apply(IncomingRequest& incoming) const {
  const auto start = std::chrono::steady_clock::now();
  auth::Remarks remarks;
  auto outcome = co_await authenticator_.Authenticate(incoming.request, remarks);
  if (!remarks.empty()) incoming.remarks = std::make_unique<auth::Remarks>(std::move(remarks));
  if (metrics_) Count(incoming.request, outcome, std::chrono::steady_clock::now() - start);
  if (!outcome || !*outcome) {
    if (!outcome && base::LogEnabled(base::kDebugVerbosity))
      base::Log(base::LogLevel::kDebug, "unable to authenticate the request",
                {{"why", outcome.error()}, {"path", incoming.info.path}, {"auditID", incoming.audit_id}});
    co_return endpoints::StatusResponse(api::Unauthorized("Unauthorized"), incoming.accept());
  }
  incoming.user = std::move(*outcome);
  incoming.request.headers.RemoveIf(
      [this](std::string_view header) { return IsCredential(header) || proxy_headers_.Has(header); });
  const bool anonymous = incoming.user->name == auth::kAnonymousUser;
  if (!anonymous && incoming.request.connection) incoming.request.connection->authenticated = true;
  auth::RemoveTokenProtocol(incoming.request.headers);
  co_return std::nullopt;
}

void AuthenticationFilter::Count(const net::http::Request& request,
                                 const auth::Authenticator::Outcome& outcome,
                                 std::chrono::nanoseconds took) const {
  if (request.connection && request.connection->peer_certificate)
    metrics_->Seen(*request.connection->peer_certificate, std::time(nullptr));
  metrics_->Finished(outcome, took);
}

}  // namespace keelson::server
