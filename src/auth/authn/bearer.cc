#include <algorithm>
#include <optional>

#include "auth/authn/authenticators.h"
#include "base/utf8.h"
#include "net/http/message.h"
#include "net/http/text.h"
#include "net/http/websocket.h"

namespace keelson::auth {
namespace {

constexpr std::string_view kSpaceBeforeToken =
    "the provided Authorization header contains extra space before the bearer token, and is ignored";

// The token of "Authorization: Bearer <token>"; nullopt when there is none of that form.
base::Result<std::optional<std::string_view>, std::string> BearerToken(const net::http::Request& request,
                                                                       Remarks& remarks) {
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
  if (token.empty()) {
    if (value->find_last_not_of(" \t") >= kScheme.size()) remarks.warnings.emplace_back(kSpaceBeforeToken);
    return std::nullopt;
  }
  return token;
}

// Knows users by the token that kTokenOf finds in a request. kTokenOf gives nullopt for a request without
// one, and an error for one that is malformed.
template <auto kTokenOf>
class HeaderAuthenticator final : public Authenticator {
 public:
  HeaderAuthenticator(TokenAuthenticator& tokens, std::vector<std::string> audiences)
      : tokens_(tokens), audiences_(std::move(audiences)) {}

  base::Task<Outcome> Authenticate(const net::http::Request& request, Remarks& remarks) override {
    auto token = CO_TRY(kTokenOf(request, remarks));
    if (!token) co_return UserPtr();
    auto known = CO_TRY(co_await tokens_.AuthenticateToken(*token, audiences_, remarks));
    if (!known.user) co_return base::Err(std::string(kInvalidBearerToken));
    co_return std::move(known.user);
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

// The items of a list of subprotocols. They refer to the list.
struct Protocols {
  std::vector<std::string_view> tokens;  // encoded
  std::vector<std::string_view> others;  // all that hold no token

  explicit Protocols(std::string_view list) {
    net::http::VisitList(list, [this](std::string_view protocol) {
      if (protocol.starts_with(kTokenProtocol)) {
        tokens.push_back(protocol.substr(kTokenProtocol.size()));
      } else if (!protocol.empty()) {
        others.push_back(protocol);
      }
    });
  }
};

// The token among the subprotocols of a request for a WebSocket; nullopt: there is none. Errors are
// upstream's.
base::Result<std::optional<std::string>, std::string> ProtocolToken(const net::http::Request& request,
                                                                    Remarks& /*remarks*/) {
  if (!net::http::IsWebSocketRequest(request)) return std::nullopt;
  const std::string list = request.headers.Joined(kProtocolField);
  const Protocols protocols(list);
  if (protocols.tokens.empty()) return std::nullopt;
  if (protocols.tokens.size() > 1)
    return base::Err(std::string("multiple base64.bearer.authorization tokens specified"));
  std::string token;
  if (!pki::DecodeBase64Url(protocols.tokens.front(), token))
    return base::Err(std::string("invalid base64.bearer.authorization token encoding"));
  if (!IsUtf8(token)) return base::Err(std::string("invalid base64.bearer.authorization token"));
  if (token.empty()) return std::nullopt;
  // The one with the token is not said back, and something must be.
  if (protocols.others.empty()) return base::Err(std::string("missing additional subprotocol"));
  return std::optional(std::move(token));
}

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

  base::Task<Outcome> AuthenticateToken(std::string_view token, std::span<const std::string> audiences,
                                        Remarks& remarks) override {
    std::vector<std::string> errors;
    for (const auto& part : parts_) {
      Outcome outcome = co_await part->AuthenticateToken(token, audiences, remarks);
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
  return std::make_unique<HeaderAuthenticator<BearerToken>>(tokens, std::move(audiences));
}

std::unique_ptr<Authenticator> WebSocketTokens(TokenAuthenticator& tokens,
                                               std::vector<std::string> audiences) {
  return std::make_unique<HeaderAuthenticator<ProtocolToken>>(tokens, std::move(audiences));
}

void RemoveTokenProtocol(net::http::Headers& headers) {
  const std::string list = headers.Joined(kProtocolField);
  if (list.find(kTokenProtocol) == std::string::npos) return;
  std::string kept;
  for (std::string_view protocol : Protocols(list).others)
    kept.append(kept.empty() ? "" : ", ").append(protocol);
  headers.Remove(kProtocolField);
  if (!kept.empty()) headers.Add(kProtocolField, kept);
}

std::unique_ptr<TokenAuthenticator> UnionOfTokens(std::vector<std::unique_ptr<TokenAuthenticator>> parts) {
  return std::make_unique<TokenUnion>(std::move(parts));
}

}  // namespace keelson::auth
