// Kubeconfig files that this program writes: what kubectl needs to reach the server as one user.
#pragma once

#include <filesystem>
#include <string>

#include "auth/pki/certificate.h"

namespace keelson::auth::pki {

struct Kubeconfig {
  std::string server_url;
  std::string ca_pem;  // what the client trusts: an authority, or the serving certificate
  // Either proves who the client is; the other is empty.
  KeyPair client;
  std::string token;
  std::string user = "kubernetes-admin";  // what the file calls it
  std::string context = "keelson";
};

std::string RenderKubeconfig(const Kubeconfig& config);

// Writes it with mode 0600, unless the file says the same already.
Result<void> WriteKubeconfig(const std::filesystem::path& file, const Kubeconfig& config);

}  // namespace keelson::auth::pki
