#include "auth/pki/kubeconfig.h"

#include <openssl/evp.h>

#include "base/file.h"

namespace keelson::auth::pki {
namespace {

std::string Base64(std::string_view bytes) {
  std::string out(4 * ((bytes.size() + 2) / 3) + 1, '\0');  // EVP ends the text with a NUL
  const int n =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                      reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  out.resize(static_cast<size_t>(n));
  return out;
}

}  // namespace

std::string RenderKubeconfig(const Kubeconfig& config) {
  return "apiVersion: v1\n"
         "kind: Config\n"
         "clusters:\n"
         "- name: keelson\n"
         "  cluster:\n"
         "    certificate-authority-data: " +
         Base64(config.ca_pem) +
         "\n"
         "    server: " +
         config.server_url +
         "\n"
         "contexts:\n"
         "- name: keelson\n"
         "  context:\n"
         "    cluster: keelson\n"
         "    user: kubernetes-admin\n"
         "current-context: keelson\n"
         "users:\n"
         "- name: kubernetes-admin\n"
         "  user:\n"
         "    client-certificate-data: " +
         Base64(config.client.certificate_pem) +
         "\n"
         "    client-key-data: " +
         Base64(config.client.key_pem) + "\n";
}

Result<void> WriteKubeconfig(const std::filesystem::path& file, const Kubeconfig& config) {
  const std::string text = RenderKubeconfig(config);
  if (auto now = base::ReadFile(file); now && *now == text) return {};
  return base::WriteFileAtomically(file, text, 0600);
}

}  // namespace keelson::auth::pki
