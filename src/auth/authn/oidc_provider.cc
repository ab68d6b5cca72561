#include "auth/authn/oidc_provider.h"

#include "api/codec/config_reader.h"
#include "api/validation/quote.h"
#include "base/log.h"

namespace keelson::auth {
namespace {

constexpr std::chrono::seconds kDiscoverAgain{10}, kFetchAgain{5};

struct ProviderConfig {
  std::string issuer, keys_url;
};

base::Result<ProviderConfig, std::string> ParseProviderConfig(std::string_view json) {
  ProviderConfig config;
  api::ConfigReader reader(json, /*strict=*/false);
  const bool read = reader.Object([&](std::string_view name) {
    if (name == "issuer") return reader.Text(config.issuer);
    return name == "jwks_uri" ? reader.Text(config.keys_url) : reader.Skip();
  });
  if (!read || !reader.AtEnd())
    return base::Err("oidc: failed to decode provider discovery object: " + reader.error());
  return config;
}

std::string UsualPlace(std::string_view issuer) {
  if (issuer.ends_with('/')) issuer.remove_suffix(1);
  return std::string(issuer) + "/.well-known/openid-configuration";
}

}  // namespace

OidcProvider::OidcProvider(std::string issuer, const std::string& discovery_url, net::http::Client& client,
                           const base::Clock& clock)
    : issuer_(std::move(issuer)),
      discovery_url_(discovery_url.empty() ? UsualPlace(issuer_) : discovery_url),
      client_(client),
      clock_(clock) {}

base::Task<OidcProvider::Done> OidcProvider::Ready() {
  {
    const base::MutexLock lock(mu_);
    if (!keys_url_.empty()) co_return Done();
    if (!failure_.empty() && clock_.SteadyNow() < discover_again_) co_return base::Err(failure_);
  }
  co_return co_await discovery_.Run([this] { return Discover(); });
}

base::Task<OidcProvider::Done> OidcProvider::Discover() {
  auto text = co_await Get(discovery_url_);
  auto config = text ? ParseProviderConfig(*text)
                     : base::Result<ProviderConfig, std::string>(base::Err(std::move(text.error())));
  std::string failure;
  if (!config)
    failure = config.error();
  else if (config->issuer != issuer_)
    failure = "oidc: issuer did not match the issuer returned by provider, expected " + api::Quoted(issuer_) +
              " got " + api::Quoted(config->issuer);
  else if (config->keys_url.empty())
    failure = "provider did not return JWKS URL";
  if (!failure.empty())
    base::Log(base::LogLevel::kError, "an OpenID provider cannot be used",
              {{"issuer", issuer_}, {"why", failure}});
  const base::MutexLock lock(mu_);
  failure_ = failure;
  discover_again_ = clock_.SteadyNow() + kDiscoverAgain;
  if (!failure.empty()) co_return base::Err(std::move(failure));
  keys_url_ = config->keys_url;
  co_return Done();
}

base::Task<OidcProvider::Done> OidcProvider::Verify(const Jwt& token) {
  Keys keys;
  {
    const base::MutexLock lock(mu_);
    keys = keys_;
  }
  if (keys && IsSignedBy(token, *keys)) co_return Done();
  const auto fetched = co_await fetching_.Run([this] { return FetchKeys(); });
  if (!fetched) co_return base::Err("failed to verify signature: fetching keys " + fetched.error());
  if (*fetched == keys || !IsSignedBy(token, **fetched))
    co_return base::Err(std::string("failed to verify signature: failed to verify id token signature"));
  co_return Done();
}

base::Task<base::Result<OidcProvider::Keys, std::string>> OidcProvider::FetchKeys() {
  std::string url;
  {
    const base::MutexLock lock(mu_);
    const auto now = clock_.SteadyNow();
    if (keys_ && now < fetch_again_) co_return keys_;
    if (!keys_ && now < fetch_again_) co_return base::Err(std::string("failed a moment ago"));
    fetch_again_ = now + kFetchAgain;
    url = keys_url_;
  }
  const auto text = co_await Get(url);
  if (!text) co_return base::Err(text.error());
  auto keys = ParseWebKeySet(*text);
  if (!keys) co_return base::Err("oidc: failed to decode keys: " + keys.error());
  auto shared = std::make_shared<const std::vector<WebKey>>(*std::move(keys));
  const base::MutexLock lock(mu_);
  keys_ = shared;
  co_return shared;
}

base::Task<base::Result<std::string, std::string>> OidcProvider::Get(std::string url) {
  RemoteRequest request{.url = CO_TRY(ParseRemoteUrl(url))};
  if (!request.url.destination.tls)
    co_return base::Err("\"" + url + "\" is not asked: it is no URL of https");
  request.headers.Add("accept", "application/json");
  auto answer = co_await AskRemote(client_, std::move(request));
  if (!answer) co_return base::Err(std::move(answer.error().message));
  if (answer->status != 200)
    co_return base::Err("\"" + url + "\" answers with status " + std::to_string(answer->status));
  co_return std::move(answer->body);
}

}  // namespace keelson::auth
