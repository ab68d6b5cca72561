#include <algorithm>
#include <array>

#include "auth/authn/audiences.h"
#include "auth/authn/authenticators.h"
#include "auth/authn/service_account_token.h"
#include "auth/authn/token_digest.h"
#include "client/object.h"

namespace keelson::auth {
namespace {

// Clocks of other servers may be off by this much.
constexpr int64_t kLeewaySeconds = 60;

UserPtr MakeUser(const TokenClaims& claims) {
  User user = ServiceAccountUser(claims.ns, claims.account);
  const auto add = [&](std::string_view key, const std::string& value) {
    user.extra["authentication.kubernetes.io/" + std::string(key)] = {value};
  };
  if (claims.pod && !claims.pod->name.empty() && !claims.pod->uid.empty()) {
    add("pod-name", claims.pod->name);
    add("pod-uid", claims.pod->uid);
  }
  if (claims.node && !claims.node->name.empty()) {
    add("node-name", claims.node->name);
    if (!claims.node->uid.empty()) add("node-uid", claims.node->uid);
  }
  if (!claims.id.empty()) user.extra[std::string(kCredentialIdKey)] = {"JTI=" + claims.id};
  return std::make_shared<const User>(std::move(user));
}

// A token whose signature and issuer are good, and its user.
struct Verified {
  TokenClaims claims;
  UserPtr user;
};
using VerifiedPtr = std::shared_ptr<const Verified>;

class ServiceAccountAuthenticator final : public TokenAuthenticator {
 public:
  ServiceAccountAuthenticator(ServiceAccountTokenOptions options, const client::Client& objects)
      : options_(std::move(options)), objects_(objects) {}

  base::Task<Outcome> AuthenticateToken(std::string_view token, std::span<const std::string> audiences,
                                        Remarks& remarks) override {
    const auto verified = CO_TRY(Verify(token));
    if (!verified) co_return Known();
    const TokenClaims& claims = verified->claims;
    if (claims.audiences.empty()) {
      if (options_.metrics) options_.metrics->legacy.Add();
      remarks.Annotate(kLegacyTokenKey, claims.subject);
    }
    const auto& meant_for = claims.audiences.empty() ? options_.audiences : claims.audiences;
    auto common = CommonAudiences(audiences, meant_for);
    if (common.empty() && !options_.audiences.empty())
      co_return base::Err(WrongAudiences(meant_for, audiences));
    const int64_t now = Now();
    if (std::string why = WhyNotNow(claims, now); !why.empty()) co_return base::Err(std::move(why));
    if (std::string why = co_await CheckBound(claims, now); !why.empty()) co_return base::Err(std::move(why));
    CountUse(claims, now, remarks);
    co_return Known{verified->user, std::move(common)};
  }

 private:
  int64_t Now() const {
    return std::chrono::duration_cast<std::chrono::seconds>(options_.clock->Now().time_since_epoch()).count();
  }

  // Null: not one of ours. A signature once found good stays good, so each thread remembers
  // the tokens it saw last.
  base::Result<VerifiedPtr, std::string> Verify(std::string_view token) const {
    struct Entry {
      const ServiceAccountAuthenticator* by = nullptr;
      base::SipDigest digest{};
      VerifiedPtr verified;
    };
    thread_local std::array<Entry, 128> remembered;
    const base::SipDigest digest = digest_(token);
    Entry& entry = remembered[digest[0] % remembered.size()];
    if (entry.by == this && entry.digest == digest) return entry.verified;
    auto verified = VerifyAnew(token);
    if (verified && *verified) entry = {this, digest, *verified};
    return verified;
  }

  base::Result<VerifiedPtr, std::string> VerifyAnew(std::string_view token) const {
    auto read = ReadToken(token);
    if (!read || std::ranges::find(options_.issuers, read->claims.issuer) == options_.issuers.end())
      return VerifiedPtr();
    TRY(CheckSignature(read->jwt, options_.keys));
    auto user = MakeUser(read->claims);
    return std::make_shared<const Verified>(Verified{std::move(read->claims), std::move(user)});
  }

