// Kubeconfig files, as webhooks are configured by them: which server, whom to trust, who we are.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "auth/pki/certificate.h"

namespace keelson::auth::pki {

// Where the current context of a kubeconfig leads. Of a value and a file that holds it, the value counts.
struct KubeconfigClient {
  std::string server_url;
  std::string ca_pem;  // empty: the system's authorities
  bool insecure_skip_tls_verify = false;
  std::string certificate_pem, key_pem;  // both or neither
  std::string bearer_token, username, password;
  std::filesystem::path token_file;  // that the token was read from; empty: it was not
};

// The content of a file that the kubeconfig names.
using ReadNamedFile = std::function<Result<std::string>(const std::string& name)>;

// Errors say what is missing; what would make the client ask another way than
// the file says (an exec plug-in, a proxy, another server name) is one.
Result<KubeconfigClient> ParseKubeconfig(std::string_view text, const ReadNamedFile& read_file);
// Files are found relative to the kubeconfig; `token_file` is a path for this process.
Result<KubeconfigClient> ReadKubeconfig(const std::filesystem::path& file);

}  // namespace keelson::auth::pki
