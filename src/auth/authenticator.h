// Authenticator: who sent this request?
#pragma once

#include <optional>
#include <string>

#include "auth/user.h"
#include "base/result.h"
#include "base/task.h"

namespace keelson::net::http {
struct Request;
}

namespace keelson::auth {

// Threads: any. An error means credentials were offered and are wrong; nullopt that none
// of this kind were offered, so the next authenticator may try.
class Authenticator {
 public:
  virtual ~Authenticator() = default;
  virtual base::Task<base::Result<std::optional<User>, std::string>> Authenticate(
      const net::http::Request& request) = 0;
};

}  // namespace keelson::auth
