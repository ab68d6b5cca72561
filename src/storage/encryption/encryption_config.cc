#include "storage/encryption/encryption_config.h"

#include <algorithm>
#include <optional>
#include <set>
#include <span>

#include "api/codec/base64.h"
#include "api/codec/config_reader.h"
#include "api/codec/yaml.h"
#include "api/validation/field.h"
#include "base/go_duration.h"
#include "storage/encryption/cipher.h"

namespace keelson::storage::encryption {
namespace {

namespace field = api::field;
using Kind = ProviderConfig::Kind;

constexpr std::string_view kApiVersion = "apiserver.config.k8s.io/v1";
constexpr std::string_view kKind = "EncryptionConfiguration";

constexpr std::string_view kUnix = "unix:";

constexpr size_t kAesKeySizes[] = {16, 24, 32};
constexpr size_t kSecretboxKeySizes[] = {32};

// The file as it was written, before it is judged.
struct RawKey {
  std::string name, secret;
};
struct RawKms {
  std::string api_version = "v1";
  std::string name, endpoint;
  std::string timeout = "3s";
  std::optional<int32_t> cache_size;
};
struct RawProvider {
  std::vector<Kind> kinds;  // one is right
  std::vector<RawKey> keys;
  RawKms kms;
};
struct RawRule {
  std::vector<std::string> resources;
  std::vector<RawProvider> providers;
};
struct RawConfig {
  std::string api_version, kind;
  std::vector<RawRule> rules;
};

// Reads the JSON of the file; members that nobody knows are errors.
class Reader {
 public:
  explicit Reader(std::string_view json) : reader_(json, /*strict=*/true) {}

  base::Result<RawConfig, std::string> Run() {
    RawConfig config;
    const bool read = reader_.Object([&](std::string_view name) {
      if (name == "apiVersion") return reader_.Text(config.api_version);
      if (name == "kind") return reader_.Text(config.kind);
      if (name == "resources") return reader_.List([&] { return Rule(config.rules.emplace_back()); });
      return reader_.Unknown();
    });
    if (read && reader_.AtEnd()) return config;
    return base::Err(reader_.error());
  }

 private:
  bool Rule(RawRule& rule) {
    return reader_.Object([&](std::string_view name) {
      if (name == "resources")
        return reader_.List([&] { return reader_.Text(rule.resources.emplace_back()); });
      if (name == "providers") return reader_.List([&] { return Provider(rule.providers.emplace_back()); });
      return reader_.Unknown();
    });
  }

  bool Provider(RawProvider& provider) {
    return reader_.Object([&](std::string_view name) {
      std::optional<Kind> kind;
      if (name == "kms") kind = Kind::kKms;
      if (name == "aesgcm") kind = Kind::kAesGcm;
      if (name == "aescbc") kind = Kind::kAesCbc;
      if (name == "secretbox") kind = Kind::kSecretbox;
      if (name == "identity") kind = Kind::kIdentity;
      if (!kind) return reader_.Unknown();
      if (reader_.Null()) return true;
      provider.kinds.push_back(*kind);
      if (*kind == Kind::kKms) return Kms(provider.kms);
      return reader_.Object([&](std::string_view member) {
        if (member != "keys" || *kind == Kind::kIdentity) return reader_.Unknown();
        return reader_.List([&] { return Key(provider.keys.emplace_back()); });
      });
    });
  }

  bool Kms(RawKms& kms) {
    return reader_.Object([&](std::string_view name) {
      if (name == "apiVersion") return reader_.Text(kms.api_version);
      if (name == "name") return reader_.Text(kms.name);
      if (name == "endpoint") return reader_.Text(kms.endpoint);
      if (name == "timeout") return reader_.Text(kms.timeout);
      if (name == "cachesize") return reader_.Int32(kms.cache_size);
      return reader_.Unknown();
    });
  }

