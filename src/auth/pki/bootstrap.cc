#include "auth/pki/bootstrap.h"

#include <algorithm>
#include <vector>

#include "base/file.h"
#include "base/log.h"

namespace keelson::auth::pki {
namespace {

namespace fs = std::filesystem;
using std::chrono::hours;

constexpr hours kDay{24};
constexpr auto kAuthorityLifetime = 3650 * kDay;
constexpr auto kLeafLifetime = 825 * kDay;  // strict clients accept no longer one
constexpr auto kRenewBefore = 275 * kDay;   // a start renews a certificate in the last third of its life
constexpr auto kClockSkew = hours(1);       // clients whose clock is behind by this accept a new certificate

// Returns whether `file` exists. A file whose status cannot be read counts as one that exists: the attempt to
// read it then reports the error.
bool Exists(const fs::path& file) {
  std::error_code error;
  return fs::symlink_status(file, error).type() != fs::file_type::not_found;
}

constexpr mode_t kSecret = 0600, kPublic = 0644;

// Creates `dir` if it does not exist. Only its owner may enter it.
Result<void> CreateDirectory(const fs::path& dir) {
  std::error_code error;
  const bool created = fs::create_directories(dir, error);
  if (!error && created) fs::permissions(dir, fs::perms::owner_all, error);
  if (error) return base::Err("cannot create " + dir.string() + ": " + error.message());
  return {};
}

// Writes NAME.key and then NAME.crt. Where a crash leaves only one of them, it is the key.
Result<void> Save(const fs::path& dir, const std::string& name, const KeyPair& pair) {
  TRY(base::WriteFileAtomically(dir / (name + ".key"), pair.key_pem, kSecret));
  return base::WriteFileAtomically(dir / (name + ".crt"), pair.certificate_pem, kPublic);
}

// Reads NAME.crt and NAME.key.
Result<KeyPair> Load(const fs::path& dir, const std::string& name) {
  auto certificate = TRY(base::ReadFile(dir / (name + ".crt")));
  auto key = TRY(base::ReadFile(dir / (name + ".key")));
  return KeyPair{std::move(certificate), std::move(key)};
}

// Returns `spec` with a validity that began kClockSkew ago and ends after `lifetime`.
CertificateSpec Lasting(CertificateSpec spec, const base::Clock& clock, std::chrono::seconds lifetime) {
  spec.not_before = clock.Now() - kClockSkew;
  spec.not_after = clock.Now() + lifetime;
  return spec;
}

// Files that the server makes together.
struct FileSet {
  std::vector<std::string> needed;   // the server needs each of them
  std::vector<std::string> derived;  // the server made them with the needed files, which they depend on
  std::string_view consequence;      // tells people what new files would change for clients
};

const FileSet kAuthorityFiles{.needed = {"ca.crt", "ca.key"},
                              .derived = {"apiserver.crt", "apiserver.key", "admin.crt", "admin.key"},
                              .consequence = "; clients then have to be told to trust the new ca.crt"};
const FileSet kServiceAccountFiles{.needed = {"sa.key"},
                                   .derived = {"sa.pub"},
                                   .consequence = "; tokens issued before are then not believed any more"};
FileSet LeafFiles(const std::string& name) { return {.needed = {name + ".crt", name + ".key"}}; }

// Returns the names as a list in words: "a, b and c".
std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return text;
}

// Tells people what to do: bring the `lost` files back, or remove the files in `remove`.
std::string WayOut(const std::vector<std::string>& lost, const std::vector<std::string>& remove,
                   std::string_view consequence) {
  return "bring " + Joined(lost) + " back from a backup, or remove " + Joined(remove) +
         " to have new ones made" + std::string(consequence);
}

// Returns true if `dir` holds all needed files of `set`, and false if it holds no file of the set. Everything
// in between is an error, which says what to do.
Result<bool> IsThere(const fs::path& dir, const FileSet& set) {
  std::vector<std::string> present, missing;
  for (const std::string& name : set.needed) (Exists(dir / name) ? present : missing).push_back(name);
  if (missing.empty()) return true;
  for (const std::string& name : set.derived)
    if (Exists(dir / name)) present.push_back(name);
  if (present.empty()) return false;
  return base::Err(dir.string() + " holds " + Joined(present) + " but not " + Joined(missing) + ": " +
                   WayOut(missing, present, set.consequence));
}

// Makes a new certificate authority and saves it.
Result<KeyPair> CreateAuthority(const fs::path& dir, const base::Clock& clock) {
  auto pair =
      TRY(Issue(Lasting({.usage = Usage::kAuthority, .common_name = "keelson-ca"}, clock, kAuthorityLifetime),
                nullptr));
  TRY(Save(dir, "ca", pair));
  return pair;
}

// Loads a certificate that `ca` has issued. A certificate that expires soon or lacks a name of `spec` is
// issued again for the same key, and saved.
Result<KeyPair> LoadLeaf(const fs::path& dir, const std::string& name, const KeyPair& ca,
                         const CertificateSpec& spec, const base::Clock& clock) {
  auto pair = TRY(Load(dir, name));
  const fs::path file = dir / (name + ".crt");
  if (auto ok = CheckIssued(pair, ca.certificate_pem); !ok) {
    const auto files = LeafFiles(name).needed;
    return base::Err(file.string() + ": " + ok.error() + ": " +
                     WayOut({"what belongs to ca.crt"}, files, ""));
  }
  const std::string why = WhyUnusable(pair, ca.certificate_pem, spec.names, clock.Now() + kRenewBefore);
  if (why.empty()) return pair;
  base::Log(base::LogLevel::kInfo, "making a new certificate", {{"certificate", name}, {"why", why}});
  auto renewed = TRY(Issue(Lasting(spec, clock, kLeafLifetime), &ca, pair.key_pem));
  TRY(base::WriteFileAtomically(file, renewed.certificate_pem, kPublic));
  return renewed;
}

// Makes a new key and a certificate that `ca` issues for it, and saves both.
Result<KeyPair> CreateLeaf(const fs::path& dir, const std::string& name, const KeyPair& ca,
                           const CertificateSpec& spec, const base::Clock& clock) {
  auto pair = TRY(Issue(Lasting(spec, clock, kLeafLifetime), &ca));
  TRY(Save(dir, name, pair));
  return pair;
}

// Loads sa.key if it is `there`, and makes it if not. Writes sa.pub if that is missing.
Result<std::string> LoadOrCreateServiceAccountKey(const fs::path& dir, bool there) {
  const fs::path key_file = dir / "sa.key", public_file = dir / "sa.pub";
  auto key = TRY(there ? base::ReadFile(key_file) : GenerateRsaKey());
  if (!there) TRY(base::WriteFileAtomically(key_file, key, kSecret));
  if (!Exists(public_file)) {
    auto public_key = PublicKeyPem(key);
    if (!public_key) return base::Err(key_file.string() + ": " + public_key.error());
    TRY(base::WriteFileAtomically(public_file, *public_key, kPublic));
  }
  return key;
}

// Which of the four identities a pki directory holds completely.
struct Inventory {
  bool authority = false, server = false, admin = false, service_account = false;

