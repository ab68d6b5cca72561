#include "server/filters/authentication.h"

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
  auto outcome = co_await authenticator_.Authenticate(incoming.request);
  if (!outcome || !*outcome) {
    if (!outcome && base::LogEnabled(base::LogLevel::kDebug))
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

}  // namespace keelson::server