  // Whether its client should have renewed it by now.
  void CountUse(const TokenClaims& claims, int64_t now, Remarks& remarks) const {
    if (claims.warn_after == 0) return;
    const bool stale = now > claims.warn_after;
    if (options_.metrics) (stale ? options_.metrics->stale : options_.metrics->valid).Add();
    if (stale)
      remarks.Annotate("authentication.k8s.io/stale-token",
                       "subject: " + claims.subject +
                           ", seconds after warning threshold: " + std::to_string(now - claims.warn_after));
  }

  static std::string WhyNotNow(const TokenClaims& claims, int64_t now) {
    if (claims.not_before != 0 && now + kLeewaySeconds < claims.not_before)
      return "service account token is not valid yet";
    if (claims.expiry != 0 && now - kLeewaySeconds > claims.expiry)
      return "service account token has expired";
    if (claims.issued_at != 0 && now + kLeewaySeconds < claims.issued_at)
      return "service account token is issued in the future";
    return {};
  }

  // What is wrong with the account, or with what the token is bound to.
  base::Task<std::string> CheckBound(const TokenClaims& claims, int64_t now) {
    if (claims.account.name.empty()) co_return "resource name may not be empty";
    if (claims.ns.empty()) co_return "the server could not find the requested resource";
    const auto account = co_await objects_.GetObject({"", "serviceaccounts"}, claims.ns, claims.account.name,
                                                     client::Fresh::kNewest);
    if (!account) co_return account.error().message;
    if (!*account) co_return "serviceaccounts \"" + claims.account.name + "\" not found";
    if (const std::string_view uid = (*account)->uid(); uid != claims.account.uid)
      co_return "service account UID (" + std::string(uid) + ") does not match claim (" + claims.account.uid +
          ")";
    if (IsGone(**account, now))
      co_return "service account " + claims.ns + "/" + claims.account.name + " has been deleted";

    if (claims.secret) {
      if (std::string why = co_await CheckObject("secrets", "secret", claims.ns, *claims.secret, now);
          !why.empty())
        co_return why;
    }
    if (claims.pod) {
      co_return co_await CheckObject("pods", "pod", claims.ns, *claims.pod,
                                     now);  // its node is told, not checked
    }
    if (claims.node) co_return co_await CheckObject("nodes", "node", "", *claims.node, now);
    co_return std::string();
  }

  base::Task<std::string> CheckObject(std::string_view resource, std::string_view word, std::string ns,
                                      const BoundObject& bound, int64_t now) {
    const auto found =
        co_await objects_.GetObject({"", resource}, std::move(ns), bound.name, client::Fresh::kNewest);
    constexpr std::string_view kInvalidated = "service account token has been invalidated";
    if (!found || !*found) co_return std::string(kInvalidated);
    if ((*found)->uid() != bound.uid) {
      const std::string name(word);
      co_return name + " UID (" + std::string((*found)->uid()) + ") does not match service account " + name +
          " ref claim (" + bound.uid + ")";
    }
    if (IsGone(**found, now)) co_return std::string(kInvalidated);
    co_return std::string();
  }

  // An object on its way out counts until its time is up.
  static bool IsGone(const client::Object& object, int64_t now) {
    const int64_t time = client::DeletionTime(object);
    return time != 0 && time < now - kLeewaySeconds;
  }

  const ServiceAccountTokenOptions options_;
  const client::Client& objects_;
  const TokenDigester digest_;
};

}  // namespace

std::unique_ptr<TokenAuthenticator> ServiceAccountTokens(ServiceAccountTokenOptions options,
                                                         const client::Client& objects) {
  return std::make_unique<ServiceAccountAuthenticator>(std::move(options), objects);
}

}  // namespace keelson::auth