  bool Key(RawKey& key) {
    return reader_.Object([&](std::string_view name) {
      if (name == "name") return reader_.Text(key.name);
      if (name == "secret") return reader_.Text(key.secret);
      return reader_.Unknown();
    });
  }

  api::ConfigReader reader_;
};

// As Go prints a list of strings.
std::string ShowList(const std::vector<std::string>& items) {
  std::string out = "[";
  for (const std::string& item : items) out += (out.size() == 1 ? "\"" : ",\"") + item + "\"";
  return out + "]";
}

std::string_view GroupOf(std::string_view resource) {
  const size_t dot = resource.find('.');
  return dot == std::string_view::npos ? "" : resource.substr(dot + 1);
}
std::string_view NameOf(std::string_view resource) { return resource.substr(0, resource.find('.')); }

void CheckOverlap(const std::vector<std::string>& resources, const field::Path& path,
                  field::ErrorList& errors) {
  bool twice = false;
  bool overlap = false;
  for (size_t i = 0; i < resources.size(); ++i)
    for (size_t j = 0; j < resources.size(); ++j) {
      if (i == j) continue;
      const std::string_view one = resources[i];
      const std::string_view other = resources[j];
      const bool same = NameOf(one) == NameOf(other) && GroupOf(one) == GroupOf(other);
      twice = twice || same;
      overlap = overlap || (!same && (one == "*.*" || (GroupOf(one) == GroupOf(other) &&
                                                       (NameOf(one) == "*" || NameOf(other) == "*"))));
    }
  if (twice)
    errors.Add(
        field::Invalid(path, ShowList(resources), "the same resource cannot be specified multiple times"));
  if (overlap)
    errors.Add(field::Invalid(path, ShowList(resources),
                              "using overlapping resources such as 'secrets' and '*.' in the same resource "
                              "list is not allowed as they will be masked"));
}

std::string_view WhatIsWrongWith(std::string_view resource) {
  if (std::ranges::any_of(resource, [](char c) { return c >= 'A' && c <= 'Z'; }))
    return "resource name should not contain capital letters";
  if (resource == "*")
    return "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources";
  if (resource == "apiserveripinfo" || resource == "serviceipallocations" ||
      resource == "servicenodeportallocations")
    return "resources which do not have REST API/s cannot be encrypted";
  const std::string_view group = GroupOf(resource);
  if (group == "events.k8s.io")
    return "'*.events.k8s.io' objects are stored using the 'events' API group in etcd. Use 'events' instead "
           "in the config file";
  if (group == "extensions") return "'extensions' group has been removed and cannot be used for encryption";
  if (group == "*" && NameOf(resource) != "*")
    return "encrypting the same resource across groups is not supported";
  return "";
}

std::string ShowSizes(std::span<const size_t> sizes) {
  std::string out = "[";
  for (size_t size : sizes) out += (out.size() == 1 ? "" : " ") + std::to_string(size);
  return out + "]";
}

KeyConfig CheckKey(const RawKey& raw, std::span<const size_t> sizes, const field::Path& path,
                   field::ErrorList& errors) {
  KeyConfig key{.name = raw.name};
  if (raw.name.empty())
    errors.Add(field::Required(path.Child("name"), "name is a mandatory field for a key"));
  if (raw.secret.empty()) {
    errors.Add(field::Required(path.Child("secret"), "secret is a mandatory field for a key"));
    return key;
  }
  const auto wrong = [&](std::string_view why) {
    errors.Add(field::Invalid(path.Child("secret"), field::RenderValue("REDACTED"), why));
  };
  key.secret.resize(api::Base64DecodedBound(raw.secret.size()));
  const auto size = api::Base64Decode(raw.secret, key.secret.data());
  if (!size) {
    wrong("secrets must be base64 encoded");
    return key;
  }
  key.secret.resize(*size);
  if (std::ranges::find(sizes, *size) == sizes.end())
    wrong("secret is not of the expected length, got " + std::to_string(*size) + ", expected one of " +
          ShowSizes(sizes));
  return key;
}

std::string_view NameOf(Kind kind) {
  switch (kind) {
    case Kind::kIdentity: return "identity";
    case Kind::kAesGcm: return "aesgcm";
    case Kind::kAesCbc: return "aescbc";
    case Kind::kSecretbox: return "secretbox";
    case Kind::kKms: return "kms";
  }
  return "";
}

// The path of a socket as a URL; empty: it is none.
std::string SocketOf(std::string_view endpoint) {
  if (!endpoint.starts_with(kUnix)) return "";
  endpoint.remove_prefix(kUnix.size());
  // What stands before the path is a host, which has no meaning here.
  if (endpoint.starts_with("//"))
    endpoint = endpoint.substr(std::min(endpoint.find('/', 2), endpoint.size()));
  if (endpoint.starts_with("/@")) endpoint.remove_prefix(1);
  return std::string(endpoint);
}

KmsConfig CheckKms(const RawKms& raw, const field::Path& path, std::set<std::string>& names,
                   field::ErrorList& errors) {
  const auto wrong = [&](const char* member, std::string value, std::string_view why) {
    errors.Add(field::Invalid(path.Child(member), std::move(value), why));
  };
  const bool v1 = raw.api_version == "v1";
  if (raw.name.empty())
    errors.Add(field::Required(path.Child("name"), "name is a mandatory field for a provider"));
  const std::string shown = field::RenderValue(raw.name);
  if (!v1 && raw.name.find(':') != std::string::npos)
    wrong("name", shown, "invalid KMS provider name " + raw.name + ", must not contain ':'");
  if (!names.insert(raw.name).second)
    wrong("name", shown, "duplicate KMS provider name " + raw.name + ", names must be unique");
  const auto timeout = base::ParseGoDuration(raw.timeout);
  if (!timeout || timeout->count() <= 0)
    wrong("timeout", field::RenderValue(raw.timeout),
          timeout ? "timeout should be a positive value" : timeout.error());
  std::string socket = SocketOf(raw.endpoint);
  if (raw.endpoint.empty())
    wrong("endpoint", "\"\"", "endpoint is a mandatory field for a kms");
  else if (!raw.endpoint.starts_with(kUnix))
    wrong("endpoint", field::RenderValue(raw.endpoint),
          "unsupported scheme \"" + raw.endpoint.substr(0, raw.endpoint.find(':')) +
              "\" for KMS provider, only unix is supported");
  else if (socket.empty())
    wrong("endpoint", field::RenderValue(raw.endpoint), "no path of a socket");
  if (!v1 && raw.cache_size)
    wrong("cachesize", std::to_string(*raw.cache_size), "cachesize is not supported in v2");
  if (!v1 && raw.api_version != "v2")
    wrong("apiVersion", field::RenderValue(raw.api_version),
          "unsupported apiVersion apiVersion for KMS provider, only v1 and v2 are supported");
  if (v1)
    errors.Add(field::Forbidden(path.Child("apiVersion"),
                                "KMSv1 is deprecated and not implemented by keelson; use apiVersion: v2"));
  return {.name = raw.name,
          .socket = std::move(socket),
          .timeout = timeout.value_or(std::chrono::nanoseconds(0))};
}

// `kms_names`: of all key services so far.
ProviderConfig CheckProvider(const RawProvider& raw, const field::Path& path,
                             std::set<std::string>& kms_names, field::ErrorList& errors) {
  ProviderConfig provider;
  const auto wrong = [&](std::string_view why) { errors.Add(field::Invalid(path, "{}", why)); };
  if (raw.kinds.empty()) {
    wrong(
        "provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity");
    return provider;
  }
  if (raw.kinds.size() > 1) {
    wrong("more than one provider specified in a single element, should split into different list elements");
    return provider;
  }
  provider.kind = raw.kinds.front();
  if (provider.kind == Kind::kIdentity) return provider;
  const field::Path own = path.Child(NameOf(provider.kind));
  if (provider.kind == Kind::kKms) {
    provider.kms = CheckKms(raw.kms, own, kms_names, errors);
    return provider;
  }
  const field::Path keys = own.Child("keys");
  if (raw.keys.empty()) errors.Add(field::Required(keys, "at least one keys is required"));
  const std::span<const size_t> sizes =
      provider.kind == Kind::kSecretbox ? std::span<const size_t>(kSecretboxKeySizes) : kAesKeySizes;
  for (size_t i = 0; i < raw.keys.size(); ++i)
    provider.keys.push_back(CheckKey(raw.keys[i], sizes, keys.Index(i), errors));
  return provider;
}

ResourceRule CheckRule(const RawRule& raw, const field::Path& path, std::set<std::string>& kms_names,
                       field::ErrorList& errors) {
  ResourceRule rule{.resources = raw.resources};
  const field::Path resources = path.Child("resources");
  const field::Path providers = path.Child("providers");
  if (raw.resources.empty())
    errors.Add(field::Required(resources, "at least one " + resources.ToString() + " is required"));
  CheckOverlap(raw.resources, resources, errors);
  for (size_t i = 0; i < raw.resources.size(); ++i)
    if (const auto wrong = WhatIsWrongWith(raw.resources[i]); !wrong.empty())
      errors.Add(field::Invalid(resources.Index(i), field::RenderValue(raw.resources[i]), wrong));
  if (raw.providers.empty())
    errors.Add(field::Required(providers, "at least one " + providers.ToString() + " is required"));
  for (size_t i = 0; i < raw.providers.size(); ++i)
    rule.providers.push_back(CheckProvider(raw.providers[i], providers.Index(i), kms_names, errors));
  return rule;
}

}  // namespace

base::Result<EncryptionConfig, std::string> ParseEncryptionConfig(std::string_view text) {
  std::vector<std::string> duplicates;
  const auto json = api::yaml::ToJson(text, &duplicates);
  if (!json) return base::Err(json.error().message);
  if (!duplicates.empty()) return base::Err(std::move(duplicates.front()));
  const auto raw = TRY(Reader(*json).Run());
  if (raw.api_version != kApiVersion || raw.kind != kKind)
    return base::Err("expected " + std::string(kKind) + " of " + std::string(kApiVersion) + ", got \"" +
                     raw.kind + "\" of \"" + raw.api_version + "\"");
  EncryptionConfig config;
  field::ErrorList errors;
  std::set<std::string> kms_names;
  const field::Path root("resources");
  if (raw.rules.empty()) errors.Add(field::Required(root, "at least one resources is required"));
  for (size_t i = 0; i < raw.rules.size(); ++i)
    config.rules.push_back(CheckRule(raw.rules[i], root.Index(i), kms_names, errors));
  if (!errors.empty()) return base::Err(errors.Aggregate());
  return config;
}

std::vector<KmsConfig> EncryptionConfig::KeyServices() const {
  std::vector<KmsConfig> services;
  for (const ResourceRule& rule : rules)
    for (const ProviderConfig& provider : rule.providers)
      if (provider.kind == Kind::kKms) services.push_back(provider.kms);
  return services;
}

base::Result<std::string, std::string> GenerateEncryptionConfig() {
  const auto secret = TRY(RandomBytes(kSecretboxKeySizes[0]));
  std::string encoded(api::Base64EncodedSize(secret.size()), '\0');
  api::Base64Encode(secret, encoded.data());
  return "# How secrets are kept in the store. Without the key in here they cannot be read.\n"
         "apiVersion: apiserver.config.k8s.io/v1\n"
         "kind: EncryptionConfiguration\n"
         "resources:\n"
         "- resources:\n"
         "  - secrets\n"
         "  providers:\n"
         "  - secretbox:\n"
         "      keys:\n"
         "      - name: key1\n"
         "        secret: " +
         encoded +
         "\n"
         "  - identity: {}\n";
}

}  // namespace keelson::storage::encryption
