// Who is it? 401 when credentials are wrong, or missing where nobody may be anonymous.
#pragma once

#include <optional>

#include "auth/authn/authenticators.h"
#include "server/incoming_request.h"

namespace keelson::server {

class AuthenticationFilter {
 public:
  // Borrows `authenticator`. `proxy_headers`: what front proxies say besides the usual X-Remote-*.
  explicit AuthenticationFilter(auth::Authenticator& authenticator,
                                auth::FrontProxyHeaders proxy_headers = {})
      : authenticator_(authenticator), proxy_headers_(std::move(proxy_headers)) {}

  // Sets `user` and removes the credentials from the request, or gives the answer.
  base::Task<std::optional<net::http::Response>> Apply(IncomingRequest& incoming) const;

 private:
  auth::Authenticator& authenticator_;
  const auth::FrontProxyHeaders proxy_headers_;
};

}  // namespace keelson::server
