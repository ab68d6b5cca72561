#include "api/validation/core/secret.h"

#include "api/codec/json.h"
#include "api/validation/core/config_map.h"
#include "api/validation/core/fields.h"
#include "api/validation/names.h"

namespace keelson::api::core {
namespace {

using field::ErrorList;
using field::Path;

constexpr std::string_view kServiceAccountName = "kubernetes.io/service-account.name";

std::string_view GoKindOf(const Value& v) {
  switch (v.tag()) {
    case Value::Tag::kBool: return "bool";
    case Value::Tag::kString: return "string";
    case Value::Tag::kList: return "array";
    default: return "number";
  }
}

// What is wrong with `text` as a JSON object; empty: nothing.
std::string ComplaintAboutJsonObject(std::string_view text) {
  Arena arena;
  const auto value = json::DecodeAny(text, arena);
  if (!value) return value.error().message;
  if (value->is(Value::Tag::kMap) || value->is(Value::Tag::kNull)) return {};
  return "json: cannot unmarshal " + std::string(GoKindOf(*value)) +
         " into Go value of type map[string]interface {}";
}

void RequireJsonObject(core_v1::SecretView secret, std::string_view key, ErrorList& errors) {
  const Path data("data");
  const Value* value = secret.data().Find(key);
  if (!value) {
    errors.Add(field::Required(data.Key(key), ""));
  } else if (const std::string why = ComplaintAboutJsonObject(value->string()); !why.empty()) {
    errors.Add(field::Invalid(data.Key(key), field::RenderValue("<secret contents redacted>"), why));
  }
}

// What each well-known type must hold; other types hold what they like.
void ValidateType(core_v1::SecretView secret, ErrorList& errors) {
  const Path data("data");
  const auto require = [&](std::string_view key) { errors.Add(field::Required(data.Key(key), "")); };
  const auto has = [&](std::string_view key) { return secret.data().Find(key) != nullptr; };
  const std::string_view type = secret.type();
  if (type == "kubernetes.io/service-account-token") {
    const Value* name = secret.metadata().annotations().Find(kServiceAccountName);
    const Path metadata("metadata");
    if (!name || name->string().empty()) {
      errors.Add(field::Required(metadata.Child("annotations").Key(kServiceAccountName), ""));
    }
  } else if (type == "kubernetes.io/dockercfg") {
    RequireJsonObject(secret, ".dockercfg", errors);
  } else if (type == "kubernetes.io/dockerconfigjson") {
    RequireJsonObject(secret, ".dockerconfigjson", errors);
  } else if (type == "kubernetes.io/basic-auth") {
    if (!has("username") && !has("password")) {
      require("username");
      require("password");
    }
  } else if (type == "kubernetes.io/ssh-auth") {
    const Value* key = secret.data().Find("ssh-privatekey");
    if (!key || key->string().empty()) require("ssh-privatekey");
  } else if (type == "kubernetes.io/tls") {
    if (!has("tls.crt")) require("tls.crt");
    if (!has("tls.key")) require("tls.key");
  }
}

}  // namespace

ErrorList ValidateSecret(core_v1::SecretView secret) {
  ErrorList errors;
  const Path data("data");
  size_t total = 0;
  for (const auto& [key, value] : secret.data()) {
    errors.AddInvalid(data.Key(key), key, IsConfigMapKey(key));
    total += value.string().size();
  }
  if (total > kMaxSecretSize) errors.Add(field::TooLong(data, kMaxSecretSize));
  ValidateType(secret, errors);
  return errors;
}

ErrorList ValidateSecretUpdate(core_v1::SecretView now, core_v1::SecretView was) {
  ErrorList errors;
  if (now.type() != was.type()) {
    errors.Add(field::Invalid(Path("type"), field::RenderValue(now.type()), kFieldImmutable));
  }
  if (was.immutable()) {
    if (!now.immutable()) errors.Add(field::Forbidden(Path("immutable"), kImmutableOnceSet));
    if (!SameField(now, was, "data")) errors.Add(field::Forbidden(Path("data"), kImmutableOnceSet));
  }
  errors.Append(ValidateSecret(now));
  return errors;
}

}  // namespace keelson::api::core
