#include <algorithm>
#include <set>

#include "api/codec/time_format.h"
#include "api/validation/quoted_list.h"
#include "auth/authn/audiences.h"
#include "auth/authn/claim_rules.h"
#include "auth/authn/jwt_issuers.h"
#include "auth/authn/oidc_provider.h"
#include "auth/authn/strict_json.h"
#include "base/log.h"
#include "base/mutex.h"

namespace keelson::auth {
namespace {

using Done = OidcProvider::Done;

constexpr int64_t kNotBeforeLeewaySeconds = 60;
constexpr size_t kMostClaimIssuers = 16;  // of distributed claims, that one issuer's tokens may lead to

constexpr int64_t kLastYear = 900'000'000'000;  // a time in 30489: calendars end some years later

std::string GoTime(int64_t seconds) {
  const std::chrono::sys_seconds time{std::chrono::seconds(std::min(seconds, kLastYear))};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  char text[64];
  std::snprintf(text, sizeof text, "%04d-%02u-%02u %02d:%02d:%02d +0000 UTC", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return text;
}

// Google once left the scheme out.
std::string_view CanonicalIssuer(std::string_view issuer) {
  return issuer == "accounts.google.com" ? "https://accounts.google.com" : issuer;
}

// Where a claim is that a token does not hold itself.
struct ClaimSource {
  std::string endpoint, access_token;
};

// `json` is what _claim_names says; the name of the source of `claim`; empty: it has none.
base::Result<std::string, std::string> SourceName(const std::string& json, std::string_view claim) {
  api::Arena arena;
  api::json::JsonReader reader(json, arena);
  std::string source;
  if (!ReadStrictObject(reader, [&](std::string_view name) {
        return name == claim ? ReadText(reader, source) : reader.Skip();
      }))
    return base::Err(std::string("oidc: error parsing distributed claim names"));
  return source;
}

base::Result<ClaimSource, std::string> FindSource(const std::string& json, std::string_view wanted) {
  api::Arena arena;
  api::json::JsonReader reader(json, arena);
  std::optional<ClaimSource> found;
  if (!ReadStrictObject(reader, [&](std::string_view name) {
        if (name != wanted) return reader.Skip();
        found.emplace();
        return ReadStrictObject(reader, [&](std::string_view member) {
          if (member == "endpoint") return ReadText(reader, found->endpoint);
          return member == "access_token" ? ReadText(reader, found->access_token) : reader.Skip();
        });
      }))
    return base::Err(std::string("oidc: could not parse claim sources"));
  if (!found)
    return base::Err("id token _claim_names contained a source " + std::string(wanted) +
                     " missing in _claims_sources");
  return *std::move(found);
}

// Users from the tokens of one issuer.
class JwtIssuer final {
 public:
  JwtIssuer(JwtIssuerConfig config, std::shared_ptr<const ClaimRules> rules,
            std::vector<std::string> algorithms, std::unique_ptr<net::http::Client> client,
            const base::Clock& clock)
      : config_(std::move(config)),
        rules_(std::move(rules)),
        algorithms_(std::move(algorithms)),
        client_(std::move(client)),
        clock_(clock),
        provider_(config_.url, config_.discovery_url, *client_, clock) {}

  base::Task<Done> Ready() { return provider_.Ready(); }
  const std::string& url() const { return config_.url; }

  // Null: not a token of this issuer.
  base::Task<base::Result<UserPtr, std::string>> Authenticate(std::string_view token) {
    const auto jwt = ParseJwt(token);
    if (!jwt) co_return UserPtr();
    const auto standard = ReadStandardClaims(jwt->payload);
    if (!standard || CanonicalIssuer(standard->issuer) != config_.url) co_return UserPtr();
    if (!co_await provider_.Ready()) co_return base::Err(std::string("oidc: authenticator not initialized"));
    if (const auto verified = co_await Verify(provider_, *jwt, *standard); !verified)
      co_return base::Err("oidc: verify token: " + verified.error());
    RawClaims claims;
    if (!ReadRawClaims(jwt->payload, claims)) co_return base::Err(std::string("oidc: parse claims"));
    if (const auto expanded = co_await ExpandGroups(claims); !expanded)
      co_return base::Err("oidc: could not expand distributed claims: " + expanded.error());
    User user = CO_TRY(rules_->UserOf(claims));
    AddAuthenticatedGroup(user);
    co_return std::make_shared<const User>(std::move(user));
  }

 private:
  base::Task<Done> Verify(OidcProvider& provider, const Jwt& jwt, const StandardClaims& claims) {
    const std::vector<std::string>& own = config_.audiences;
    if (CommonAudiences(claims.audiences, own).empty())
      co_return base::Err(own.size() == 1 ? "oidc: expected audience " + api::Quoted(own.front()) + " got " +
                                                api::QuotedList(claims.audiences)
                                          : "oidc: expected audience in " + api::QuotedList(own) + " got " +
                                                api::QuotedList(claims.audiences));
    const int64_t now =
        std::chrono::duration_cast<std::chrono::seconds>(clock_.Now().time_since_epoch()).count();
    // A token that does not say when it expires has expired.
    const int64_t expiry = claims.expiry.value_or(api::kZeroTimeSeconds);
    if (expiry < now) co_return base::Err("oidc: token is expired (Token Expiry: " + GoTime(expiry) + ")");
    if (claims.not_before && now + kNotBeforeLeewaySeconds < *claims.not_before)
      co_return base::Err("oidc: current time " + GoTime(now) +
                          " before the nbf (not before) time: " + GoTime(*claims.not_before));
    if (std::ranges::find(algorithms_, jwt.algorithm) == algorithms_.end())
      co_return base::Err("oidc: id token signed with unsupported algorithm, expected " +
                          api::QuotedList(algorithms_) + " got " + api::Quoted(jwt.algorithm));
    co_return co_await provider.Verify(jwt);
  }

  // Groups may be too many for a token, which says then where they are.
  base::Task<Done> ExpandGroups(RawClaims& claims) {
    const std::string& groups = config_.groups.claim;
    const auto names = claims.find("_claim_names");
    if (groups.empty() || claims.contains(groups) || names == claims.end()) co_return Done();
    const std::string name = CO_TRY(SourceName(names->second, groups));
    const auto sources = claims.find("_claim_sources");
    if (sources == claims.end()) co_return base::Err(std::string("oidc: no claim sources"));
    if (name.empty()) co_return Done();
    const ClaimSource source = CO_TRY(FindSource(sources->second, name));
    if (source.endpoint.empty()) co_return Done();  // a claim that is aggregated, which nobody reads
    auto value = co_await Resolve(source, groups);
    if (!value) co_return base::Err(std::move(value.error()));
    claims.emplace(groups, *std::move(value));
    co_return Done();
  }

  // The claim, as JSON, from a token that the source gives.
  base::Task<base::Result<std::string, std::string>> Resolve(ClaimSource source, std::string claim) {
    RemoteRequest request{.url = CO_TRY(ParseRemoteUrl(source.endpoint)), .limit_bytes = kMaxTokenBytes};
    if (!source.access_token.empty()) request.headers.Add("authorization", "Bearer " + source.access_token);
    const auto answer = co_await AskRemote(*client_, std::move(request));
    const std::string getting = "while getting distributed claim " + api::Quoted(claim) + ": ";
    if (!answer) co_return base::Err(getting + answer.error().message);
    if (answer->status < 200 || answer->status > 226)
      co_return base::Err(getting +
                          "error while getting distributed claim JWT: " + std::to_string(answer->status));
    const auto jwt = ParseJwt(answer->body);
    const auto standard = jwt ? ReadStandardClaims(jwt->payload) : std::nullopt;
    if (!standard)
      co_return base::Err("getting untrusted issuer from endpoint " + source.endpoint + " failed for claim " +
                          api::Quoted(claim) + ": malformed token");
    const auto provider = CO_TRY(ClaimIssuer(std::string(CanonicalIssuer(standard->issuer))));
    // Whoever cannot prove to be an issuer keeps no place among them.
    const auto forget = [&] {
      const base::MutexLock lock(mu_);
      claim_issuers_.erase(std::string(CanonicalIssuer(standard->issuer)));
    };
    if (const auto ready = co_await provider->Ready(); !ready) {
      forget();
      co_return base::Err("verifying untrusted issuer " + standard->issuer + " failed: " + ready.error());
    }
    if (const auto verified = co_await Verify(*provider, *jwt, *standard); !verified) {
      forget();
      co_return base::Err("verify distributed claim token: " + verified.error());
    }
    RawClaims claims;
    if (!ReadRawClaims(jwt->payload, claims) || !claims.contains(claim))
      co_return base::Err("jwt returned by distributed claim endpoint " + api::Quoted(source.endpoint) +
                          " did not contain claim: " + claim);
    co_return std::move(claims.find(claim)->second);
  }

  base::Result<std::shared_ptr<OidcProvider>, std::string> ClaimIssuer(const std::string& issuer) {
    const base::MutexLock lock(mu_);
    auto found = claim_issuers_.find(issuer);
    if (found == claim_issuers_.end()) {
      if (claim_issuers_.size() >= kMostClaimIssuers)
        return base::Err(std::string("distributed claims come from too many issuers"));
      found =
          claim_issuers_.emplace(issuer, std::make_shared<OidcProvider>(issuer, "", *client_, clock_)).first;
    }
    return found->second;
  }

  const JwtIssuerConfig config_;
  const std::shared_ptr<const ClaimRules> rules_;
  const std::vector<std::string> algorithms_;
  const std::unique_ptr<net::http::Client> client_;
  const base::Clock& clock_;
  OidcProvider provider_;
  base::Mutex mu_;
  std::map<std::string, std::shared_ptr<OidcProvider>> claim_issuers_ GUARDED_BY(mu_);
};

using Issuers = std::vector<std::shared_ptr<JwtIssuer>>;

class JwtIssuersAuthenticator final : public JwtIssuers {
 public:
  explicit JwtIssuersAuthenticator(JwtIssuersOptions options) : options_(std::move(options)) {}

  base::Result<void, std::string> Start(const AuthenticationConfig& config) {
    auto issuers = TRY(Make(config));
    Publish(std::move(issuers));
    return {};
  }

  base::Task<Outcome> AuthenticateToken(std::string_view token, std::span<const std::string> audiences,
                                        Remarks& /*remarks*/) override {
    const auto issuers = Current();
    for (const auto& issuer : *issuers) {
      auto user = CO_TRY(co_await issuer->Authenticate(token));
      if (!user) continue;
      auto meant_for = AgnosticAudiences(options_.audiences, audiences);
      if (!meant_for) co_return Known();
      co_return Known{std::move(user), std::move(*meant_for)};
    }
    co_return Known();
  }

  base::Task<base::Result<void, std::string>> Replace(AuthenticationConfig config) override {
    auto issuers = CO_TRY(Make(config));
    std::string unhealthy;
    for (const auto& issuer : issuers)
      if (const auto ready = co_await issuer->Ready(); !ready)
        unhealthy.append(unhealthy.empty() ? "" : ", ")
            .append("oidc: authenticator for issuer " + api::Quoted(issuer->url()) + " is not healthy: ")
            .append(ready.error());
    if (!unhealthy.empty()) co_return base::Err(std::move(unhealthy));
    Publish(std::move(issuers));
    co_return base::Result<void, std::string>();
  }

 private:
  base::Result<Issuers, std::string> Make(const AuthenticationConfig& config) const {
    const auto rules = TRY(CompileAuthenticationConfig(config, options_.disallowed_issuers));
    Issuers issuers;
    for (size_t i = 0; i < config.jwt.size(); ++i) {
      auto client = options_.make_client({.ca_pem = config.jwt[i].certificate_authority});
      if (!client) return base::Err("jwt issuer " + config.jwt[i].url + ": " + client.error());
      issuers.push_back(std::make_shared<JwtIssuer>(config.jwt[i], rules[i], options_.algorithms,
                                                    *std::move(client), *options_.clock));
    }
    return issuers;
  }

  void Publish(Issuers issuers) {
    const base::MutexLock lock(mu_);
    issuers_ = std::make_shared<const Issuers>(std::move(issuers));
  }
  std::shared_ptr<const Issuers> Current() const {
    const base::MutexLock lock(mu_);
    return issuers_;
  }

  const JwtIssuersOptions options_;
  mutable base::Mutex mu_;
  std::shared_ptr<const Issuers> issuers_ GUARDED_BY(mu_);
};

}  // namespace

base::Result<std::unique_ptr<JwtIssuers>, std::string> MakeJwtIssuers(const AuthenticationConfig& config,
                                                                      JwtIssuersOptions options) {
  for (const std::string& algorithm : options.algorithms)
    if (!pki::IsTokenAlgorithm(algorithm))
      return base::Err("oidc: unsupported signing alg: " + api::Quoted(algorithm));
  auto issuers = std::make_unique<JwtIssuersAuthenticator>(std::move(options));
  TRY(issuers->Start(config));
  return issuers;
}

}  // namespace keelson::auth
