#include "storage/encryption/encryption.h"

#include <algorithm>

#include "api/types/resource_desc.h"

namespace keelson::storage::encryption {
namespace {

using Kind = ProviderConfig::Kind;

const Transformer& Identity() {
  static const Transformer identity({Provider{}});
  return identity;
}

std::string_view PrefixOf(Kind kind) {
  switch (kind) {
    case Kind::kIdentity: return "";
    case Kind::kAesGcm: return "k8s:enc:aesgcm:v1:";
    case Kind::kAesCbc: return "k8s:enc:aescbc:v1:";
    case Kind::kSecretbox: return "k8s:enc:secretbox:v1:";
    case Kind::kKms: return "k8s:enc:kms:v2:";
  }
  return "";
}

std::unique_ptr<Cipher> MakeCipher(Kind kind, const std::string& secret) {
  switch (kind) {
    case Kind::kIdentity:
    case Kind::kKms: return nullptr;
    case Kind::kAesGcm: return MakeAesGcm(secret);
    case Kind::kAesCbc: return MakeAesCbc(secret);
    case Kind::kSecretbox: return MakeSecretbox(secret);
  }
  return nullptr;
}

std::vector<Provider> MakeProviders(const std::vector<ProviderConfig>& configs, SealIds& seal_ids,
                                    const Encryption::KeyServices& services) {
  std::vector<Provider> providers;
  for (const ProviderConfig& config : configs) {
    if (config.kind == Kind::kIdentity) providers.emplace_back();
    if (config.kind == Kind::kKms) {
      std::string prefix = std::string(PrefixOf(config.kind)) + config.kms.name + ":";
      const SealId seal = seal_ids.Number(prefix, "");
      providers.push_back({std::move(prefix), services(config.kms), seal});
    }
    for (const KeyConfig& key : config.keys) {
      std::string prefix = std::string(PrefixOf(config.kind)) + key.name + ":";
      const SealId seal = seal_ids.Number(prefix, key.secret);
      providers.push_back({std::move(prefix), MakeCipher(config.kind, key.secret), seal});
    }
  }
  return providers;
}

// "resource.group" as a pair of group and resource.
std::pair<std::string, std::string> Split(const std::string& name) {
  const size_t dot = name.find('.');
  if (dot == std::string::npos) return {"", name};
  return {name.substr(dot + 1), name.substr(0, dot)};
}

std::string Show(const std::pair<std::string, std::string>& gr) {
  if (gr.first.empty()) return gr.second == "*" ? "*." : gr.second;
  return gr.second + "." + gr.first;
}

}  // namespace

base::Result<std::unique_ptr<const Encryption>, std::string> Encryption::Make(const EncryptionConfig& config,
                                                                              std::string prefix,
                                                                              SealIds& seal_ids,
                                                                              const KeyServices& services) {
  if (!services && !config.KeyServices().empty())
    return base::Err(std::string("a KMS provider cannot be used here"));
  std::map<GroupResource, std::vector<Provider>> rules;
  for (const ResourceRule& rule : config.rules) {
    const std::vector<Provider> providers = MakeProviders(rule.providers, seal_ids, services);
    for (const std::string& name : rule.resources) {
      const GroupResource resource = Split(name);
      for (const GroupResource& wider : {GroupResource{resource.first, "*"}, GroupResource{"*", "*"}})
        if (rules.contains(wider))
          return base::Err("resource \"" + Show(resource) + "\" is masked by earlier rule \"" + Show(wider) +
                           "\"");
      auto& all = rules[resource];
      all.insert(all.end(), providers.begin(), providers.end());
    }
  }
  std::unique_ptr<Encryption> encryption(new Encryption(std::move(prefix)));
  for (auto& [resource, providers] : rules)
    encryption->rules_.emplace(resource, Transformer(std::move(providers)));
  encryption->AddBuiltin();
  return encryption;
}

std::unique_ptr<const Encryption> Encryption::None() {
  return std::unique_ptr<const Encryption>(new Encryption(""));
}

void Encryption::AddBuiltin() {
  std::map<std::string_view, const api::ResourceDesc*> by_prefix;
  for (const api::ResourceDesc& desc : api::BuiltinResources()) {
    if (!desc.storage_type || desc.storage_prefix.empty()) continue;
    // Events are those of the core group, whichever group shows them.
    const auto [at, added] = by_prefix.try_emplace(desc.storage_prefix, &desc);
    if (!added && desc.group.empty()) at->second = &desc;
  }
  for (const auto& [prefix, desc] : by_prefix)
    builtin_.emplace_back(std::string(prefix) + "/", &ForResource(desc->group, desc->plural));
  std::ranges::sort(builtin_, {}, [](const auto& entry) -> const std::string& { return entry.first; });
}

const Transformer& Encryption::ForResource(std::string_view group, std::string_view resource) const {
  for (const GroupResource& rule :
       {GroupResource{group, resource}, GroupResource{group, "*"}, GroupResource{"*", "*"}})
    if (const auto at = rules_.find(rule); at != rules_.end()) return at->second;
  return Identity();
}

const Transformer* Encryption::ForBuiltin(std::string_view key) const {
  if (!key.starts_with(prefix_)) return nullptr;
  key.remove_prefix(prefix_.size());
  const auto next = std::ranges::upper_bound(builtin_, key, {},
                                             [](const auto& entry) { return std::string_view(entry.first); });
  const bool found = next != builtin_.begin() && key.starts_with(std::prev(next)->first);
  return found ? std::prev(next)->second : nullptr;
}

const Transformer& Encryption::For(std::string_view key) const {
  if (rules_.empty()) return Identity();
  if (const Transformer* builtin = ForBuiltin(key)) return *builtin;
  // What has no API is never encrypted; custom resources are below the names of their groups.
  if (!key.starts_with(prefix_ + "/")) return Identity();
  key.remove_prefix(prefix_.size() + 1);
  const std::string_view group = key.substr(0, key.find('/'));
  if (group.size() == key.size() || group.find('.') == std::string_view::npos) return Identity();
  key.remove_prefix(group.size() + 1);
  return ForResource(group, key.substr(0, key.find('/')));
}

bool Encryption::PlainBelow(std::string_view prefix) const {
  if (rules_.empty()) return true;
  const Transformer* builtin = ForBuiltin(prefix);
  return builtin && builtin->plain();
}

}  // namespace keelson::storage::encryption