  // Looks for the files in `dir`. The error is that of IsThere.
  static Result<Inventory> Take(const fs::path& dir) {
    Inventory found;
    found.authority = TRY(IsThere(dir, kAuthorityFiles));
    found.server = TRY(IsThere(dir, LeafFiles("apiserver")));
    found.admin = TRY(IsThere(dir, LeafFiles("admin")));
    found.service_account = TRY(IsThere(dir, kServiceAccountFiles));
    return found;
  }
};

// Logs which identities will be made in a directory that exists: somebody has lost or removed their files.
void TellWhatIsMade(const fs::path& dir, const Inventory& found) {
  const auto tell = [&dir](bool there, base::LogLevel level, std::string_view what) {
    if (!there) base::Log(level, what, {{"directory", dir.string()}});
  };
  tell(found.authority, base::LogLevel::kWarning,
       "making a new certificate authority: clients have to be told to trust the new ca.crt");
  tell(found.service_account, base::LogLevel::kWarning,
       "making a new sa.key: service account tokens issued before are not believed any more");
  tell(found.server, base::LogLevel::kInfo, "making a new serving certificate");
  tell(found.admin, base::LogLevel::kInfo, "making a new certificate for the administrator");
}

// Loads the identities that were found in `dir`, and makes the others. `dir` must exist.
Result<Pki> Complete(const fs::path& dir, const Inventory& found, const AlternativeNames& names,
                     const base::Clock& clock) {
  Pki pki;
  pki.ca = TRY(found.authority ? LoadAuthority(dir) : CreateAuthority(dir, clock));

  const CertificateSpec serving{.usage = Usage::kServer, .common_name = "kube-apiserver", .names = names};
  pki.server = TRY((found.server ? LoadLeaf : CreateLeaf)(dir, "apiserver", pki.ca, serving, clock));

  const CertificateSpec master{
      .usage = Usage::kClient, .common_name = "kubernetes-admin", .organizations = {"system:masters"}};
  pki.admin = TRY((found.admin ? LoadLeaf : CreateLeaf)(dir, "admin", pki.ca, master, clock));

  pki.service_account_key_pem = TRY(LoadOrCreateServiceAccountKey(dir, found.service_account));
  return pki;
}

// Makes `dir` with all identities. They are made in another directory, which gets its name at the end: after
// a crash `dir` is complete or does not exist.
Result<Pki> CreateWhole(const fs::path& dir, const AlternativeNames& names, const base::Clock& clock) {
  const fs::path unfinished = dir.string() + ".unfinished";
  std::error_code error;
  fs::remove_all(unfinished, error);
  if (error) return base::Err("cannot remove " + unfinished.string() + ": " + error.message());
  TRY(CreateDirectory(unfinished));
  auto pki = TRY(Complete(unfinished, {}, names, clock));
  fs::rename(unfinished, dir, error);
  if (error) return base::Err("cannot make " + dir.string() + ": " + error.message());
  return pki;
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

Result<KeyPair> LoadAuthority(const fs::path& dir) {
  if (!TRY(IsThere(dir, kAuthorityFiles)))
    return base::Err(dir.string() +
                     " holds no certificate authority: a first start of keelson serve makes one");
  auto pair = TRY(Load(dir, "ca"));
  if (auto ok = CheckPair(pair); !ok)
    return base::Err((dir / "ca.crt").string() + ": " + ok.error() +
                     ": bring ca.crt and ca.key back from one backup");
  return pair;
}

Result<Pki> LoadOrCreate(const fs::path& dir, const AlternativeNames& names, const base::Clock& clock) {
  if (!Exists(dir)) {
    base::Log(base::LogLevel::kInfo, "making keys and certificates", {{"directory", dir.string()}});
    return CreateWhole(dir, names, clock);
  }
  const auto found = TRY(Inventory::Take(dir));
  TellWhatIsMade(dir, found);
  return Complete(dir, found, names, clock);
}

}  // namespace keelson::auth::pki
