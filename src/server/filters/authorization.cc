#include "server/filters/authorization.h"

#include "api/validation/quote.h"
#include "auth/forbidden.h"
#include "base/log.h"
#include "endpoints/request_attributes.h"
#include "endpoints/respond.h"
#include "server/text_response.h"

namespace keelson::server {
namespace {

// Plain text, as upstream answers when it cannot find out.
net::http::Response InternalErrorResponse(const Exchange& exchange, std::string_view error) {
  std::string target(exchange.request.path);
  if (!exchange.request.query.empty()) (target += '?') += exchange.request.query;
  std::string text =
      auth::WithoutMarkup("Internal Server Error: " + api::Quoted(target) + ": " + std::string(error));
  base::Log(base::LogLevel::kWarning, "a request could not be authorized", {{"why", error}});
  net::http::Response response = TextResponse(500, text + "\n");
  response.headers.Set("x-content-type-options", "nosniff");
  return response;
}

}  // namespace

net::http::Response ForbiddenResponse(const auth::Attributes& attributes, std::string_view reason,
                                      std::string_view accept) {
  const api::GroupResource resource{attributes.group, attributes.resource};
  const api::Status status =
      api::Forbidden(resource, attributes.name, auth::ForbiddenMessage(attributes, reason));
  net::http::Response response = endpoints::StatusResponse(status, accept);
  response.headers.Set("x-content-type-options", "nosniff");
  return response;
}

base::Task<std::optional<net::http::Response>> AuthorizationFilter::Apply(Exchange& exchange) const {
  const endpoints::RequestAttributes attributes(exchange.info, exchange.request.query, exchange.user.get());
  std::optional<auth::Verdict> verdict = authorizer_.AuthorizeNow(*attributes);
  if (!verdict) verdict = co_await authorizer_.Authorize(*attributes);
  // Some can fail to find out a part and allow it all the same.
  if (verdict->decision == auth::Decision::kAllow) co_return std::nullopt;
  if (!verdict->error.empty()) co_return InternalErrorResponse(exchange, verdict->error);
  co_return ForbiddenResponse(*attributes, verdict->reason, exchange.accept());
}

}  // namespace keelson::server
