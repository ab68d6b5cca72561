// Authenticator: who sent this request?
#pragma once

#include <string>

#include "auth/user.h"
#include "base/result.h"
#include "base/task.h"

namespace keelson::net::http {
struct Request;
}

namespace keelson::auth {

// Threads: any. `request` outlives the task. An error means credentials were offered and
// are wrong; null that none of this kind were offered, so the next authenticator may try.
// Errors are for the log; clients hear "Unauthorized" and no more.
class Authenticator {
 public:
  using Outcome = base::Result<UserPtr, std::string>;

  virtual ~Authenticator() = default;
  virtual base::Task<Outcome> Authenticate(const net::http::Request& request) = 0;
};

}  // namespace keelson::auth
