#include "auth/pki/client_certificate.h"

#include <algorithm>

#include "api/codec/time_format.h"
#include "api/validation/quote.h"

namespace keelson::auth::pki {
namespace {

constexpr size_t kMaxNameLength = 64;  // of a common name and of an organization, by RFC 5280
constexpr std::chrono::hours kSkewOfClients{1};

// Checks that a certificate can hold `name`, and that a person reads in it what a program does.
Result<void> CheckCertificateName(std::string_view what, std::string_view name) {
  const auto bad = [&](std::string_view why) {
    return base::Err(std::string(what) + " " + api::Quoted(name) + ": " + std::string(why));
  };
  if (name.empty()) return base::Err("the " + std::string(what) + " must not be empty");
  size_t length = 0;
  for (std::string_view rest = name; !rest.empty(); ++length) {
    const api::Rune rune = api::FirstRune(rest);
    if (!rune.valid) return bad("it is no UTF-8");
    if (!api::IsPrintable(rune.value)) return bad("it has a character that cannot be printed");
    rest.remove_prefix(rune.size);
  }
  if (name.front() == ' ' || name.back() == ' ') return bad("it begins or ends with a space");
  if (length > kMaxNameLength)
    return bad("it has " + std::to_string(length) + " characters, a certificate holds " +
               std::to_string(kMaxNameLength));
  return {};
}

Result<void> CheckIdentity(const ClientIdentity& identity) {
  TRY(CheckCertificateName("user", identity.user));
  if (identity.user.starts_with("system:serviceaccount:"))
    return base::Err("user " + api::Quoted(identity.user) +
                     ": a service account proves itself with tokens, which end with it");
  if (identity.user == "system:anonymous")
    return base::Err(std::string("user \"system:anonymous\": who has no credentials has this name"));
  for (const std::string& group : identity.groups) TRY(CheckCertificateName("group", group));
  return {};
}

std::string TimeText(std::chrono::system_clock::time_point time) {
  char text[api::kMaxTimeSize];
  return std::string(text, api::FormatTime(std::chrono::system_clock::to_time_t(time), text));
}

}  // namespace

Result<ClientCertificate> IssueClientCertificate(const KeyPair& authority, const ClientIdentity& identity,
                                                 const base::Clock& clock) {
  TRY(CheckIdentity(identity));
  if (identity.lifetime < std::chrono::seconds(1))
    return base::Err(std::string("a certificate must last for a second at least"));
  const auto end = TRY(ExpiryOf(authority.certificate_pem));
  const auto now = std::chrono::floor<std::chrono::seconds>(clock.Now());
  // Compared as a difference: the sum may be beyond what a clock holds.
  if (identity.lifetime > end - now)
    return base::Err("the certificate authority itself ends at " + TimeText(end) +
                     ": no certificate of it may last longer");
  CertificateSpec spec{.usage = Usage::kClient,
                       .common_name = identity.user,
                       .organizations = {},
                       .not_before = now - kSkewOfClients,
                       .not_after = now + identity.lifetime};
  for (const std::string& group : identity.groups)
    if (std::ranges::find(spec.organizations, group) == spec.organizations.end())
      spec.organizations.push_back(group);
  auto pair = TRY(Issue(spec, &authority));
  return ClientCertificate{std::move(pair), spec.not_after};
}

}  // namespace keelson::auth::pki
