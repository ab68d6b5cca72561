#include "app/credentials.h"

#include <algorithm>

#include "app/addresses.h"
#include "auth/authn/authenticators.h"
#include "auth/authn/service_account_token.h"
#include "auth/pki/bootstrap.h"
#include "auth/pki/kubeconfig.h"
#include "base/file.h"
#include "base/log.h"

namespace keelson::app {
namespace {

base::Result<auth::pki::AlternativeNames, std::string> NamesToServe(const Config& config) {
  const auto service = TRY(FirstServiceAddress(config.service_cluster_ip_range));
  std::vector<std::string> addresses = {service};
  if (!config.advertise_address.empty()) addresses.push_back(config.advertise_address);
  addresses.push_back(IsUnspecified(config.bind_address) ? DefaultInterfaceAddress() : config.bind_address);
  auto names = auth::pki::ServingNames(HostName(), {});
  for (const auto& san : config.tls_san) (IsIpAddress(san) ? addresses : names.dns).push_back(san);
  names.ips = auth::pki::ServingNames("", addresses).ips;
  return names;
}

constexpr std::string_view kDefaultIssuer = "https://kubernetes.default.svc.cluster.local";

base::Result<std::vector<auth::pki::TokenKey>, std::string> ReadKeys(const std::filesystem::path& file) {
  auto pem = TRY(base::ReadFile(file));
  auto keys = auth::pki::TokenKey::Parse(pem);
  if (!keys) return base::Err(file.string() + ": " + keys.error());
  return keys;
}

// Who issues tokens, with which key, and what they are checked with.
base::Result<void, std::string> LoadServiceAccountKeys(const Config& config, const std::string& own_key_pem,
                                                       Credentials& credentials) {
  credentials.issuers = config.service_account_issuers;
  if (credentials.issuers.empty()) credentials.issuers.emplace_back(kDefaultIssuer);
  credentials.api_audiences = config.api_audiences.empty() ? credentials.issuers : config.api_audiences;
  auto signing = TRY(config.service_account_signing_key_file.empty()
                         ? auth::pki::TokenKey::Parse(own_key_pem)
                         : ReadKeys(config.service_account_signing_key_file));
  if (!signing.front().is_private())
    return base::Err(config.service_account_signing_key_file.string() + ": not a private key");
  credentials.token_issuer = auth::MakeTokenIssuer(credentials.issuers.front(), signing.front());
  for (const auto& file : config.service_account_key_files) {
    auto keys = TRY(ReadKeys(file));
    for (auto& key : keys) credentials.service_account_keys.push_back(std::move(key));
  }
  if (credentials.service_account_keys.empty()) credentials.service_account_keys.push_back(signing.front());
  return {};
}

using TokenKinds = std::vector<std::unique_ptr<auth::TokenAuthenticator>>;

// Adds those who ask others.
base::Result<void, std::string> AddRemoteKinds(const Config& config, const AuthenticationSettings& settings,
                                               const StoredCredentials& stored, Credentials& credentials,
                                               base::Metrics& metrics, TokenKinds& kinds) {
  const auth::MakeRemoteClient make_client = RemoteClients(stored.resolver);
  const bool issuers_are_asked = !settings.config.jwt.empty() || !config.authentication_config.empty();
  if (issuers_are_asked || !config.token_webhook.config_file.empty())
    credentials.token_cache_metrics = std::make_unique<const auth::TokenCacheMetrics>(metrics);
  if (issuers_are_asked) {
    auto issuers = TRY(auth::MakeJwtIssuers(settings.config, {.algorithms = settings.algorithms,
                                                              .audiences = credentials.api_audiences,
                                                              .disallowed_issuers = credentials.issuers,
                                                              .make_client = make_client}));
    if (!config.authentication_config.empty())
      credentials.authentication_reloader =
          ReloadAuthentication(config.authentication_config, settings, *issuers, metrics);
    kinds.push_back(
        auth::CachedTokens(std::move(issuers), {.metrics = credentials.token_cache_metrics.get()}));
  }
  if (!config.token_webhook.config_file.empty()) {
    auth::WebhookTokenOptions options{
        .config = TRY(auth::pki::ReadKubeconfig(config.token_webhook.config_file)),
        .version = config.token_webhook.version,
        .cache_ttl = config.token_webhook.cache_ttl,
        .audiences = credentials.api_audiences,
        .cache_metrics = credentials.token_cache_metrics.get()};
    kinds.push_back(TRY(auth::WebhookTokens(std::move(options), make_client)));
  }
  return {};
}

// The kinds of tokens, local ones first.
base::Result<TokenKinds, std::string> MakeLocalKinds(const Config& config, const StoredCredentials& stored,
                                                     const Credentials& credentials) {
  TokenKinds kinds;
  if (!config.token_auth_file.empty())
    kinds.push_back(TRY(auth::StaticTokens(config.token_auth_file, credentials.api_audiences)));
  auth::LegacyTokenOptions legacy{.keys = credentials.service_account_keys,
                                  .audiences = credentials.api_audiences,
                                  .lookup = config.service_account_lookup,
                                  .metrics = credentials.service_account_metrics.get()};
  kinds.push_back(
      auth::LegacyServiceAccountTokens(std::move(legacy), stored.objects, *credentials.token_secrets));
  auth::ServiceAccountTokenOptions bound{.issuers = credentials.issuers,
                                         .keys = credentials.service_account_keys,
                                         .audiences = credentials.api_audiences,
                                         .metrics = credentials.service_account_metrics.get()};
  kinds.push_back(auth::ServiceAccountTokens(std::move(bound), stored.objects));
  if (config.enable_bootstrap_token_auth)
    kinds.push_back(auth::BootstrapTokens(*credentials.token_secrets, credentials.api_audiences));
  return kinds;
}

base::Result<void, std::string> MakeAuthenticators(const Config& config, const StoredCredentials& stored,
                                                   Credentials& credentials, base::Metrics& metrics) {
  const auto settings = TRY(LoadAuthenticationSettings(config));
  auto kinds = TRY(MakeLocalKinds(config, stored, credentials));
  TRY(AddRemoteKinds(config, settings, stored, credentials, metrics, kinds));
  credentials.tokens = auth::UnionOfTokens(std::move(kinds));

  std::vector<std::unique_ptr<auth::Authenticator>> parts;
  if (!config.front_proxy.client_ca_file.empty())
    parts.push_back(auth::FrontProxies(credentials.front_proxy_headers, config.front_proxy.allowed_names));
  parts.push_back(auth::ClientCertificates());
  parts.push_back(auth::BearerTokens(*credentials.tokens, credentials.api_audiences));
  parts.push_back(auth::WebSocketTokens(*credentials.tokens, credentials.api_audiences));
  const auth::AnonymousConfig said = settings.config.anonymous.value_or(
      auth::AnonymousConfig{.enabled = config.anonymous_auth, .paths = {}});
  bool anonymous = said.enabled;
  if (anonymous && std::ranges::find(config.authorization_modes, AuthorizationMode::kAlwaysAllow) !=
                       config.authorization_modes.end()) {
    base::Log(base::LogLevel::kWarning,
              "anonymous requests are refused: the mode AlwaysAllow would let them do everything");
    anonymous = false;
  }
  credentials.authenticator =
      auth::Union(std::move(parts), anonymous ? auth::Anonymous(said.paths) : nullptr);
  return {};
}

}  // namespace

base::Result<Credentials, std::string> LoadCredentials(const Config& config, const DataDir& dir,
                                                       const StoredCredentials& stored,
                                                       base::Metrics& metrics) {
  const auto names = TRY(NamesToServe(config));
  auth::pki::Pki pki;
  if (NeedsDataDir(config)) pki = TRY(auth::pki::LoadOrCreate(dir.pki(), names));

  Credentials credentials;
  credentials.serving = TRY(LoadServingTls(config, pki));
  if (config.client_ca_file.empty())
    credentials.admin = {credentials.serving.root_ca_pem, pki.admin.certificate_pem, pki.admin.key_pem};
  if (const FrontProxyConfig& proxy = config.front_proxy; !proxy.client_ca_file.empty())
    credentials.front_proxy_headers = {.user = proxy.username_headers,
                                       .uid = proxy.uid_headers,
                                       .group = proxy.group_headers,
                                       .extra_prefixes = proxy.extra_headers_prefixes};
  TRY(LoadServiceAccountKeys(config, pki.service_account_key_pem, credentials));
  credentials.service_account_metrics = std::make_unique<auth::ServiceAccountMetrics>(metrics);
  credentials.token_secrets = auth::TokenSecretsOf(stored.objects);
  TRY(MakeAuthenticators(config, stored, credentials, metrics));
  credentials.authorization = TRY(MakeAuthorization(config, RemoteClients(stored.resolver), metrics));
  credentials.pki = std::move(pki);
  return credentials;
}

std::string LocalUrl(const Config& config, uint16_t port) {
  const bool any = IsUnspecified(config.bind_address);
  return "https://" + HostPort(any ? "127.0.0.1" : config.bind_address, port);
}

base::Result<void, std::string> WriteAdminKubeconfig(const Credentials& credentials, const DataDir& dir,
                                                     const std::string& url) {
  const Credentials::Admin& admin = *credentials.admin;
  auto key = TRY(auth::pki::TraditionalKeyPem(admin.key_pem));  // an earlier release may have made it
  return auth::pki::WriteKubeconfig(
      dir.kubeconfig(),
      {.server_url = url, .ca_pem = admin.trusted_pem, .client = {admin.certificate_pem, std::move(key)}});
}

}  // namespace keelson::app
