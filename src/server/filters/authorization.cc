#include "server/filters/authorization.h"

#include "auth/authz/authorizers.h"
#include "endpoints/respond.h"

namespace keelson::server {

net::http::Response ForbiddenResponse(const auth::Attributes& attributes, std::string_view reason,
                                      std::string_view accept) {
  const api::GroupResource resource{attributes.group, attributes.resource};
  const api::Status status =
      api::Forbidden(resource, attributes.name, auth::ForbiddenMessage(attributes, reason));
  net::http::Response response = endpoints::StatusResponse(status, accept);
  response.headers.Set("x-content-type-options", "nosniff");
  return response;
}

auth::Attributes RequestAttributes(const Exchange& exchange) {
  const endpoints::RequestInfo& info = exchange.info;
  return {.user = exchange.user.get(),
          .verb = info.verb,
          .resource_request = info.resource_request,
          .group = info.group,
          .version = info.version,
          .resource = info.resource,
          .subresource = info.subresource,
          .ns = info.ns,
          .name = info.name,
          .path = info.path};
}

base::Task<std::optional<net::http::Response>> AuthorizationFilter::Apply(Exchange& exchange) const {
  const auth::Attributes attributes = RequestAttributes(exchange);
  const auth::Verdict verdict = co_await authorizer_.Authorize(attributes);
  if (verdict.decision == auth::Decision::kAllow) co_return std::nullopt;
  co_return ForbiddenResponse(attributes, verdict.reason, exchange.accept());
}

}  // namespace keelson::server
