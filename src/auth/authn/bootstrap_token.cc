#include <set>

#include "api/codec/time_format.h"
#include "auth/authn/audiences.h"
#include "auth/authn/authenticators.h"
#include "auth/authn/secrets_equal.h"
#include "base/ascii.h"
#include "base/log.h"

namespace keelson::auth {
namespace {

constexpr size_t kIdSize = 6, kSecretSize = 16;
constexpr std::string_view kDefaultGroup = "system:bootstrappers";

bool IsLowerOrDigit(char c) { return base::IsLower(c) || base::IsDigit(c); }

// "abcdef.0123456789abcdef" in two; false: it is not of that form.
bool SplitBootstrapToken(std::string_view token, std::string_view& id, std::string_view& secret) {
  if (token.size() != kIdSize + 1 + kSecretSize || token[kIdSize] != '.') return false;
  id = token.substr(0, kIdSize);
  secret = token.substr(kIdSize + 1);
  return std::ranges::all_of(id, IsLowerOrDigit) && std::ranges::all_of(secret, IsLowerOrDigit);
}

// system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]
bool IsBootstrapGroup(std::string_view group) {
  constexpr std::string_view kPrefix = "system:bootstrappers:";
  if (!group.starts_with(kPrefix)) return false;
  group.remove_prefix(kPrefix.size());
  return !group.empty() && group.size() <= 256 && IsLowerOrDigit(group.back()) &&
         std::ranges::all_of(group, [](char c) { return IsLowerOrDigit(c) || c == ':' || c == '-'; });
}

// Sorted, with the group that all have; nullopt: one is not of the form that such groups have.
std::optional<std::vector<std::string>> BootstrapGroups(std::string_view extra) {
  std::set<std::string> groups = {std::string(kDefaultGroup)};
  while (!extra.empty()) {
    const size_t comma = extra.find(',');
    const std::string_view group = extra.substr(0, comma);
    if (!IsBootstrapGroup(group)) return std::nullopt;
    groups.emplace(group);
    if (comma == std::string_view::npos) break;
    extra.remove_prefix(comma + 1);
    if (extra.empty()) return std::nullopt;  // a group without a name
  }
  return std::vector<std::string>(groups.begin(), groups.end());
}

class BootstrapTokenAuthenticator final : public TokenAuthenticator {
 public:
  BootstrapTokenAuthenticator(TokenSecrets& secrets, std::vector<std::string> audiences,
                              const base::Clock& clock)
      : secrets_(secrets), audiences_(std::move(audiences)), clock_(clock) {}

  base::Task<Outcome> AuthenticateToken(std::string_view token, std::span<const std::string> audiences,
                                        Remarks& /*remarks*/) override {
    std::string_view id, secret;
    if (!SplitBootstrapToken(token, id, secret)) co_return Known();
    const std::string name = "bootstrap-token-" + std::string(id);
    const auto found = CO_TRY(co_await secrets_.Find("kube-system", name));
    if (!found) co_return Known();
    if (const std::string_view why = WhyNot(*found, id, secret); !why.empty()) {
      base::Log(base::LogLevel::kDebug, "a bootstrap token is not accepted",
                {{"secret", name}, {"why", why}});
      co_return Known();
    }
    auto meant_for = AgnosticAudiences(audiences_, audiences);
    if (!meant_for) co_return Known();
    User user{.name = "system:bootstrap:" + std::string(id),
              .groups = *BootstrapGroups(found->Data("auth-extra-groups"))};
    AddAuthenticatedGroup(user);
    co_return Known{std::make_shared<const User>(std::move(user)), std::move(*meant_for)};
  }

 private:
  // Empty: the secret accepts the token.
  std::string_view WhyNot(const TokenSecret& stored, std::string_view id, std::string_view secret) const {
    if (stored.being_deleted) return "it is being deleted";
    if (stored.type != "bootstrap.kubernetes.io/token") return "its type is another";
    if (!SecretsEqual(stored.Data("token-secret"), secret)) return "token-secret is another";
    if (stored.Data("token-id") != id) return "token-id is another";
    if (HasExpired(stored.Data("expiration"))) return "it has expired";
    if (stored.Data("usage-bootstrap-authentication") != "true") return "it is not for authentication";
    if (!BootstrapGroups(stored.Data("auth-extra-groups"))) return "auth-extra-groups is malformed";
    return {};
  }

  // A time that cannot be read has passed.
  bool HasExpired(std::string_view expiration) const {
    if (expiration.empty()) return false;
    const auto time = api::ParseTime(expiration);
    const auto now = std::chrono::duration_cast<std::chrono::seconds>(clock_.Now().time_since_epoch());
    return !time || time->seconds <= now.count();
  }

  TokenSecrets& secrets_;
  const std::vector<std::string> audiences_;
  const base::Clock& clock_;
};

}  // namespace

std::unique_ptr<TokenAuthenticator> BootstrapTokens(TokenSecrets& secrets, std::vector<std::string> audiences,
                                                    const base::Clock& clock) {
  return std::make_unique<BootstrapTokenAuthenticator>(secrets, std::move(audiences), clock);
}

}  // namespace keelson::auth
