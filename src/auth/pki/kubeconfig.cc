#include "auth/pki/kubeconfig.h"

#include "api/validation/quote.h"
#include "base/base64.h"
#include "base/file.h"

namespace keelson::auth::pki {

namespace {

std::string CredentialOf(const Kubeconfig& config) {
  if (!config.token.empty()) return "    token: " + api::Quoted(config.token) + "\n";
  return "    client-certificate-data: " + base::Base64(config.client.certificate_pem) +
         "\n"
         "    client-key-data: " +
         base::Base64(config.client.key_pem) + "\n";
}

}  // namespace

std::string RenderKubeconfig(const Kubeconfig& config) {
  // A quoted string of Go is one of YAML too.
  const std::string user = api::Quoted(config.user), context = api::Quoted(config.context);
  return "apiVersion: v1\n"
         "kind: Config\n"
         "clusters:\n"
         "- name: keelson\n"
         "  cluster:\n"
         "    certificate-authority-data: " +
         base::Base64(config.ca_pem) +
         "\n"
         "    server: " +
         config.server_url +
         "\n"
         "contexts:\n"
         "- name: " +
         context +
         "\n"
         "  context:\n"
         "    cluster: keelson\n"
         "    user: " +
         user +
         "\n"
         "current-context: " +
         context +
         "\n"
         "users:\n"
         "- name: " +
         user +
         "\n"
         "  user:\n" +
         CredentialOf(config);
}

Result<void> WriteKubeconfig(const std::filesystem::path& file, const Kubeconfig& config) {
  const std::string text = RenderKubeconfig(config);
  if (auto now = base::ReadFile(file); now && *now == text) return {};
  return base::WriteFileAtomically(file, text, 0600);
}

}  // namespace keelson::auth::pki
