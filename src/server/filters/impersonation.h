// kubectl --as: acting as someone else, for those who may impersonate.
#pragma once

#include <optional>

#include "auth/authorizer.h"
#include "server/exchange.h"

namespace keelson::server {

class ImpersonationFilter {
 public:
  // Borrows `authorizer`.
  explicit ImpersonationFilter(auth::Authorizer& authorizer) : authorizer_(authorizer) {}

  // Replaces `user` by whom the Impersonate-* headers name and removes them, or gives the
  // answer. Every name, group, uid and extra value is authorized on its own.
  // Requires: exchange.user.
  base::Task<std::optional<net::http::Response>> Apply(Exchange& exchange) const;

 private:
  auth::Authorizer& authorizer_;
};

}  // namespace keelson::server
