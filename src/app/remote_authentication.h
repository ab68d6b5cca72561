// Tokens that others vouch for: OpenID providers and a webhook.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/config.h"
#include "app/config_reloader.h"
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

// Takes the file of --authentication-config anew whenever it changes. Borrows `issuers` and `metrics`.
std::unique_ptr<ConfigReloader> ReloadAuthentication(const std::filesystem::path& file,
                                                     const AuthenticationSettings& first,
                                                     auth::JwtIssuers& issuers, base::Metrics& metrics);

}  // namespace keelson::app
