// Credentials: what the server proves itself with and whom it believes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/authorization.h"
#include "app/config.h"
#include "app/data_dir.h"
#include "app/remote_authentication.h"
#include "app/serving_tls.h"
#include "auth/authenticator.h"
#include "auth/authn/authenticators.h"
#include "auth/authn/token_secrets.h"
#include "auth/pki/token_key.h"
#include "auth/token_issuer.h"
#include "base/result.h"
#include "client/client.h"

namespace keelson::app {

struct Credentials {
  auth::pki::Pki pki;  // of the server's own, where it has made any
  ServingTls serving;
  std::unique_ptr<auth::ServiceAccountMetrics> service_account_metrics;
  std::unique_ptr<const auth::TokenCacheMetrics> token_cache_metrics;  // null: no answers are kept
  std::unique_ptr<auth::TokenSecrets> token_secrets;
  std::unique_ptr<auth::TokenAuthenticator> tokens;         // borrows the metrics and the secrets
  std::unique_ptr<ConfigReloader> authentication_reloader;  // borrows from `tokens`; null: nothing to do
  std::unique_ptr<auth::Authenticator> authenticator;       // borrows `tokens`
  auth::FrontProxyHeaders front_proxy_headers;              // that `authenticator` understands
  Authorization authorization;
  std::unique_ptr<auth::TokenIssuer> token_issuer;
  std::vector<auth::pki::TokenKey> service_account_keys;  // that tokens are checked with
  std::vector<std::string> issuers, api_audiences;        // of service account tokens

  // For admin.kubeconfig; none when --client-ca-file trusts somebody else's certificates.
  struct Admin {
    std::string trusted_pem, certificate_pem, key_pem;
  };
  std::optional<Admin> admin;
};

// What tokens are checked against. Borrowed.
struct StoredCredentials {
  const client::Client& objects;
  net::outbound::Resolver& resolver;  // for providers and webhooks
};

// Reads the files that `config` names, and makes in `dir` what it does not. Tokens are
// checked against what is stored.
base::Result<Credentials, std::string> LoadCredentials(const Config& config, const DataDir& dir,
                                                       const StoredCredentials& stored,
                                                       base::Metrics& metrics);

// The address in URLs for clients on this machine.
std::string LocalUrl(const Config& config, uint16_t port);

// Writes `dir`'s admin.kubeconfig. Requires: credentials.admin.
base::Result<void, std::string> WriteAdminKubeconfig(const Credentials& credentials, const DataDir& dir,
                                                     const std::string& url);

}  // namespace keelson::app
