#include "auth/authn/audiences.h"
#include "auth/authn/authenticators.h"
#include "auth/authn/secrets_equal.h"
#include "auth/authn/service_account_token.h"
#include "client/object.h"

namespace keelson::auth {
namespace {

constexpr std::string_view kInvalidSince = "kubernetes.io/legacy-token-invalid-since";
constexpr std::string_view kLastUsed = "kubernetes.io/legacy-token-last-used";

// "2006-01-02", of the day that `days` after `now` is, in UTC.
std::string Day(base::Clock::WallTime now, int days) {
  const auto day = std::chrono::floor<std::chrono::days>(now) + std::chrono::days(days);
  const std::chrono::year_month_day date(day);
  char text[32];
  std::snprintf(text, sizeof text, "%04d-%02u-%02u", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  return text;
}

// Empty: nothing that the claims need is missing.
std::string_view WhatIsMissing(const LegacyTokenClaims& claims) {
  if (claims.subject.empty()) return "sub claim is missing";
  if (claims.ns.empty()) return "namespace claim is missing";
  if (claims.secret.empty()) return "secretName claim is missing";
  if (claims.account.name.empty()) return "serviceAccountName claim is missing";
  if (claims.account.uid.empty()) return "serviceAccountUID claim is missing";
  if (claims.subject != ServiceAccountUserName(claims.ns, claims.account.name)) return "sub claim is invalid";
  return {};
}

class LegacyTokenAuthenticator final : public TokenAuthenticator {
 public:
  LegacyTokenAuthenticator(LegacyTokenOptions options, const client::Client& objects, TokenSecrets& secrets)
      : options_(std::move(options)), objects_(objects), secrets_(secrets) {}

  base::Task<Outcome> AuthenticateToken(std::string_view token,
                                        std::span<const std::string> audiences) override {
    const auto jwt = ParseJwt(token);
    if (!jwt) co_return Known();
    const auto claims = ReadLegacyClaims(jwt->payload);
    if (!claims || claims->issuer != kLegacyIssuer) co_return Known();
    CO_TRY(CheckSignature(*jwt, options_.keys));
    if (claims->audiences.empty()) options_.metrics->legacy.Add();
    const auto& meant_for = claims->audiences.empty() ? options_.audiences : claims->audiences;
    auto common = CommonAudiences(audiences, meant_for);
    if (common.empty() && !options_.audiences.empty())
      co_return base::Err(WrongAudiences(meant_for, audiences));
    if (const std::string_view missing = WhatIsMissing(*claims); !missing.empty())
      co_return base::Err(std::string(missing));
    if (options_.lookup) {
      if (std::string why = co_await WhyNot(token, *claims); !why.empty())
        co_return base::Err(std::move(why));
    }
    User user = ServiceAccountUser(claims->ns, claims->account);
    co_return Known{std::make_shared<const User>(std::move(user)), std::move(common)};
  }

 private:
  // What is wrong with the secret that holds the token, or with the account; empty: nothing.
  base::Task<std::string> WhyNot(std::string_view token, const LegacyTokenClaims& claims) {
    const auto found = co_await secrets_.Find(claims.ns, claims.secret);
    if (!found || !*found || (*found)->being_deleted) co_return std::string("Token has been invalidated");
    const TokenSecret& secret = **found;
    if (!SecretsEqual(secret.Data("token"), token))
      co_return std::string("Token does not match server's copy");

    const std::string account = claims.ns + "/" + claims.account.name;
    const auto object = co_await objects_.GetObject({"", "serviceaccounts"}, claims.ns, claims.account.name,
                                                    client::Fresh::kNewest);
    if (!object) co_return object.error().message;
    if (!*object) co_return "serviceaccounts \"" + claims.account.name + "\" not found";
    if (client::DeletionTime(**object) != 0) co_return "ServiceAccount " + account + " has been deleted";
    if (const std::string_view uid = (*object)->uid(); uid != claims.account.uid)
      co_return "ServiceAccount UID (" + std::string(uid) + ") does not match claim (" + claims.account.uid +
          ")";

    const bool invalid = !secret.Label(kInvalidSince).empty();
    if (invalid) {
      options_.metrics->invalid.Add();
    } else {
      const bool made_by_controller =
          co_await secrets_.IsListed(claims.ns, claims.account.name, claims.secret);
      (made_by_controller ? options_.metrics->automatic : options_.metrics->manual).Add();
    }
    co_await RecordUse(secret, claims);
    if (invalid)
      co_return "the token in secret " + claims.ns + "/" + claims.secret + " for service account " + account +
          " has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based "
          "tokens, or remove the '" +
          std::string(kInvalidSince) + "' label from the secret to temporarily allow use of this token";
    co_return std::string();
  }

  // Once a day. Another server's day may have begun already.
  base::Task<void> RecordUse(const TokenSecret& secret, const LegacyTokenClaims& claims) {
    const auto now = options_.clock->Now();
    const std::string_view last = secret.Label(kLastUsed);
    std::string today = Day(now, 0);
    if (last == today || last == Day(now, 1)) co_return;
    co_await secrets_.SetLabel(claims.ns, claims.secret, secret.uid, kLastUsed, std::move(today));
  }

  const LegacyTokenOptions options_;
  const client::Client& objects_;
  TokenSecrets& secrets_;
};

}  // namespace

std::unique_ptr<TokenAuthenticator> LegacyServiceAccountTokens(LegacyTokenOptions options,
                                                               const client::Client& objects,
                                                               TokenSecrets& secrets) {
  return std::make_unique<LegacyTokenAuthenticator>(std::move(options), objects, secrets);
}

}  // namespace keelson::auth
