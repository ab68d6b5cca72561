// Who is it? 401 when credentials are wrong, or missing where nobody may be anonymous.
#pragma once

#include <optional>

#include "auth/authenticator.h"
#include "server/exchange.h"

namespace keelson::server {

class AuthenticationFilter {
 public:
  // Borrows `authenticator`.
  explicit AuthenticationFilter(auth::Authenticator& authenticator) : authenticator_(authenticator) {}

  // Sets `user` and removes the credentials from the request, or gives the answer.
  base::Task<std::optional<net::http::Response>> Apply(Exchange& exchange) const;

 private:
  auth::Authenticator& authenticator_;
};

}  // namespace keelson::server
