#include "app/serving_tls.h"

#include <utility>

#include "auth/pki/certificate.h"
#include "base/file.h"

namespace keelson::app {
namespace {

namespace fs = std::filesystem;

// Under the names that kube-apiserver gives them.
fs::path CertificateIn(const fs::path& cert_dir) { return cert_dir / "apiserver.crt"; }
fs::path KeyIn(const fs::path& cert_dir) { return cert_dir / "apiserver.key"; }

base::Result<auth::pki::KeyPair, std::string> ReadPair(const fs::path& certificate_file,
                                                       const fs::path& key_file, const std::string& flag) {
  auth::pki::KeyPair pair;
  pair.certificate_pem = TRY(base::ReadFile(certificate_file));
  pair.key_pem = TRY(base::ReadFile(key_file));
  if (auto ok = auth::pki::CheckPair(pair); !ok)
    return base::Err(flag + " " + certificate_file.string() + ": " + ok.error());
  return pair;
}

// The pair in --cert-dir: `made`, when none is there.
base::Result<auth::pki::KeyPair, std::string> ReadOrWritePair(const fs::path& dir,
                                                              const auth::pki::Pki& made) {
  const fs::path certificate = CertificateIn(dir), key = KeyIn(dir);
  std::error_code error;
  const bool has_certificate = fs::exists(certificate, error);
  const bool has_key = fs::exists(key, error);
  if (has_certificate != has_key)
    return base::Err("--cert-dir: " + (has_key ? certificate : key).string() +
                     " is missing: certificate and key must be supplied as a pair");
  if (has_certificate) return ReadPair(certificate, key, "--cert-dir");
  auth::pki::KeyPair pair{made.server.certificate_pem + made.ca.certificate_pem, made.server.key_pem};
  fs::create_directories(dir, error);
  if (error) return base::Err("--cert-dir: cannot make " + dir.string() + ": " + error.message());
  TRY(base::CreateFileAtomically(key, pair.key_pem, 0600));
  TRY(base::CreateFileAtomically(certificate, pair.certificate_pem, 0644));
  return pair;
}

base::Result<auth::pki::KeyPair, std::string> ServingPair(const Config& config, const auth::pki::Pki& own) {
  if (!config.tls_cert_file.empty())
    return ReadPair(config.tls_cert_file, config.tls_private_key_file, "--tls-cert-file");
  if (!config.cert_dir.empty()) return ReadOrWritePair(config.cert_dir, own);
  return own.server;
}

}  // namespace

base::Result<ServingTls, std::string> LoadServingTls(const Config& config, const auth::pki::Pki& own) {
  ServingTls serving;
  net::TlsConfig& tls = serving.config;
  if (!config.tls_min_version.empty()) tls.min_version = config.tls_min_version;
  tls.cipher_suites = config.tls_cipher_suites;
  tls.curves = config.tls_curve_preferences;
  tls.http2 = !config.disable_http2_serving;
  auto pair = TRY(ServingPair(config, own));
  tls.client_ca_pem =
      config.client_ca_file.empty() ? own.ca.certificate_pem : TRY(base::ReadFile(config.client_ca_file));
  // Installers have one authority for servers and for clients. Another one's certificate is not known here:
  // then clients check by the certificate itself.
  const bool by_authority = auth::pki::CheckIssued(pair, tls.client_ca_pem).has_value();
  serving.root_ca_pem = by_authority ? tls.client_ca_pem : pair.certificate_pem;
  tls.certificate_chain_pem = std::move(pair.certificate_pem);
  tls.private_key_pem = std::move(pair.key_pem);
  for (const SniCertificate& sni : config.tls_sni_cert_keys) {
    auto named = TRY(ReadPair(sni.certificate_file, sni.key_file, "--tls-sni-cert-key"));
    tls.named_certificates.push_back({std::move(named.certificate_pem), std::move(named.key_pem), sni.names});
  }
  const FrontProxyConfig& proxy = config.front_proxy;
  if (proxy.client_ca_file.empty()) return serving;
  tls.proxy_ca_pem = TRY(base::ReadFile(proxy.client_ca_file));
  if (proxy.allowed_names.empty() && auth::pki::ShareCertificate(tls.client_ca_pem, tls.proxy_ca_pem))
    return base::Err(
        std::string("--requestheader-client-ca-file and --client-ca-file contain overlapping certificates; "
                    "--requestheader-allowed-names must be specified to ensure regular client certificates "
                    "cannot set authenticating proxy headers for arbitrary users"));
  return serving;
}

std::vector<fs::path> ServingTlsFiles(const Config& config) {
  std::vector<fs::path> files = {config.client_ca_file, config.front_proxy.client_ca_file};
  if (!config.tls_cert_file.empty())
    files.insert(files.end(), {config.tls_cert_file, config.tls_private_key_file});
  else if (!config.cert_dir.empty())
    files.insert(files.end(), {CertificateIn(config.cert_dir), KeyIn(config.cert_dir)});
  for (const SniCertificate& sni : config.tls_sni_cert_keys)
    files.insert(files.end(), {sni.certificate_file, sni.key_file});
  std::erase_if(files, [](const fs::path& file) { return file.empty(); });
  return files;
}

}  // namespace keelson::app
