#include "controllers/quota_usage.h"

#include <algorithm>
#include <array>
#include <vector>

#include "api/validation/core/pod_resources.h"

namespace keelson::controllers {
namespace {

using api::Quantity;
using api::core::AggregateContainers;
using api::core::ResourceAmounts;
using api::core::ResourceSide;

constexpr std::string_view kCount = "count/", kRequests = "requests.", kLimits = "limits.";
constexpr std::string_view kHugePages = "hugepages-", kClassSuffix = ".storageclass.storage.k8s.io/";
constexpr std::string_view kPods = "pods", kServices = "services", kClaims = "persistentvolumeclaims";
constexpr std::string_view kStorage = "storage", kStorageRequests = "requests.storage";
// Of the core group, and counted under their own name.
constexpr std::array<std::string_view, 4> kPlain = {"configmaps", "replicationcontrollers", "resourcequotas",
                                                    "secrets"};

bool IsPodResource(std::string_view name) {
  for (const std::string_view prefix : {kRequests, kLimits})
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  return name == "cpu" || name == "memory" || name == "ephemeral-storage" || name.starts_with(kHugePages);
}

void AddTo(Usage& usage, std::string name, const Quantity& amount) { usage[std::move(name)].Add(amount); }

Quantity Parsed(const api::Value& v) { return Quantity::Parse(v.string()).value_or(Quantity()); }

// What the pod's sandbox needs besides its containers, and what is given for the pod as a whole.
ResourceAmounts AmountsOf(api::core_v1::PodSpecView spec, ResourceSide side) {
  ResourceAmounts amounts = AggregateContainers(spec, side);
  const auto whole =
      side == ResourceSide::kRequests ? spec.resources().requests() : spec.resources().limits();
  for (const auto& [name, amount] : whole)
    if (api::core::IsPodLevelResource(name)) amounts[name] = Parsed(amount);
  for (const auto& [name, amount] : spec.overhead()) {
    const auto it = amounts.find(name);
    // Where there is no limit, the sandbox sets none.
    if (side == ResourceSide::kRequests || (it != amounts.end() && !it->second.IsZero()))
      amounts[name].Add(Parsed(amount));
  }
  return amounts;
}

bool HasEnded(api::core_v1::PodView pod, int64_t now) {
  const auto metadata = pod.metadata();
  const auto phase = pod.status().phase();
  if (phase == "Failed" || phase == "Succeeded") return true;
  return metadata.has_deletion_timestamp() && metadata.has_deletion_grace_period_seconds() &&
         now > metadata.deletion_timestamp() + metadata.deletion_grace_period_seconds();
}

bool CrossesNamespaces(api::core_v1::PodSpecView spec) {
  const auto crosses = [](auto term) { return !term.namespaces().empty() || term.namespace_selector(); };
  const auto any = [&](auto affinity) {
    for (const auto term : affinity.required_during_scheduling_ignored_during_execution())
      if (crosses(term)) return true;
    for (const auto weighted : affinity.preferred_during_scheduling_ignored_during_execution())
      if (crosses(weighted.pod_affinity_term())) return true;
    return false;
  };
  return any(spec.affinity().pod_affinity()) || any(spec.affinity().pod_anti_affinity());
}

bool ScopeMatches(std::string_view scope, api::core_v1::PodView pod) {
  const auto spec = pod.spec();
  const bool terminating = spec.has_active_deadline_seconds() && spec.active_deadline_seconds() >= 0;
  const bool best_effort = pod.status().qos_class() == "BestEffort";
  if (scope == "Terminating") return terminating;
  if (scope == "NotTerminating") return !terminating;
  if (scope == "BestEffort") return best_effort;
  if (scope == "NotBestEffort") return !best_effort;
  if (scope == "CrossNamespacePodAffinity") return CrossesNamespaces(spec);
  return scope == "PriorityClass" && !spec.priority_class_name().empty();
}

bool ExpressionMatches(api::core_v1::ScopedResourceSelectorRequirementView expression,
                       api::core_v1::PodView pod) {
  const std::string_view op = expression.operator_();
  if (expression.scope_name() != "PriorityClass") return ScopeMatches(expression.scope_name(), pod);
  const std::string_view name = pod.spec().priority_class_name();
  const auto values = expression.values();
  const bool listed =
      std::any_of(values.begin(), values.end(), [&](const api::Value& v) { return v.string() == name; });
  if (op == "Exists") return !name.empty();
  if (op == "DoesNotExist") return name.empty();
  if (op == "In") return listed;
  return op == "NotIn" && !listed;
}

}  // namespace

Counted CountedBy(std::string_view name) {
  if (name.starts_with(kCount)) {
    name.remove_prefix(kCount.size());
    const size_t dot = name.find('.');
    if (dot == name.npos) return {"", name};
    return {name.substr(dot + 1), name.substr(0, dot)};
  }
  if (std::ranges::find(kPlain, name) != kPlain.end()) return {"", name};
  if (name == kServices || name == "services.nodeports" || name == "services.loadbalancers")
    return {"", kServices};
  if (name == kClaims || name == kStorageRequests || name.find(kClassSuffix) != name.npos)
    return {"", kClaims};
  // Extended resources are limited by what is requested of them.
  if (name == kPods || IsPodResource(name) || name.starts_with(kRequests)) return {"", kPods};
  return {};
}

bool CountsObjects(std::string_view name) {
  return name.starts_with(kCount) || std::ranges::find(kPlain, name) != kPlain.end();
}

Usage UsageOfPod(api::core_v1::PodView pod, int64_t now) {
  Usage usage;
  AddTo(usage, "count/pods", Quantity(1));
  if (HasEnded(pod, now)) return usage;
  AddTo(usage, std::string(kPods), Quantity(1));
  for (const auto& [name, amount] : AmountsOf(pod.spec(), ResourceSide::kRequests)) {
    const bool native = IsPodResource(name);
    if (native) AddTo(usage, std::string(name), amount);
    if (native || name.find('/') != name.npos) AddTo(usage, std::string(kRequests).append(name), amount);
  }
  for (const auto& [name, amount] : AmountsOf(pod.spec(), ResourceSide::kLimits))
    if (IsPodResource(name) && !name.starts_with(kHugePages))
      AddTo(usage, std::string(kLimits).append(name), amount);
  return usage;
}

Usage UsageOfService(api::core_v1::ServiceView service) {
  Usage usage;
  const auto spec = service.spec();
  AddTo(usage, "count/services", Quantity(1));
  AddTo(usage, std::string(kServices), Quantity(1));
  const bool balanced = spec.type() == "LoadBalancer";
  AddTo(usage, "services.loadbalancers", Quantity(balanced ? 1 : 0));
  int64_t ports = 0;
  const bool all_have_one =
      spec.type() == "NodePort" || (balanced && (!spec.has_allocate_load_balancer_node_ports() ||
                                                 spec.allocate_load_balancer_node_ports()));
  for (const auto port : spec.ports())
    if (all_have_one || (balanced && port.node_port() != 0)) ++ports;
  AddTo(usage, "services.nodeports", Quantity(ports));
  return usage;
}

Usage UsageOfClaim(api::core_v1::PersistentVolumeClaimView claim) {
  Usage usage;
  AddTo(usage, "count/persistentvolumeclaims", Quantity(1));
  AddTo(usage, std::string(kClaims), Quantity(1));
  const api::Value* const annotated =
      claim.metadata().annotations().Find("volume.beta.kubernetes.io/storage-class");
  const std::string storage_class(annotated ? annotated->string() : claim.spec().storage_class_name());
  if (!storage_class.empty()) {
    std::string name = storage_class;
    AddTo(usage, name.append(kClassSuffix).append(kClaims), Quantity(1));
  }
  const api::Value* const requested = claim.spec().resources().requests().Find(kStorage);
  if (!requested) return usage;
  Quantity amount = Parsed(*requested);
  // What an expansion that failed has taken is still taken.
  if (const api::Value* const allocated = claim.status().allocated_resources().Find(kStorage))
    if (const Quantity taken = Parsed(*allocated); amount < taken) amount = taken;
  AddTo(usage, std::string(kStorageRequests), amount);
  if (!storage_class.empty()) {
    std::string name = storage_class;
    AddTo(usage, name.append(kClassSuffix).append(kStorageRequests), amount);
  }
  return usage;
}

bool HasScopes(api::core_v1::ResourceQuotaSpecView quota) {
  return !quota.scopes().empty() || !quota.scope_selector().match_expressions().empty();
}

bool ScopesMatch(api::core_v1::ResourceQuotaSpecView quota, api::core_v1::PodView pod) {
  for (const api::Value& scope : quota.scopes())
    if (!ScopeMatches(scope.string(), pod)) return false;
  for (const auto expression : quota.scope_selector().match_expressions())
    if (!ExpressionMatches(expression, pod)) return false;
  return true;
}

}  // namespace keelson::controllers
