#include <algorithm>
#include <optional>

#include "auth/authn/authenticators.h"
#include "base/utf8.h"
#include "net/http/message.h"
#include "net/http/text.h"
#include "net/http/websocket.h"

namespace keelson::auth {
namespace {

// The token of "Authorization: Bearer <token>"; nullopt when there is none of that form.
std::optional<std::string_view> BearerToken(const net::http::Request& request) {
  auto value = request.headers.Get("authorization");
  if (!value) return std::nullopt;
  const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  while (!value->empty() && is_space(value->front())) value->remove_prefix(1);
  constexpr std::string_view kScheme = "bearer ";
  if (value->size() <= kScheme.size()) return std::nullopt;
  for (size_t i = 0; i < kScheme.size(); ++i) {
    const char c = (*value)[i];
    if ((c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c) != kScheme[i]) return std::nullopt;
  }
  std::string_view token = value->substr(kScheme.size());
  token = token.substr(0, token.find(' '));
  if (token.empty()) return std::nullopt;
  return token;
}

class BearerAuthenticator final : public Authenticator {
 public:
  BearerAuthenticator(TokenAuthenticator& tokens, std::vector<std::string> audiences)
      : tokens_(tokens), audiences_(std::move(audiences)) {}

  base::Task<Outcome> Authenticate(const net::http::Request& request) override {
    const auto token = BearerToken(request);
    if (!token) co_return UserPtr();
    auto known = co_await tokens_.AuthenticateToken(*token, audiences_);
    if (!known) co_return base::Err(std::move(known.error()));
    if (!known->user) co_return base::Err(std::string(kInvalidBearerToken));
    co_return std::move(known->user);
  }

 private:
  TokenAuthenticator& tokens_;
  const std::vector<std::string> audiences_;
};

// The subprotocol that a browser puts its token into, having no other field to choose freely.
constexpr std::string_view kProtocolField = "sec-websocket-protocol";
constexpr std::string_view kTokenProtocol = "base64url.bearer.authorization.k8s.io.";

bool IsUtf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const base::Rune rune = base::DecodeRune(text, at);
    if (rune.value == base::kReplacement && rune.size == 1) return false;
    at += rune.size;
  }
  return true;
}

// The token among the subprotocols; nullopt: there is none. Errors are upstream's.
base::Result<std::optional<std::string>, std::string> ProtocolToken(const net::http::Request& request) {
  std::optional<std::string_view> encoded;
  bool repeated = false, others = false;
  const std::string protocols = request.headers.Joined(kProtocolField);
  net::http::VisitList(protocols, [&](std::string_view protocol) {
    if (!protocol.starts_with(kTokenProtocol)) {
      others = others || !protocol.empty();
      return;
    }
    repeated = repeated || encoded;
    encoded = protocol.substr(kTokenProtocol.size());
  });
  if (repeated) return base::Err(std::string("multiple base64.bearer.authorization tokens specified"));
  if (!encoded) return std::nullopt;
  std::string token;
  if (!pki::DecodeBase64Url(*encoded, token))
    return base::Err(std::string("invalid base64.bearer.authorization token encoding"));
  if (!IsUtf8(token)) return base::Err(std::string("invalid base64.bearer.authorization token"));
  if (token.empty()) return std::nullopt;
  // The one with the token is not said back, and something must be.
  if (!others) return base::Err(std::string("missing additional subprotocol"));
  return std::optional(std::move(token));
}

class ProtocolAuthenticator final : public Authenticator {
 public:
  ProtocolAuthenticator(TokenAuthenticator& tokens, std::vector<std::string> audiences)
      : tokens_(tokens), audiences_(std::move(audiences)) {}

  base::Task<Outcome> Authenticate(const net::http::Request& request) override {
    if (!net::http::IsWebSocketRequest(request)) co_return UserPtr();
    auto token = ProtocolToken(request);
    if (!token) co_return base::Err(std::move(token.error()));
    if (!*token) co_return UserPtr();
    auto known = co_await tokens_.AuthenticateToken(**token, audiences_);
    if (!known) co_return base::Err(std::move(known.error()));
    if (!known->user) co_return base::Err(std::string(kInvalidBearerToken));
    co_return std::move(known->user);
  }

 private:
  TokenAuthenticator& tokens_;
  const std::vector<std::string> audiences_;
};

// As upstream joins errors: one alone, or "[a, b]".
std::string Aggregate(const std::vector<std::string>& errors) {
  if (errors.size() == 1) return errors.front();
  std::string text = "[";
  for (const std::string& error : errors) text.append(text.size() > 1 ? ", " : "").append(error);
  return text + "]";
}

class TokenUnion final : public TokenAuthenticator {
 public:
  explicit TokenUnion(std::vector<std::unique_ptr<TokenAuthenticator>> parts) : parts_(std::move(parts)) {}

  base::Task<Outcome> AuthenticateToken(std::string_view token,
                                        std::span<const std::string> audiences) override {
    std::vector<std::string> errors;
    for (const auto& part : parts_) {
      Outcome outcome = co_await part->AuthenticateToken(token, audiences);
      if (outcome && outcome->user) co_return outcome;
      std::string error = outcome ? std::string(kInvalidBearerToken) : std::move(outcome.error());
      if (std::ranges::find(errors, error) == errors.end()) errors.push_back(std::move(error));
    }
    co_return base::Err(Aggregate(errors));
  }

 private:
  const std::vector<std::unique_ptr<TokenAuthenticator>> parts_;
};

}  // namespace

std::unique_ptr<Authenticator> BearerTokens(TokenAuthenticator& tokens, std::vector<std::string> audiences) {
  return std::make_unique<BearerAuthenticator>(tokens, std::move(audiences));
}

std::unique_ptr<Authenticator> WebSocketTokens(TokenAuthenticator& tokens,
                                               std::vector<std::string> audiences) {
  return std::make_unique<ProtocolAuthenticator>(tokens, std::move(audiences));
}

void RemoveTokenProtocol(net::http::Headers& headers) {
  const std::string protocols = headers.Joined(kProtocolField);
  if (protocols.find(kTokenProtocol) == std::string::npos) return;
  std::string kept;
  net::http::VisitList(protocols, [&](std::string_view protocol) {
    if (protocol.empty() || protocol.starts_with(kTokenProtocol)) return;
    kept.append(kept.empty() ? "" : ", ").append(protocol);
  });
  headers.Remove(kProtocolField);
  if (!kept.empty()) headers.Add(kProtocolField, kept);
}

std::unique_ptr<TokenAuthenticator> UnionOfTokens(std::vector<std::unique_ptr<TokenAuthenticator>> parts) {
  return std::make_unique<TokenUnion>(std::move(parts));
}

}  // namespace keelson::auth
