#include "auth/authn/service_account_token.h"

#include "api/codec/json_writer.h"
#include "api/validation/quote.h"
#include "auth/authn/strict_json.h"

namespace keelson::auth {
namespace {

using api::json::JsonReader;
using api::json::JsonWriter;

std::string QuotedList(std::span<const std::string> items) {
  std::string text = "[";
  for (const std::string& item : items) {
    if (text.size() > 1) text += ' ';
    api::AppendQuoted(item, text);
  }
  return text + "]";
}

// Members in the order of their names, as upstream writes them.
void WriteBound(JsonWriter& json, std::string_view name, const BoundObject& object) {
  json.Key(name).BeginObject().Member("name", object.name);
  if (!object.uid.empty()) json.Member("uid", object.uid);
  json.EndObject();
}

std::string WriteClaims(const TokenClaims& claims) {
  base::BufferBuilder out;
  JsonWriter json(out);
  json.BeginObject();
  if (!claims.audiences.empty()) json.Member("aud", claims.audiences);
  json.Key("exp").Int(claims.expiry);
  json.Key("iat").Int(claims.issued_at);
  json.Member("iss", claims.issuer);
  json.Member("jti", claims.id);
  json.Key("kubernetes.io").BeginObject().Member("namespace", claims.ns);
  if (claims.node) WriteBound(json, "node", *claims.node);
  if (claims.pod) WriteBound(json, "pod", *claims.pod);
  if (claims.secret) WriteBound(json, "secret", *claims.secret);
  WriteBound(json, "serviceaccount", claims.account);
  if (claims.warn_after != 0) json.Key("warnafter").Int(claims.warn_after);
  json.EndObject();
  json.Key("nbf").Int(claims.not_before);
  json.Member("sub", claims.subject);
  json.EndObject();
  return std::string(out.view());
}

// Each function fails when the text is not JSON of the expected shape. Members it does not know are skipped.
class ClaimsReader {
 public:
  explicit ClaimsReader(std::string_view text) : json_(text, arena_) {}

  bool Claims(TokenClaims& claims) {
    return ReadStrictObject(json_,
                            [&](std::string_view name) {
                              if (name == "aud") return ReadTexts(json_, claims.audiences);
                              if (name == "exp") return Expiry(claims.expiry);
                              if (name == "iat") return ReadSeconds(json_, claims.issued_at);
                              if (name == "nbf") return ReadSeconds(json_, claims.not_before);
                              if (name == "iss") return ReadText(json_, claims.issuer);
                              if (name == "jti") return ReadText(json_, claims.id);
                              if (name == "sub") return ReadText(json_, claims.subject);
                              if (name == "kubernetes.io") return Kubernetes(claims);
                              return json_.Skip();
                            }) &&
           json_.AtEnd();
  }

 private:
  // 0 stands for a token that never expires, which one of 1970 is not.
  bool Expiry(int64_t& expiry) {
    if (!ReadSeconds(json_, expiry)) return false;
    if (expiry == 0) expiry = -1;
    return true;
  }
  bool Kubernetes(TokenClaims& claims) {
    return ReadStrictObject(json_, [&](std::string_view name) {
      if (name == "namespace") return ReadText(json_, claims.ns);
      if (name == "serviceaccount") return Bound(claims.account);
      if (name == "pod") return Bound(claims.pod.emplace());
      if (name == "secret") return Bound(claims.secret.emplace());
      if (name == "node") return Bound(claims.node.emplace());
      if (name == "warnafter") return ReadSeconds(json_, claims.warn_after);
      return json_.Skip();
    });
  }
  bool Bound(BoundObject& object) {
    return ReadStrictObject(json_, [&](std::string_view name) {
      if (name == "name") return ReadText(json_, object.name);
      if (name == "uid") return ReadText(json_, object.uid);
      return json_.Skip();
    });
  }

  api::Arena arena_;
  JsonReader json_;
};

class KeyTokenIssuer final : public TokenIssuer {
 public:
  KeyTokenIssuer(std::string issuer, pki::TokenKey key) : issuer_(std::move(issuer)), key_(std::move(key)) {}
  base::Result<std::string, std::string> Issue(TokenClaims claims) const override {
    claims.issuer = issuer_;
    return SignToken(key_, claims);
  }

 private:
  const std::string issuer_;
  const pki::TokenKey key_;
};

}  // namespace

base::Result<std::string, std::string> SignToken(const pki::TokenKey& key, const TokenClaims& claims) {
  base::BufferBuilder header;
  JsonWriter(header).BeginObject().Member("alg", key.algorithm()).Member("kid", key.id()).EndObject();
  return SignJwt(key, header.view(), WriteClaims(claims));
}

std::optional<UnverifiedToken> ReadToken(std::string_view token) {
  auto jwt = ParseJwt(token);
  if (!jwt) return std::nullopt;
  UnverifiedToken out{.jwt = *std::move(jwt)};
  if (!ClaimsReader(out.jwt.payload).Claims(out.claims)) return std::nullopt;
  return out;
}

std::optional<LegacyTokenClaims> ReadLegacyClaims(std::string_view payload) {
  api::Arena arena;
  JsonReader json(payload, arena);
  LegacyTokenClaims claims;
  const std::pair<std::string_view, std::string&> texts[] = {
      {"iss", claims.issuer},
      {"sub", claims.subject},
      {"kubernetes.io/serviceaccount/namespace", claims.ns},
      {"kubernetes.io/serviceaccount/secret.name", claims.secret},
      {"kubernetes.io/serviceaccount/service-account.name", claims.account.name},
      {"kubernetes.io/serviceaccount/service-account.uid", claims.account.uid}};
  const bool read = ReadStrictObject(json, [&](std::string_view name) {
    for (const auto& [known, text] : texts)
      if (name == known) return ReadText(json, text);
    return name == "aud" ? ReadTexts(json, claims.audiences) : json.Skip();
  });
  if (!read || !json.AtEnd()) return std::nullopt;
  return claims;
}

base::Result<void, std::string> CheckSignature(const Jwt& token, const std::vector<pki::TokenKey>& keys) {
  bool some_key = false;
  for (const pki::TokenKey& key : keys) {
    if (!token.key_id.empty() && key.id() != token.key_id) continue;
    some_key = true;
    if (!token.unsupported && key.Verify(token.algorithm, token.signed_part, token.signature)) return {};
  }
  return base::Err(std::string(some_key ? "go-jose/go-jose: error in cryptographic primitive"
                                        : "invalid signature, no keys found"));
}

std::string ServiceAccountUserName(std::string_view ns, std::string_view name) {
  std::string user = "system:serviceaccount:";
  return user.append(ns).append(":").append(name);
}

User ServiceAccountUser(std::string_view ns, const BoundObject& account) {
  return {.name = ServiceAccountUserName(ns, account.name),
          .uid = account.uid,
          .groups = {"system:serviceaccounts", "system:serviceaccounts:" + std::string(ns),
                     std::string(kAuthenticatedGroup)}};
}

std::string WrongAudiences(std::span<const std::string> meant_for, std::span<const std::string> asked) {
  return "token audiences " + QuotedList(meant_for) + " is invalid for the target audiences " +
         QuotedList(asked);
}

std::unique_ptr<TokenIssuer> MakeTokenIssuer(std::string issuer, pki::TokenKey key) {
  return std::make_unique<KeyTokenIssuer>(std::move(issuer), std::move(key));
}

}  // namespace keelson::auth
