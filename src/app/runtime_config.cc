#include "app/runtime_config.h"

#include <algorithm>
#include <optional>
#include <set>
#include <span>

#include "base/go_bool.h"

namespace keelson::app {
namespace {

constexpr std::string_view kAll = "api/all", kGa = "api/ga", kBeta = "api/beta", kAlpha = "api/alpha";

// Versions that kube-apiserver v1.36 knows and serves nothing in: it was removed. Sorted.
constexpr std::string_view kRemoved[] = {
    "apps/v1beta1",
    "apps/v1beta2",
    "authentication.k8s.io/v1alpha1",
    "authentication.k8s.io/v1beta1",
    "authorization.k8s.io/v1beta1",
    "batch/v1beta1",
    "discovery.k8s.io/v1beta1",
    "events.k8s.io/v1beta1",
    "extensions/v1beta1",
    "flowcontrol.apiserver.k8s.io/v1beta1",
    "flowcontrol.apiserver.k8s.io/v1beta2",
    "flowcontrol.apiserver.k8s.io/v1beta3",
    "imagepolicy.k8s.io/v1alpha1",
    "node.k8s.io/v1alpha1",
    "node.k8s.io/v1beta1",
    "policy/v1beta1",
    "rbac.authorization.k8s.io/v1alpha1",
    "rbac.authorization.k8s.io/v1beta1",
    "scheduling.k8s.io/v1beta1",
    "storage.k8s.io/v1alpha1",
};

enum class Stability : uint8_t { kGa, kBeta, kAlpha };

Stability StabilityOf(std::string_view version) {
  if (version.find("alpha") != version.npos) return Stability::kAlpha;
  return version.find("beta") != version.npos ? Stability::kBeta : Stability::kGa;
}

struct Key {
  std::string group, version, resource;
  std::string GroupVersion() const { return group + "/" + version; }
};

// nullopt: neither group/version nor group/version/resource.
std::optional<Key> ParseKey(std::string_view text) {
  const size_t first = text.find('/');
  if (first == text.npos) return std::nullopt;
  const size_t second = text.find('/', first + 1);
  Key key{std::string(text.substr(0, first)), std::string(text.substr(first + 1, second - first - 1)), ""};
  if (second == text.npos) return key;
  key.resource = text.substr(second + 1);
  if (key.resource.find('/') != key.resource.npos) return std::nullopt;
  return key;
}

bool IsSwitch(std::string_view key) { return key == kAll || key == kGa || key == kBeta || key == kAlpha; }

bool HasGroup(std::string_view group) {
  const auto of_group = [&](std::string_view gv) { return gv.substr(0, gv.find('/')) == group; };
  return std::ranges::any_of(api::BuiltinResources(), [&](const auto& r) { return r.group == group; }) ||
         std::ranges::any_of(kRemoved, of_group);
}
bool HasVersion(std::string_view group, std::string_view version) {
  return std::ranges::any_of(api::BuiltinResources(),
                             [&](const auto& r) { return r.group == group && r.version == version; });
}

// The best version that `group` is served in by default; empty: none.
std::string StableVersion(std::string_view group) {
  for (const api::ResourceDesc& r : api::BuiltinResources())
    if (r.group == group && StabilityOf(r.version) == Stability::kGa)
      return std::string(group) + "/" + std::string(r.version);
  return "";
}

using Pairs = std::map<std::string, std::string>;

Pairs Split(const std::vector<std::string>& pairs) {
  Pairs split;
  for (const std::string& pair : pairs) {
    if (pair.empty()) continue;
    const size_t equals = pair.find('=');
    split[pair.substr(0, equals)] = equals == pair.npos ? "" : pair.substr(equals + 1);
  }
  return split;
}

// Groups that nobody has, and keys that are none.
base::Result<void, std::string> CheckKeys(const Pairs& pairs) {
  if (pairs.size() == 1 && pairs.begin()->first == kAll && pairs.begin()->second == "false")
    return base::Err("invalid runtime-config with only " + std::string(kAll) + "=false");
  std::set<std::string> unknown;
  for (const auto& [name, value] : pairs) {
    if (IsSwitch(name)) continue;
    const auto key = ParseKey(name);
    if (!key) return base::Err("runtime-config invalid key " + name);
    if (!HasGroup(key->group)) unknown.insert(key->GroupVersion());
  }
  if (unknown.empty()) return {};
  std::string names;
  for (const std::string& name : unknown) names.append(names.empty() ? "" : ",").append(name);
  return base::Err("unknown api groups " + names);
}

// The value of a key that is no switch, once the key is in order.
base::Result<bool, std::string> ValueOf(const std::string& name, const std::string& text, const Key& key) {
  if (!std::ranges::binary_search(kRemoved, key.GroupVersion()) && !HasVersion(key.group, key.version))
    return base::Err("group version " + key.GroupVersion() + " that has not been registered");
  const auto value = text.empty() ? base::Result<bool, std::string>(true) : base::ParseGoBool(text);
  if (!value) return base::Err("invalid value of " + name + ": " + text + ", err: " + value.error());
  if (std::ranges::any_of(key.resource, [](char c) { return c >= 'A' && c <= 'Z'; }))
    return base::Err("invalid key " + name +
                     ": group/version/resource and resource is always lowercase plural, not \"" +
                     key.resource + "\"");
  return *value;
}

// What is asked for by its name must serve something.
base::Result<void, std::string> CheckEffect(const std::string& name, const Key& key,
                                            const FeatureGates& gates) {
  const std::string stable = StableVersion(key.group);
  const std::string instead = stable.empty() ? "" : "; use " + stable;
  if (std::ranges::binary_search(kRemoved, key.GroupVersion()))
    return base::Err("runtime-config: " + name + " is removed, and nothing is served in it" + instead);
  bool known = false;
  std::string_view gate;
  for (const api::ResourceDesc& r : api::BuiltinResources()) {
    if (r.group != key.group || r.version != key.version) continue;
    if (!key.resource.empty() && key.resource != r.plural) continue;
    const std::string_view its_gate = GateOf(r.group, r.version, r.plural);
    if (its_gate.empty() || gates.Enabled(its_gate)) return {};
    if (!known) gate = its_gate;
    known = true;
  }
  if (known)
    return base::Err("runtime-config: " + name +
                     " serves nothing without --feature-gates=" + std::string(gate) + "=true");
  return base::Err("runtime-config: " + name + " serves nothing: there is no resource of that name");
}

}  // namespace

base::Result<RuntimeConfig, std::string> RuntimeConfig::Parse(const std::vector<std::string>& pairs,
                                                              const FeatureGates& gates) {
  const Pairs split = Split(pairs);
  TRY(CheckKeys(split));
  RuntimeConfig config;
  config.gates_ = gates;
  for (std::string_view name : {kAll, kGa, kBeta, kAlpha}) {
    const auto given = split.find(std::string(name));
    if (given == split.end()) continue;
    if (given->second != "true" && given->second != "false")
      return base::Err("invalid value " + given->first + "=" + given->second);
    const bool on = given->second == "true";
    if (name == kAll || name == kGa) config.ga_ = on;
    if (name == kAll || name == kBeta) config.beta_ = on;
    if (name == kAll || name == kAlpha) config.alpha_ = on;
  }
  for (const auto& [name, text] : split) {
    if (IsSwitch(name)) continue;
    const Key key = *ParseKey(name);
    const bool on = TRY(ValueOf(name, text, key));
    if (on) TRY(CheckEffect(name, key, gates));
    (key.resource.empty() ? config.versions_ : config.resources_)[name] = on;
  }
  return config;
}

bool RuntimeConfig::Serves(std::string_view group, std::string_view version,
                           std::string_view resource) const {
  if (!ServesByName(group, version, resource)) return false;
  const std::string_view gate = GateOf(group, version, resource);
  return gate.empty() || gates_.Enabled(gate);
}

bool RuntimeConfig::ServesByName(std::string_view group, std::string_view version,
                                 std::string_view resource) const {
  std::string name(group);
  name.append("/").append(version);
  const auto of_version = versions_.find(name);
  name.append("/").append(resource);
  if (const auto own = resources_.find(name); own != resources_.end()) return own->second;
  if (of_version != versions_.end()) return of_version->second;
  switch (StabilityOf(version)) {
    case Stability::kBeta: return beta_;
    case Stability::kAlpha: return alpha_;
    case Stability::kGa: break;
  }
  return ga_;
}

bool RuntimeConfig::Stores(const api::ResourceDesc& resource) const {
  if (StabilityOf(resource.version) == Stability::kGa) return true;
  return std::ranges::any_of(api::EquivalentResources(resource),
                             [this](const api::ResourceDesc* version) { return Serves(*version); });
}

}  // namespace keelson::app
