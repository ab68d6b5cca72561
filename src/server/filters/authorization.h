// May they? 403 with upstream's words when not.
#pragma once

#include <optional>

#include "auth/authorizer.h"
#include "server/filters/authorization_metrics.h"
#include "server/incoming_request.h"

namespace keelson::server {

class AuthorizationFilter {
 public:
  // Borrows all.
  AuthorizationFilter(auth::Authorizer& authorizer, base::Metrics& metrics)
      : authorizer_(authorizer), metrics_(metrics) {}

  // Nothing, or the answer. Requires: incoming.user.
  base::Task<std::optional<net::http::Response>> Apply(IncomingRequest& incoming) const;

 private:
  auth::Authorizer& authorizer_;
  const AuthorizationMetrics metrics_;
};

// The 403 for `attributes`.
net::http::Response ForbiddenResponse(const auth::Attributes& attributes, std::string_view reason,
                                      std::string_view accept);

}  // namespace keelson::server
