#include "auth/pki/kubeconfig.h"

#include "base/base64.h"
#include "base/file.h"

namespace keelson::auth::pki {

using base::Base64;

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
