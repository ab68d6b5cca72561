// Asking a running server for a service account's token. The server issues it and nobody else: it knows the
// account's uid, its own name as an issuer, its key and the longest life of a token.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/pki/kubeconfig_reader.h"
#include "base/result.h"

namespace keelson::cmd {

struct ServiceAccountName {
  std::string ns, name;
};
// "namespace/name".
base::Result<ServiceAccountName, std::string> ParseServiceAccount(std::string_view text);

struct TokenDemand {
  ServiceAccountName account;
  std::optional<std::chrono::seconds> lifetime;  // none: as the server likes
  std::vector<std::string> audiences;            // none: the server itself
};
struct IssuedToken {
  std::string token;
  std::string expires;  // RFC 3339
};

// Errors say what the server said, or why it could not be asked.
base::Result<IssuedToken, std::string> RequestToken(const auth::pki::KubeconfigClient& as,
                                                    const TokenDemand& demand);

// Where the administrator's kubeconfig of a data directory leads. The error says what to do when there is
// none.
base::Result<auth::pki::KubeconfigClient, std::string> ReadAdminKubeconfig(
    const std::filesystem::path& data_dir);

// Says on stderr that the server gave less than was asked for.
void WarnOfShorterLife(const TokenDemand& demand, const IssuedToken& issued);

}  // namespace keelson::cmd
