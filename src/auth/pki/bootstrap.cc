#include "auth/pki/bootstrap.h"

#include <algorithm>

#include "base/file.h"
#include "base/log.h"

namespace keelson::auth::pki {
namespace {

namespace fs = std::filesystem;
using std::chrono::hours;

constexpr hours kDay{24};
constexpr auto kAuthorityLifetime = 3650 * kDay;
constexpr auto kLeafLifetime = 825 * kDay;  // the longest that strict clients accept
constexpr auto kRenewBefore = 275 * kDay;   // at a start in the last third
constexpr auto kClockSkew = hours(1);       // clients whose clock is behind

bool Exists(const fs::path& file) {
  std::error_code unreadable;  // then making the file anew will say why
  return fs::exists(file, unreadable);
}

constexpr mode_t kSecret = 0600, kPublic = 0644;

Result<void> CreateDirectory(const fs::path& dir) {
  std::error_code error;
  const bool created = fs::create_directories(dir, error);
  if (!error && created) fs::permissions(dir, fs::perms::owner_all, error);
  if (error) return base::Err("cannot create " + dir.string() + ": " + error.message());
  return {};
}

// The key goes first: a certificate on disk promises that its key is there too.
Result<void> Save(const fs::path& dir, const std::string& name, const KeyPair& pair) {
  if (auto ok = base::WriteFileAtomically(dir / (name + ".key"), pair.key_pem, kSecret); !ok) return ok;
  return base::WriteFileAtomically(dir / (name + ".crt"), pair.certificate_pem, kPublic);
}

Result<KeyPair> Load(const fs::path& dir, const std::string& name) {
  auto certificate = base::ReadFile(dir / (name + ".crt"));
  if (!certificate) return base::Err(std::move(certificate.error()));
  auto key = base::ReadFile(dir / (name + ".key"));
  if (!key) return base::Err(std::move(key.error()));
  return KeyPair{std::move(*certificate), std::move(*key)};
}

CertificateSpec Lasting(CertificateSpec spec, const base::Clock& clock, std::chrono::seconds lifetime) {
  spec.not_before = clock.Now() - kClockSkew;
  spec.not_after = clock.Now() + lifetime;
  return spec;
}

Result<KeyPair> LoadOrCreateAuthority(const fs::path& dir, const base::Clock& clock) {
  if (Exists(dir / "ca.crt")) {
    auto pair = Load(dir, "ca");
    if (!pair) return pair;
    if (auto ok = CheckPair(*pair); !ok) return base::Err((dir / "ca.crt").string() + ": " + ok.error());
    return pair;
  }
  auto pair = Issue(
      Lasting({.usage = Usage::kAuthority, .common_name = "keelson-ca"}, clock, kAuthorityLifetime), nullptr);
  if (!pair) return pair;
  if (auto ok = Save(dir, "ca", *pair); !ok) return base::Err(std::move(ok.error()));
  return pair;
}

Result<KeyPair> LoadOrCreateLeaf(const fs::path& dir, const std::string& name, const KeyPair& ca,
                                 const CertificateSpec& spec, const base::Clock& clock) {
  if (Exists(dir / (name + ".crt"))) {
    auto pair = Load(dir, name);
    const std::string why =
        pair ? WhyUnusable(*pair, ca.certificate_pem, spec.names, clock.Now() + kRenewBefore) : pair.error();
    if (why.empty()) return pair;
    base::Log(base::LogLevel::kInfo, "making a new certificate", {{"certificate", name}, {"why", why}});
  }
  auto pair = Issue(Lasting(spec, clock, kLeafLifetime), &ca);
  if (!pair) return pair;
  if (auto ok = Save(dir, name, *pair); !ok) return base::Err(std::move(ok.error()));
  return pair;
}

Result<std::string> LoadOrCreateServiceAccountKey(const fs::path& dir) {
  const fs::path key_file = dir / "sa.key", public_file = dir / "sa.pub";
  const bool exists = Exists(key_file);
  auto key = exists ? base::ReadFile(key_file) : GenerateRsaKey();
  if (!key) return key;
  if (!exists)
    if (auto ok = base::WriteFileAtomically(key_file, *key, kSecret); !ok)
      return base::Err(std::move(ok.error()));
  if (!Exists(public_file)) {
    auto public_key = PublicKeyPem(*key);
    if (!public_key) return base::Err(key_file.string() + ": " + public_key.error());
    if (auto ok = base::WriteFileAtomically(public_file, *public_key, kPublic); !ok)
      return base::Err(std::move(ok.error()));
  }
  return key;
}

}  // namespace

AlternativeNames ServingNames(std::string_view host_name, const std::vector<std::string>& addresses) {
  AlternativeNames names;
  names.dns = {"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc",
               "kubernetes.default.svc.cluster.local"};
  if (!host_name.empty() && host_name != "localhost") names.dns.emplace_back(host_name);
  names.ips = {"127.0.0.1", "::1"};
  for (const auto& address : addresses)
    if (std::find(names.ips.begin(), names.ips.end(), address) == names.ips.end())
      names.ips.push_back(address);
  return names;
}

Result<Pki> LoadOrCreate(const fs::path& dir, const AlternativeNames& names, const base::Clock& clock) {
  if (auto ok = CreateDirectory(dir); !ok) return base::Err(std::move(ok.error()));
  Pki pki;
  auto ca = LoadOrCreateAuthority(dir, clock);
  if (!ca) return base::Err(std::move(ca.error()));
  pki.ca = std::move(*ca);

  auto server =
      LoadOrCreateLeaf(dir, "apiserver", pki.ca,
                       {.usage = Usage::kServer, .common_name = "kube-apiserver", .names = names}, clock);
  if (!server) return base::Err(std::move(server.error()));
  pki.server = std::move(*server);

  auto admin = LoadOrCreateLeaf(
      dir, "admin", pki.ca,
      {.usage = Usage::kClient, .common_name = "kubernetes-admin", .organizations = {"system:masters"}},
      clock);
  if (!admin) return base::Err(std::move(admin.error()));
  pki.admin = std::move(*admin);

  auto service_account_key = LoadOrCreateServiceAccountKey(dir);
  if (!service_account_key) return base::Err(std::move(service_account_key.error()));
  pki.service_account_key_pem = std::move(*service_account_key);
  return pki;
}

}  // namespace keelson::auth::pki
