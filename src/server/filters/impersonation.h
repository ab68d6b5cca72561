// kubectl --as: acting as someone else, for those who may impersonate.
#pragma once

#include <optional>

#include "auth/authorizer.h"
#include "server/filters/impersonation_modes.h"
#include "server/incoming_request.h"

namespace keelson::server {

class ImpersonationFilter {
 public:
  // Borrows `authorizer`.
  explicit ImpersonationFilter(auth::Authorizer& authorizer) : authorizer_(authorizer) {}

  // Replaces `user` by whom the Impersonate-* headers name and removes them, or gives the answer. The modes
  // of impersonation_modes.h are tried one after the other; when all refuse, the first refusal is the answer.
  // Requires: incoming.user.
  base::Task<std::optional<net::http::Response>> Apply(IncomingRequest& incoming);

 private:
  auth::Authorizer& authorizer_;
  LastModes last_modes_;
};

}  // namespace keelson::server
