#include "auth/authn/jwt.h"

#include <cstdlib>

#include "auth/authn/strict_json.h"

namespace keelson::auth {
namespace {

using api::json::JsonReader;

constexpr double kFirstSecond = -62135596800;  // of the year 1
constexpr double kEndOfTime = 9e18;            // what still is a number of seconds

std::unexpected<std::string> BadToken(std::string_view why) {
  return base::Err("malformed token: " + std::string(why));
}

base::Result<void, std::string> ReadJwtHeader(std::string_view text, Jwt& token) {
  api::Arena arena;
  JsonReader json(text, arena);
  const bool read = ReadStrictObject(json, [&](std::string_view name) {
    if (name == "alg") return ReadText(json, token.algorithm);
    if (name == "kid") return ReadText(json, token.key_id);
    token.unsupported = token.unsupported || name == "crit" || name == "b64";
    return json.Skip();
  });
  if (!read || !json.AtEnd()) return BadToken("its header is no JSON object of a token");
  return {};
}

// The members of a JSON web key that matter here.
struct WebKeyFields {
  std::string type, use, id, algorithm, curve, x, y, n, e;

  std::optional<pki::TokenKey> Key() const {
    const auto number = [](const std::string& text) {
      std::string bytes;
      return pki::DecodeBase64Url(text, bytes) ? bytes : std::string();
    };
    auto key = type == "RSA"  ? pki::TokenKey::FromRsa(number(n), number(e))
               : type == "EC" ? pki::TokenKey::FromEc(curve, number(x), number(y))
                              : base::Result<pki::TokenKey, std::string>(base::Err(std::string()));
    if (!key) return std::nullopt;
    return *std::move(key);
  }
};

bool ReadWebKey(JsonReader& json, WebKeyFields& fields) {
  const std::pair<std::string_view, std::string&> texts[] = {
      {"kty", fields.type},      {"use", fields.use},   {"kid", fields.id},
      {"alg", fields.algorithm}, {"crv", fields.curve}, {"x", fields.x},
      {"y", fields.y},           {"n", fields.n},       {"e", fields.e}};
  return ReadStrictObject(json, [&](std::string_view name) {
    for (const auto& [known, text] : texts)
      if (name == known) return ReadText(json, text);
    return json.Skip();
  });
}

}  // namespace

bool ReadSeconds(JsonReader& json, int64_t& out) {
  std::string_view token;
  const char c = json.Peek();
  if (!(c == '-' || (c >= '0' && c <= '9')) || !json.Number(&token)) return false;
  const double value = std::strtod(std::string(token).c_str(), nullptr);
  if (!(value >= kFirstSecond && value < kEndOfTime)) return false;
  out = static_cast<int64_t>(value);
  return true;
}

bool ReadTexts(JsonReader& json, std::vector<std::string>& out) {
  if (json.Peek() == '"') return ReadText(json, out.emplace_back());
  return ReadArray(json, [&] { return ReadText(json, out.emplace_back()); });
}

base::Result<Jwt, std::string> ParseJwt(std::string_view token) {
  if (token.size() > kMaxTokenBytes) return BadToken("it is too long");
  const size_t first = token.find('.'), last = token.rfind('.');
  if (first == last || token.find('.', first + 1) != last) return BadToken("it does not have three parts");
  Jwt out;
  out.signed_part = token.substr(0, last);
  std::string header;
  if (!pki::DecodeBase64Url(token.substr(0, first), header) ||
      !pki::DecodeBase64Url(token.substr(first + 1, last - first - 1), out.payload) ||
      !pki::DecodeBase64Url(token.substr(last + 1), out.signature))
    return BadToken("illegal base64 data");
  TRY(ReadJwtHeader(header, out));
  return out;
}

std::optional<StandardClaims> ReadStandardClaims(std::string_view payload) {
  api::Arena arena;
  JsonReader json(payload, arena);
  StandardClaims claims;
  const bool read = ReadStrictObject(json, [&](std::string_view name) {
    if (name == "iss") return ReadText(json, claims.issuer);
    if (name == "aud") return ReadTexts(json, claims.audiences);
    if (name == "exp") return ReadSeconds(json, claims.expiry.emplace());
    if (name == "nbf") return ReadSeconds(json, claims.not_before.emplace());
    return json.Skip();
  });
  if (!read || !json.AtEnd()) return std::nullopt;
  return claims;
}

base::Result<std::string, std::string> SignJwt(const pki::TokenKey& key, std::string_view header,
                                               std::string_view payload, std::string_view algorithm) {
  std::string token = pki::Base64Url(header) + "." + pki::Base64Url(payload);
  const auto signature = TRY(key.Sign(token, algorithm));
  return token + "." + pki::Base64Url(signature);
}

base::Result<std::vector<WebKey>, std::string> ParseWebKeySet(std::string_view text) {
  api::Arena arena;
  JsonReader json(text, arena);
  std::vector<WebKey> keys;
  bool has_keys = false;
  const bool read = ReadStrictObject(json, [&](std::string_view name) {
    if (name != "keys") return json.Skip();
    has_keys = true;
    return ReadArray(json, [&] {
      WebKeyFields fields;
      if (!ReadWebKey(json, fields)) return false;
      if (!fields.use.empty() && fields.use != "sig") return true;
      if (auto key = fields.Key())
        keys.push_back({std::move(fields.id), std::move(fields.algorithm), *std::move(key)});
      return true;
    });
  });
  if (!read || !json.AtEnd() || !has_keys) return base::Err(std::string("not a JSON web key set"));
  return keys;
}

bool IsSignedBy(const Jwt& token, const std::vector<WebKey>& keys) {
  if (token.unsupported) return false;
  for (const WebKey& key : keys) {
    if (!token.key_id.empty() && key.id != token.key_id) continue;
    if (!key.algorithm.empty() && key.algorithm != token.algorithm) continue;
    if (key.key.Verify(token.algorithm, token.signed_part, token.signature)) return true;
  }
  return false;
}

}  // namespace keelson::auth
