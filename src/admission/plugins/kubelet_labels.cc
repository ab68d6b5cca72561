#include "admission/plugins/kubelet_labels.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace keelson::admission {
namespace {

constexpr std::string_view kKubeletLabels[] = {
    "beta.kubernetes.io/arch",
    "beta.kubernetes.io/instance-type",
    "beta.kubernetes.io/os",
    "failure-domain.beta.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone",
    "kubernetes.io/arch",
    "kubernetes.io/hostname",
    "kubernetes.io/os",
    "node.kubernetes.io/instance-type",
    "topology.kubernetes.io/region",
    "topology.kubernetes.io/zone",
};

std::string_view LabelDomain(std::string_view key) {
  const size_t slash = key.find('/');
  return slash == std::string_view::npos ? std::string_view() : key.substr(0, slash);
}

// "a.example.com" is within "example.com", and so is that itself.
bool IsWithin(std::string_view domain, std::string_view parent) {
  if (!domain.ends_with(parent)) return false;
  domain.remove_suffix(parent.size());
  return domain.empty() || domain.ends_with('.');
}

bool MayKubeletChange(std::string_view key) {
  const std::string_view domain = LabelDomain(key);
  if (IsWithin(domain, "node-restriction.kubernetes.io")) return false;
  if (!IsWithin(domain, "kubernetes.io") && !IsWithin(domain, "k8s.io")) return true;
  return std::ranges::find(kKubeletLabels, key) != std::end(kKubeletLabels) ||
         IsWithin(domain, "kubelet.kubernetes.io") || IsWithin(domain, "node.kubernetes.io");
}

}  // namespace

std::string ForbiddenLabelChanges(api::MapView now, api::MapView was) {
  std::set<std::string_view> forbidden;
  const auto collect = [&](api::MapView from, api::MapView other) {
    for (const auto& [key, value] : from) {
      const api::Value* const there = other.Find(key);
      if ((!there || there->string() != value.string()) && !MayKubeletChange(key)) forbidden.insert(key);
    }
  };
  collect(now, was);
  collect(was, now);
  std::string keys;
  for (const std::string_view key : forbidden) keys.append(keys.empty() ? "" : ", ").append(key);
  return keys;
}

}  // namespace keelson::admission
