// The authenticators, one file each beside this one, and how they are joined.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "auth/authenticator.h"
#include "auth/pki/token_key.h"
#include "base/clock.h"
#include "base/result.h"
#include "client/client.h"
#include "net/http/headers.h"

namespace keelson::auth {

// Client certificates that the TLS layer verified: CN is the name, O the groups.
std::unique_ptr<Authenticator> ClientCertificates();

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
  std::vector<std::string> audiences;  // of this server, for tokens that name none
  const base::Clock* clock = &base::Clock::Real();
};
// Tokens that a service account was issued. Accounts and what tokens are bound to are
// looked up in `objects` at each use.
std::unique_ptr<TokenAuthenticator> ServiceAccountTokens(ServiceAccountTokenOptions options,
                                                         const client::Client& objects);

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

// system:anonymous, always.
std::unique_ptr<Authenticator> Anonymous();

// The first that knows the user wins, even after another's error; an error only when none
// knows the user and some credential was wrong. So `last_resort` (may be null) answers
// only requests that carry no credentials at all.
std::unique_ptr<Authenticator> Union(std::vector<std::unique_ptr<Authenticator>> authenticators,
                                     std::unique_ptr<Authenticator> last_resort);

// Puts `user` in system:authenticated, unless it is anonymous or says itself what it is.
void AddAuthenticatedGroup(User& user);

}  // namespace keelson::auth
