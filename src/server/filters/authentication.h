// Who is it? 401 when credentials are wrong, or missing where nobody may be anonymous.
#pragma once

#include <optional>

#include "auth/authn/authenticators.h"
#include "server/filters/authentication_metrics.h"
#include "server/incoming_request.h"

namespace keelson::server {

class AuthenticationFilter {
 public:
  // Borrows `authenticator` and `metrics` (null: nothing is counted). `proxy_headers`: what front proxies say
  // besides the usual X-Remote-*.
  explicit AuthenticationFilter(auth::Authenticator& authenticator,
                                auth::FrontProxyHeaders proxy_headers = {},
                                AuthenticationMetrics* metrics = nullptr)
      : authenticator_(authenticator), proxy_headers_(std::move(proxy_headers)), metrics_(metrics) {}

  // Sets `user` and `remarks`, and removes the credentials from the request, or gives the answer.
  base::Task<std::optional<net::http::Response>> Apply(IncomingRequest& incoming) const;

 private:
  void Count(const net::http::Request& request, const auth::Authenticator::Outcome& outcome,
             std::chrono::nanoseconds took) const;

  auth::Authenticator& authenticator_;
  const auth::FrontProxyHeaders proxy_headers_;
  AuthenticationMetrics* const metrics_;
};

}  // namespace keelson::server
