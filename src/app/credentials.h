// Credentials: what the server proves itself with and whom it believes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/config.h"
#include "app/data_dir.h"
#include "auth/authenticator.h"
#include "auth/authorizer.h"
#include "auth/pki/token_key.h"
#include "auth/token_issuer.h"
#include "base/result.h"
#include "client/client.h"
#include "net/server.h"

namespace keelson::app {

struct Credentials {
  net::TlsConfig tls;
  std::unique_ptr<auth::TokenAuthenticator> tokens;
  std::unique_ptr<auth::Authenticator> authenticator;  // borrows `tokens`
  std::unique_ptr<auth::Authorizer> authorizer;
  std::unique_ptr<auth::TokenIssuer> token_issuer;
  std::vector<auth::pki::TokenKey> service_account_keys;  // that tokens are checked with
  std::string root_ca_pem;                                // what clients check the serving certificate with
  std::vector<std::string> issuers, api_audiences;        // of service account tokens

  // For admin.kubeconfig; none when --client-ca-file trusts somebody else's certificates.
  struct Admin {
    std::string trusted_pem, certificate_pem, key_pem;
  };
  std::optional<Admin> admin;
};

// Reads the files that `config` names, and makes in `dir` what it does not. Tokens are
// checked against `objects`, which is borrowed.
base::Result<Credentials, std::string> LoadCredentials(const Config& config, const DataDir& dir,
                                                       const client::Client& objects);

// The address in URLs for clients on this machine.
std::string LocalUrl(const Config& config, uint16_t port);

// Writes `dir`'s admin.kubeconfig. Requires: credentials.admin.
base::Result<void, std::string> WriteAdminKubeconfig(const Credentials& credentials, const DataDir& dir,
                                                     const std::string& url);

}  // namespace keelson::app
