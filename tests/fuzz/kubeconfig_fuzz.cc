// Kubeconfig files and authentication configurations.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "auth/authn/authentication_config.h"
#include "auth/pki/kubeconfig_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace keelson::auth;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto client = pki::ParseKubeconfig(
      text, [](const std::string& name) { return pki::Result<std::string>("file " + name); });
  if (client && (client->server_url.empty() || client->certificate_pem.empty() != client->key_pem.empty()))
    std::abort();
  if (!client && client.error().empty()) std::abort();
  const auto config = ParseAuthenticationConfig(text);
  if (!config && config.error().empty()) std::abort();
  return 0;
}
