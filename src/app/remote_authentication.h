// Tokens that others vouch for: OpenID providers and a webhook.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/config.h"
#include "auth/authn/jwt_issuers.h"
#include "base/metrics.h"
#include "net/outbound/resolver.h"

namespace keelson::app {

// Makes clients that own all but `resolver`, which must outlive them.
auth::MakeRemoteClient RemoteClients(net::outbound::Resolver& resolver);

// What --authentication-config or the --oidc-* flags say. With the file's text, if there is one.
struct AuthenticationSettings {
  auth::AuthenticationConfig config;
  std::vector<std::string> algorithms;
  std::string text;
};
base::Result<AuthenticationSettings, std::string> LoadAuthenticationSettings(const Config& config);

// Takes the file of --authentication-config anew whenever it changes.
//
// Threads: one run at a time, on an event loop.
class AuthenticationReloader {
 public:
  // Borrows `issuers` and `metrics`.
  AuthenticationReloader(std::filesystem::path file, const AuthenticationSettings& first,
                         auth::JwtIssuers& issuers, base::Metrics& metrics);
  // A file that cannot be taken is told of, once, and tried again.
  base::Task<void> Run();

 private:
  base::Task<base::Result<void, std::string>> Take(std::string text);

  const std::filesystem::path file_;
  const std::optional<auth::AnonymousConfig> anonymous_;
  auth::JwtIssuers& issuers_;
  base::Counter& taken_;
  base::Counter& refused_;
  std::string text_;     // that is in use
  std::string problem_;  // that was told last
};

}  // namespace keelson::app
