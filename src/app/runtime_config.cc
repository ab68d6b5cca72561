#include "app/runtime_config.h"

#include <algorithm>
#include <optional>
#include <set>
#include <span>

#include "base/go_bool.h"

namespace keelson::app {
namespace {

constexpr std::string_view kAll = "api/all", kGa = "api/ga", kBeta = "api/beta", kAlpha = "api/alpha";

// What kube-apiserver v1.36 also has; sorted.
constexpr std::string_view kUpstreamOnly[] = {
    "admissionregistration.k8s.io/v1alpha1",
    "admissionregistration.k8s.io/v1beta1",
    "apps/v1beta1",
    "apps/v1beta2",
    "authentication.k8s.io/v1alpha1",
    "authentication.k8s.io/v1beta1",
    "authorization.k8s.io/v1beta1",
    "batch/v1beta1",
    "certificates.k8s.io/v1alpha1",
    "certificates.k8s.io/v1beta1",
    "coordination.k8s.io/v1alpha2",
    "coordination.k8s.io/v1beta1",
    "discovery.k8s.io/v1beta1",
    "events.k8s.io/v1beta1",
    "extensions/v1beta1",
    "flowcontrol.apiserver.k8s.io/v1beta1",
    "flowcontrol.apiserver.k8s.io/v1beta2",
    "flowcontrol.apiserver.k8s.io/v1beta3",
    "imagepolicy.k8s.io/v1alpha1",
    "internal.apiserver.k8s.io/v1alpha1",
    "networking.k8s.io/v1beta1",
    "node.k8s.io/v1alpha1",
    "node.k8s.io/v1beta1",
    "policy/v1beta1",
    "rbac.authorization.k8s.io/v1alpha1",
    "rbac.authorization.k8s.io/v1beta1",
    "resource.k8s.io/v1alpha3",
    "resource.k8s.io/v1beta1",
    "resource.k8s.io/v1beta2",
    "scheduling.k8s.io/v1alpha2",
    "scheduling.k8s.io/v1beta1",
    "storage.k8s.io/v1alpha1",
    "storage.k8s.io/v1beta1",
    "storagemigration.k8s.io/v1beta1",
};

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
  return std::ranges::any_of(api::BuiltinResources(), [&](const auto& r) { return r.group == group; }) ||
         std::ranges::any_of(kUpstreamOnly,
                             [&](std::string_view gv) { return gv.substr(0, gv.find('/')) == group; });
}
bool HasVersion(std::string_view group, std::string_view version) {
  return std::ranges::any_of(api::BuiltinResources(),
                             [&](const auto& r) { return r.group == group && r.version == version; });
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

}  // namespace

base::Result<RuntimeConfig, std::string> RuntimeConfig::Parse(const std::vector<std::string>& pairs) {
  const Pairs split = Split(pairs);
  TRY(CheckKeys(split));
  RuntimeConfig config;
  for (std::string_view name : {kAll, kGa, kBeta, kAlpha}) {
    const auto given = split.find(std::string(name));
    if (given == split.end()) continue;
    if (given->second != "true" && given->second != "false")
      return base::Err("invalid value " + given->first + "=" + given->second);
    if (name == kAll || name == kGa) config.ga_ = given->second == "true";
  }
  for (const auto& [name, text] : split) {
    if (IsSwitch(name)) continue;
    const Key key = *ParseKey(name);
    const bool upstream_only = std::ranges::binary_search(kUpstreamOnly, key.GroupVersion());
    if (!upstream_only && !HasVersion(key.group, key.version))
      return base::Err("group version " + key.GroupVersion() + " that has not been registered");
    const auto value = text.empty() ? base::Result<bool, std::string>(true) : base::ParseGoBool(text);
    if (!value) return base::Err("invalid value of " + name + ": " + text + ", err: " + value.error());
    if (std::ranges::any_of(key.resource, [](char c) { return c >= 'A' && c <= 'Z'; }))
      return base::Err("invalid key " + name +
                       ": group/version/resource and resource is always lowercase plural, not \"" +
                       key.resource + "\"");
    if (upstream_only && *value)
      return base::Err("runtime-config: " + name + " is known to kube-apiserver but not served by keelson");
    (key.resource.empty() ? config.versions_ : config.resources_)[name] = *value;
  }
  return config;
}

bool RuntimeConfig::Serves(std::string_view group, std::string_view version,
                           std::string_view resource) const {
  std::string name(group);
  name.append("/").append(version);
  const auto of_version = versions_.find(name);
  name.append("/").append(resource);
  if (const auto own = resources_.find(name); own != resources_.end()) return own->second;
  return of_version != versions_.end() ? of_version->second : ga_;
}

}  // namespace keelson::app
