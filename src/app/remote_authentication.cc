#include "app/remote_authentication.h"

#include "app/addresses.h"
#include "base/file.h"
#include "bootstrap/server_identity.h"
#include "net/outbound/http_client.h"
#include "net/tls/client_context.h"

namespace keelson::app {
namespace {

class RemoteClient final : public net::http::Client {
 public:
  RemoteClient(std::unique_ptr<net::tls::ClientContext> tls, net::outbound::Resolver& resolver)
      : tls_(std::move(tls)), client_(net::outbound::MakeHttpClient(*tls_, resolver)) {}

  base::Task<base::Result<net::http::Response, net::http::ClientError>> Send(
      net::http::Destination destination, net::http::ClientRequest request) override {
    return client_->Send(std::move(destination), std::move(request));
  }

 private:
  const std::unique_ptr<net::tls::ClientContext> tls_;
  const std::unique_ptr<net::http::Client> client_;
};

// The one issuer that the flags describe.
base::Result<auth::JwtIssuerConfig, std::string> IssuerOfFlags(const OidcConfig& oidc) {
  auth::JwtIssuerConfig jwt{.url = oidc.issuer_url, .audiences = {oidc.client_id}};
  if (!oidc.ca_file.empty()) jwt.certificate_authority = TRY(base::ReadFile(oidc.ca_file));
  // Names of different issuers must not be confused, but e-mail addresses are unique.
  std::string prefix = oidc.username_prefix;
  if (prefix.empty() && oidc.username_claim != "email") prefix = oidc.issuer_url + "#";
  if (oidc.username_prefix == "-") prefix.clear();
  jwt.username = {.prefix = std::move(prefix), .claim = oidc.username_claim};
  if (!oidc.groups_claim.empty()) jwt.groups = {.prefix = oidc.groups_prefix, .claim = oidc.groups_claim};
  for (const auto& [claim, value] : oidc.required_claims)
    jwt.claim_validation_rules.push_back({.claim = claim, .required_value = value});
  return jwt;
}

base::Result<auth::AuthenticationConfig, std::string> ParseFile(const std::string& text,
                                                                const std::filesystem::path& file) {
  auto parsed =
      text.empty() ? base::Err(std::string("empty config data")) : auth::ParseAuthenticationConfig(text);
  if (!parsed)
    return base::Err("failed to load authentication configuration from file \"" + file.string() +
                     "\": " + parsed.error());
  return parsed;
}

}  // namespace

auth::MakeRemoteClient RemoteClients(net::outbound::Resolver& resolver) {
  return
      [&resolver](
          const auth::RemoteTrust& trust) -> base::Result<std::unique_ptr<net::http::Client>, std::string> {
        auto tls = TRY(net::tls::ClientContext::Create({.ca_pem = trust.ca_pem,
                                                        .certificate_pem = trust.certificate_pem,
                                                        .private_key_pem = trust.private_key_pem,
                                                        .verify = trust.verify}));
        return std::make_unique<RemoteClient>(std::move(tls), resolver);
      };
}

base::Result<AuthenticationSettings, std::string> LoadAuthenticationSettings(const Config& config) {
  AuthenticationSettings settings;
  if (!config.authentication_config.empty()) {
    settings.text = TRY(base::ReadFile(config.authentication_config));
    settings.config = TRY(ParseFile(settings.text, config.authentication_config));
    if (settings.config.anonymous && config.anonymous_auth_given)
      return base::Err(
          std::string("anonymous: Forbidden: --anonymous-auth flag cannot be set when anonymous "
                      "field is configured in authentication configuration file"));
    settings.algorithms = {"ES256", "ES384", "ES512", "PS256", "PS384", "PS512", "RS256", "RS384", "RS512"};
  } else if (!config.oidc.issuer_url.empty()) {
    settings.config.jwt.push_back(TRY(IssuerOfFlags(config.oidc)));
    settings.algorithms = config.oidc.signing_algs;
  }
  return settings;
}

std::unique_ptr<ConfigReloader> ReloadAuthentication(const std::filesystem::path& file,
                                                     const AuthenticationSettings& first,
                                                     auth::JwtIssuers& issuers, base::Metrics& metrics) {
  ConfigReloader::Take take = [file, &issuers, anonymous = first.config.anonymous](
                                  std::string text) -> base::Task<base::Result<void, std::string>> {
    auto config = CO_TRY(ParseFile(text, file));
    if (config.anonymous != anonymous)
      co_return base::Err(std::string("anonymous: Forbidden: changed from initial configuration file"));
    co_return co_await issuers.Replace(std::move(config));
  };
  return std::make_unique<ConfigReloader>(
      ConfigReloader::Options{.what = "authentication",
                              .file = file,
                              .text = first.text,
                              .server_id = bootstrap::ServerIdOf(HostName())},
      std::move(take), metrics);
}

}  // namespace keelson::app
