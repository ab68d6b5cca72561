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

base::Task<std::optional<net::http::Response>> AuthenticationFilter::Apply(Exchange& exchange) const {
  const auto start = std::chrono::steady_clock::now();
  auto outcome = co_await authenticator_.Authenticate(exchange.request);
  if (metrics_) Count(exchange.request, outcome, std::chrono::steady_clock::now() - start);
  if (!outcome || !*outcome) {
    if (!outcome && base::LogEnabled(base::LogLevel::kDebug))
      base::Log(base::LogLevel::kDebug, "unable to authenticate the request",
                {{"why", outcome.error()}, {"path", exchange.info.path}, {"auditID", exchange.audit_id}});
    co_return endpoints::StatusResponse(api::Unauthorized("Unauthorized"), exchange.accept());
  }
  exchange.user = std::move(*outcome);
  exchange.request.headers.RemoveIf(
      [this](std::string_view header) { return IsCredential(header) || proxy_headers_.Has(header); });
  const bool anonymous = exchange.user->name == auth::kAnonymousUser;
  if (!anonymous && exchange.request.connection) exchange.request.connection->authenticated = true;
  auth::RemoveTokenProtocol(exchange.request.headers);
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
