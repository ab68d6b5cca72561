// Authenticator: who sent this request?
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "auth/remarks.h"
#include "auth/user.h"
#include "base/result.h"
#include "base/task.h"

namespace keelson::net::http {
struct Request;
}

namespace keelson::auth {

// Threads: any. `request` and `remarks`, which are added to whatever the outcome is, outlive the task. An
// error means credentials were offered and are wrong; null that none of this kind were offered, so the next
// authenticator may try. Errors are for the log; clients hear "Unauthorized" and no more.
class Authenticator {
 public:
  using Outcome = base::Result<UserPtr, std::string>;

  virtual ~Authenticator() = default;
  virtual base::Task<Outcome> Authenticate(const net::http::Request& request, Remarks& remarks) = 0;
};

// What is wrong with a token that nobody knows.
inline constexpr std::string_view kInvalidBearerToken = "invalid bearer token";

// TokenAuthenticator: whose bearer token is this?
//
// Threads: any. `token`, `audiences` and `remarks` outlive the task. Remarks and errors as above; a null user
// means that the token is not of this kind.
class TokenAuthenticator {
 public:
  struct Known {
    UserPtr user;
    std::vector<std::string> audiences;  // those asked for that the token is meant for
  };
  using Outcome = base::Result<Known, std::string>;

  virtual ~TokenAuthenticator() = default;
  // `audiences`: a token meant for none of them is refused.
  virtual base::Task<Outcome> AuthenticateToken(std::string_view token,
                                                std::span<const std::string> audiences, Remarks& remarks) = 0;
};

}  // namespace keelson::auth
