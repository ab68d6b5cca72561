// The authenticators, one file each beside this one, and how they are joined.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "auth/authenticator.h"
#include "auth/authn/remote.h"
#include "auth/authn/service_account_metrics.h"
#include "auth/authn/token_cache_metrics.h"
#include "auth/authn/token_secrets.h"
#include "auth/pki/kubeconfig_reader.h"
#include "auth/pki/token_key.h"
#include "base/clock.h"
#include "base/result.h"
#include "client/client.h"
#include "net/http/headers.h"

namespace keelson::auth {

// Client certificates that the TLS layer verified: CN is the name, O the groups.
std::unique_ptr<Authenticator> ClientCertificates();

// How a front proxy says whom it has authenticated. Names are in lower case.
struct FrontProxyHeaders {
  std::vector<std::string> user, uid, group;  // the first of `user` and of `uid` that has a value counts
  std::vector<std::string> extra_prefixes;    // the rest of a name is the key, percent-encoded

  // Whether only a front proxy may send a header of this name.
  bool Has(std::string_view header) const;
};
// What `headers` say, from a proxy whose certificate the TLS layer verified against the authorities of front
// proxies. Its common name must be one of `allowed_names`, unless there are none.
std::unique_ptr<Authenticator> FrontProxies(FrontProxyHeaders headers,
                                            std::vector<std::string> allowed_names);

// Tokens from a --token-auth-file: CSV of token,user,uid[,"group1,group2"]. They are meant
// for `audiences`, those of this server.
base::Result<std::unique_ptr<TokenAuthenticator>, std::string> StaticTokens(
    const std::filesystem::path& file, std::vector<std::string> audiences);
// The same over the text itself; `source` names it in errors.
base::Result<std::unique_ptr<TokenAuthenticator>, std::string> ParseStaticTokens(
    std::string_view csv, std::string_view source, std::vector<std::string> audiences);

struct ServiceAccountTokenOptions {
  std::vector<std::string> issuers;
  std::vector<pki::TokenKey> keys;
  std::vector<std::string> audiences;              // of this server, for tokens that name none
  const ServiceAccountMetrics* metrics = nullptr;  // null: nothing is counted
  const base::Clock* clock = &base::Clock::Real();
};
// Tokens that a service account was issued. Accounts and what tokens are bound to are
// looked up in `objects` at each use.
std::unique_ptr<TokenAuthenticator> ServiceAccountTokens(ServiceAccountTokenOptions options,
                                                         const client::Client& objects);

struct LegacyTokenOptions {
  std::vector<pki::TokenKey> keys;
  std::vector<std::string> audiences;  // of this server
  bool lookup = true;                  // the secret must hold the token, and the account exist
  const ServiceAccountMetrics* metrics = nullptr;
  const base::Clock* clock = &base::Clock::Real();
};
// Tokens that are kept in secrets of the type kubernetes.io/service-account-token. Borrows all but `options`.
// Requires: options.metrics.
std::unique_ptr<TokenAuthenticator> LegacyServiceAccountTokens(LegacyTokenOptions options,
                                                               const client::Client& objects,
                                                               TokenSecrets& secrets);

// Tokens by which machines join a cluster, "<id>.<secret>", kept in secrets of kube-system. Borrows all but
// `audiences`, those of this server. A token that its secret does not accept is not known.
std::unique_ptr<TokenAuthenticator> BootstrapTokens(TokenSecrets& secrets, std::vector<std::string> audiences,
                                                    const base::Clock& clock = base::Clock::Real());

struct TokenCacheOptions {
  std::chrono::nanoseconds known_ttl = std::chrono::seconds(10);
  std::chrono::nanoseconds unknown_ttl{0};  // of tokens that are not of this kind; 0: not kept
  size_t max_entries = 32 * 1024;
  const TokenCacheMetrics* metrics = nullptr;  // null: nothing is counted
  const base::Clock* clock = &base::Clock::Real();
};
// Remembers what `tokens` says; whoever asks while the answer is on its way waits for that one. Tokens are
// not kept, but digests of them and the audiences asked for, under a key of this process. Errors are not
// kept.
std::unique_ptr<TokenAuthenticator> CachedTokens(std::unique_ptr<TokenAuthenticator> tokens,
                                                 TokenCacheOptions options);

struct WebhookTokenOptions {
  pki::KubeconfigClient config;
  std::string version = "v1beta1";  // of the TokenReview that is sent; or v1
  std::chrono::nanoseconds cache_ttl = std::chrono::minutes(2);
  std::vector<std::string> audiences;                // of this server, for a webhook that names none
  const TokenCacheMetrics* cache_metrics = nullptr;  // null: nothing is counted
};
// Tokens that a webhook knows: it is sent a TokenReview. Users and tokens it does not know are remembered for
// a while, errors are not.
base::Result<std::unique_ptr<TokenAuthenticator>, std::string> WebhookTokens(
    WebhookTokenOptions options, const MakeRemoteClient& make_client);

// The first that knows the token wins; an error, that of all parts, when none does.
std::unique_ptr<TokenAuthenticator> UnionOfTokens(std::vector<std::unique_ptr<TokenAuthenticator>> parts);

// The bearer token of a request, for one of `audiences`. A token that `tokens` does not
// know is an error. Borrows `tokens`.
std::unique_ptr<Authenticator> BearerTokens(TokenAuthenticator& tokens, std::vector<std::string> audiences);

// Authenticates by a token in a WebSocket's subprotocol, base64url.bearer.authorization.k8s.io.<token>.
std::unique_ptr<Authenticator> WebSocketTokens(TokenAuthenticator& tokens,
                                               std::vector<std::string> audiences);
// Takes that subprotocol out of a request that goes on to others.
void RemoveTokenProtocol(net::http::Headers& headers);

// system:anonymous; with `paths`, for requests of exactly those alone.
std::unique_ptr<Authenticator> Anonymous(std::vector<std::string> paths = {});

// The first that knows the user wins, even after another's error; an error only when none
// knows the user and some credential was wrong. So `last_resort` (may be null) answers
// only requests that carry no credentials at all.
std::unique_ptr<Authenticator> Union(std::vector<std::unique_ptr<Authenticator>> authenticators,
                                     std::unique_ptr<Authenticator> last_resort);

// Puts `user` in system:authenticated, unless it is anonymous or says itself what it is.
void AddAuthenticatedGroup(User& user);

}  // namespace keelson::auth
