// JwtIssuers: users from the JSON web tokens of OpenID providers, as an AuthenticationConfiguration says.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "auth/authn/authentication_config.h"
#include "auth/authn/authenticators.h"
#include "auth/authn/remote.h"

namespace keelson::auth {

struct JwtIssuersOptions {
  std::vector<std::string> algorithms;          // that tokens may be signed by
  std::vector<std::string> audiences;           // of this server: what the tokens count for
  std::vector<std::string> disallowed_issuers;  // this server's own
  MakeRemoteClient make_client;
  const base::Clock* clock = &base::Clock::Real();
};

// Threads: any event loop. Providers are asked when the first token comes; until one answers, its tokens are
// errors.
class JwtIssuers : public TokenAuthenticator {
 public:
  // Takes another configuration, once every provider in it has answered; an error says why it does not, and
  // the old one stays.
  virtual base::Task<base::Result<void, std::string>> Replace(AuthenticationConfig config) = 0;
};

// The error is everything that is wrong with `config`, in upstream's words.
base::Result<std::unique_ptr<JwtIssuers>, std::string> MakeJwtIssuers(const AuthenticationConfig& config,
                                                                      JwtIssuersOptions options);

}  // namespace keelson::auth
