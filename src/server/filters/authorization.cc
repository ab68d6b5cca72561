#include "server/filters/authorization.h"

#include <chrono>

#include "auth/forbidden_message.h"
#include "base/log.h"
#include "endpoints/request_attributes.h"
#include "endpoints/respond.h"
#include "server/text_response.h"

namespace keelson::server {
namespace {

constexpr std::string_view kDecisionKey = "authorization.k8s.io/decision";
constexpr std::string_view kReasonKey = "authorization.k8s.io/reason";

// What the audit log tells of a decision. Nobody else is told why something is allowed.
void Annotate(audit::Event& event, auth::Verdict& verdict) {
  const bool allowed = verdict.decision == auth::Decision::kAllow;
  if (allowed || verdict.error.empty()) {
    event.Annotate(kDecisionKey, allowed ? "allow" : "forbid");
    event.Annotate(kReasonKey, allowed ? std::move(verdict.reason) : verdict.reason);
  } else {
    event.Annotate(kReasonKey, "internal error");
  }
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

base::Task<std::optional<net::http::Response>> AuthorizationFilter::Apply(IncomingRequest& incoming) const {
  endpoints::RequestAttributes attributes(incoming.info, incoming.request.query, incoming.user.get());
  const auto start = std::chrono::steady_clock::now();
  if (incoming.audit) attributes.WantReason();
  std::optional<auth::Verdict> verdict = authorizer_.AuthorizeNow(*attributes);
  if (!verdict) verdict = co_await authorizer_.Authorize(*attributes);
  const auto took = std::chrono::steady_clock::now() - start;
  metrics_.Finished(*verdict, took);
  if (incoming.audit) {
    incoming.audit->latencies.authorization = took;
    Annotate(*incoming.audit, *verdict);
  }
  // Some can fail to find out a part and allow it all the same.
  if (verdict->decision == auth::Decision::kAllow) co_return std::nullopt;
  if (!verdict->error.empty()) {
    base::Log(base::LogLevel::kWarning, "a request could not be authorized", {{"why", verdict->error}});
    co_return InternalErrorText(incoming.request, verdict->error);
  }
  co_return ForbiddenResponse(*attributes, verdict->reason, incoming.accept());
}

}  // namespace keelson::server
