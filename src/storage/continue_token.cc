#include "storage/continue_token.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "api/codec/json.h"
#include "api/types/arena.h"
#include "api/types/doc.h"

namespace keelson::storage {
namespace {

using base::Err;

constexpr std::string_view kVersion = "meta.k8s.io/v1";
constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::string_view kInvalid = "continue key is not valid";

std::string EncodeBase64(std::string_view in) {
  std::string out;
  out.reserve((in.size() * 4 + 2) / 3);
  uint32_t bits = 0;
  int held = 0;
  for (unsigned char c : in) {
    bits = bits << 8 | c;
    for (held += 8; held >= 6; held -= 6) out += kAlphabet[bits >> (held - 6) & 63];
  }
  if (held) out += kAlphabet[bits << (6 - held) & 63];
  return out;
}

base::Result<std::string, std::string> DecodeBase64(std::string_view in) {
  const auto illegal = [](size_t at) {
    return Err("illegal base64 data at input byte " + std::to_string(at));
  };
  std::string out;
  uint32_t bits = 0;
  int held = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    const size_t value = kAlphabet.find(in[i]);
    if (value == std::string_view::npos) return illegal(i);
    bits = bits << 6 | static_cast<uint32_t>(value);
    held += 6;
    if (held >= 8) {
      held -= 8;
      out += static_cast<char>(bits >> held & 255);
    }
  }
  if (in.size() % 4 == 1) return illegal(in.size());
  return out;
}

// Whether Go's path.Clean would leave `path` as it is.
// Requires: path starts with '/'.
bool IsCleanPath(std::string_view path) {
  if (path == "/") return true;
  for (std::string_view rest = path.substr(1);;) {
    const size_t slash = rest.find('/');
    const std::string_view element = rest.substr(0, slash);
    if (element.empty() || element == "." || element == "..") return false;
    if (slash == std::string_view::npos) return true;
    rest.remove_prefix(slash + 1);
  }
}

}  // namespace

base::Result<ContinueToken, std::string> DecodeContinue(std::string_view token) {
  const auto invalid = [](std::string_view why) {
    return Err(std::string(kInvalid).append(": ").append(why));
  };
  auto text = DecodeBase64(token);
  if (!text) return invalid(text.error());
  api::Arena arena;
  auto value = api::json::DecodeAny(*text, arena);
  if (!value) {
    // Upstream's decoder takes any bytes, and complains of what else is wrong.
    std::ranges::replace_if(*text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
    value = api::json::DecodeAny(*text, arena);
  }
  if (!value) return invalid(value.error().message);
  if (!value->map()) return invalid("not a JSON object");
  const auto member = [&](std::string_view name) {
    const api::Value* found = value->map()->Find(name);
    return found ? *found : api::Value();
  };
  const std::string_view version = member("v").string();
  if (version != kVersion)
    return Err(std::string(kInvalid) + ": server does not recognize this encoded version " +
               std::string(version));
  ContinueToken decoded{.revision = member("rv").integer(),
                        .start_key = std::string(member("start").string())};
  if (decoded.revision == 0)
    return invalid("incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  if (decoded.start_key.empty()) return invalid("encoded start key empty (version meta.k8s.io/v1)");
  // A key that climbs ("../x") would read outside of what is listed.
  const std::string path = decoded.start_key.starts_with('/') ? decoded.start_key : "/" + decoded.start_key;
  if (!IsCleanPath(path)) return invalid(decoded.start_key);
  decoded.start_key = path.substr(1);
  return decoded;
}

std::string EncodeContinue(const ContinueToken& token) {
  base::BufferBuilder json;
  json.Append(R"({"v":"meta.k8s.io/v1","rv":)");
  json.Append(std::to_string(token.revision));
  json.Append(R"(,"start":)");
  api::json::EncodeString(token.start_key, json);
  json.Append('}');
  return EncodeBase64(json.view());
}

}  // namespace keelson::storage
