#include "auth/authn/service_account_token.h"

#include <cstdlib>

#include "api/codec/json_reader.h"
#include "api/codec/json_writer.h"

namespace keelson::auth {
namespace {

using api::json::JsonReader;
using api::json::JsonWriter;
using pki::Base64Url;
using pki::DecodeBase64Url;

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

// Reads the members of one object; each function fails when the text is not JSON of the
// expected shape. Members it does not know are skipped.
class ClaimsReader {
 public:
  explicit ClaimsReader(std::string_view text) : json_(text, arena_) {}

  bool Header(std::string& algorithm, std::string& key_id) {
    return Object([&](std::string_view name) {
             if (name == "alg") return Text(algorithm);
             if (name == "kid") return Text(key_id);
             return json_.Skip();
           }) &&
           json_.AtEnd();
  }

  bool Claims(TokenClaims& claims) {
    return Object([&](std::string_view name) {
             if (name == "aud") return Audiences(claims.audiences);
             if (name == "exp") return Seconds(claims.expiry);
             if (name == "iat") return Seconds(claims.issued_at);
             if (name == "nbf") return Seconds(claims.not_before);
             if (name == "iss") return Text(claims.issuer);
             if (name == "jti") return Text(claims.id);
             if (name == "sub") return Text(claims.subject);
             if (name == "kubernetes.io") return Kubernetes(claims);
             return json_.Skip();
           }) &&
           json_.AtEnd();
  }

 private:
  template <class Member>
  bool Object(const Member& member) {
    if (json_.Peek() != '{' || !json_.BeginContainer()) return false;
    for (bool first = true;; first = false) {
      std::string_view name;
      bool more = false;
      if (!json_.NextMember(first, &name, &more)) return false;
      if (!more) break;
      json_.Peek();
      if (!member(name)) return false;
    }
    json_.EndContainer();
    return true;
  }

  bool Kubernetes(TokenClaims& claims) {
    return Object([&](std::string_view name) {
      if (name == "namespace") return Text(claims.ns);
      if (name == "serviceaccount") return Bound(claims.account);
      if (name == "pod") return Bound(claims.pod.emplace());
      if (name == "secret") return Bound(claims.secret.emplace());
      if (name == "node") return Bound(claims.node.emplace());
      if (name == "warnafter") return Seconds(claims.warn_after);
      return json_.Skip();
    });
  }
  bool Bound(BoundObject& object) {
    return Object([&](std::string_view name) {
      if (name == "name") return Text(object.name);
      if (name == "uid") return Text(object.uid);
      return json_.Skip();
    });
  }
  // One audience may stand without its list.
  bool Audiences(std::vector<std::string>& audiences) {
    if (json_.Peek() == '"') return Text(audiences.emplace_back());
    if (json_.Peek() != '[' || !json_.BeginContainer()) return false;
    for (bool first = true;; first = false) {
      bool more = false;
      if (!json_.NextElement(first, &more)) return false;
      if (!more) break;
      if (!Text(audiences.emplace_back())) return false;
    }
    json_.EndContainer();
    return true;
  }
  bool Text(std::string& out) {
    std::string_view text;
    if (json_.Peek() != '"' || !json_.String(&text)) return false;
    out = text;
    return true;
  }
  // Other issuers write fractions.
  bool Seconds(int64_t& out) {
    std::string_view token;
    const char c = json_.Peek();
    if (!(c == '-' || (c >= '0' && c <= '9')) || !json_.Number(&token)) return false;
    const double value = std::strtod(std::string(token).c_str(), nullptr);
    if (!(value >= 0 && value < 9e15)) return false;
    out = static_cast<int64_t>(value);
    return true;
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
  std::string token = Base64Url(header.view()) + "." + Base64Url(WriteClaims(claims));
  const auto signature = TRY(key.Sign(token));
  return token + "." + Base64Url(signature);
}

std::optional<UnverifiedToken> ReadToken(std::string_view token) {
  const size_t first = token.find('.'), last = token.rfind('.');
  if (first == last || token.find('.', first + 1) != last) return std::nullopt;
  UnverifiedToken out;
  out.signed_part = token.substr(0, last);
  std::string header, payload;
  if (!DecodeBase64Url(token.substr(0, first), header) ||
      !DecodeBase64Url(token.substr(first + 1, last - first - 1), payload) ||
      !DecodeBase64Url(token.substr(last + 1), out.signature))
    return std::nullopt;
  if (!ClaimsReader(header).Header(out.algorithm, out.key_id) || !ClaimsReader(payload).Claims(out.claims))
    return std::nullopt;
  return out;
}

std::unique_ptr<TokenIssuer> MakeTokenIssuer(std::string issuer, pki::TokenKey key) {
  return std::make_unique<KeyTokenIssuer>(std::move(issuer), std::move(key));
}

}  // namespace keelson::auth
