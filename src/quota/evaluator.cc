#include "quota/evaluator.h"

#include <algorithm>
#include <array>
#include <set>

#include "api/generated/resource_v1.h"
#include "api/validation/core/pod_resources.h"
#include "api/validation/core/resource_names.h"

namespace keelson::quota {
namespace {

using api::Quantity;
using api::core::ResourceAmounts;
using api::core::ResourceSide;
using api::core_v1::PersistentVolumeClaimView;
using api::core_v1::PodView;

constexpr std::string_view kCount = "count/", kRequests = "requests.", kLimits = "limits.";
constexpr std::string_view kHugePages = "hugepages-",
                           kImplicitDevices = "deviceclass.resource.kubernetes.io/";
constexpr std::string_view kClassSuffix = ".storageclass.storage.k8s.io/";
constexpr std::string_view kDevicesSuffix = ".deviceclass.resource.k8s.io/devices";
constexpr std::string_view kPods = "pods", kServices = "services", kClaims = "persistentvolumeclaims";
constexpr std::string_view kStorage = "storage", kStorageRequests = "requests.storage";
constexpr api::GroupResource kDeviceClaims{"resource.k8s.io", "resourceclaims"};
// Of the core group, and counted under their own name, too.
constexpr std::array<std::string_view, 4> kPlain = {"configmaps", "replicationcontrollers", "resourcequotas",
                                                    "secrets"};
constexpr std::array<std::string_view, 3> kCompute = {"cpu", "memory", "ephemeral-storage"};
// A claim for all devices of a class may get as many.
constexpr int64_t kMostDevices = 32;

template <size_t N>
bool Contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::string CountName(api::GroupResource resource) { return std::string(kCount) + resource.ToString(); }

// Beyond what nodes have of themselves.
bool IsExtended(std::string_view name) {
  return api::core::IsExtendedResourceName(name) || name.starts_with(kImplicitDevices);
}

bool IsPodName(std::string_view name) {
  if (name == kPods || Contains(kCompute, name) || name.starts_with(kHugePages)) return true;
  if (name.starts_with(kLimits)) return Contains(kCompute, name.substr(kLimits.size()));
  if (!name.starts_with(kRequests)) return false;
  const std::string_view requested = name.substr(kRequests.size());
  return Contains(kCompute, requested) || requested.starts_with(kHugePages) ||
         !api::core::IsNativeResource(name) || requested.starts_with(kImplicitDevices);
}

bool IsClaimName(std::string_view name) {
  if (name == kClaims || name == kStorageRequests) return true;
  const size_t suffix = name.find(kClassSuffix);
  if (suffix == name.npos) return false;
  const std::string_view rest = name.substr(suffix + kClassSuffix.size());
  return rest == kClaims || rest == kStorageRequests;
}

void AddTo(Usage& usage, std::string name, const Quantity& amount) { usage[std::move(name)].Add(amount); }
std::string Joined(std::string_view prefix, std::string_view name) {
  return std::string(prefix).append(name);
}

Quantity Parsed(const api::Value& v) { return Quantity::Parse(v.string()).value_or(Quantity()); }

// What the pod's sandbox needs besides its containers, and what is given for the pod as a whole.
ResourceAmounts AmountsOf(PodView pod, ResourceSide side) {
  const auto spec = pod.spec();
  ResourceAmounts amounts = api::core::AggregateRunningContainers(pod, side);
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

void AddCompute(Usage& usage, const ResourceAmounts& requests, const ResourceAmounts& limits) {
  for (const auto& [name, amount] : requests) {
    const bool native = Contains(kCompute, name) || name.starts_with(kHugePages);
    if (native) AddTo(usage, std::string(name), amount);
    if (native || IsExtended(name)) AddTo(usage, Joined(kRequests, name), amount);
  }
  for (const auto& [name, amount] : limits)
    if (Contains(kCompute, name)) AddTo(usage, Joined(kLimits, name), amount);
}

Usage UsageOfPod(const api::Doc& object, int64_t now) {
  const PodView pod(object);
  Usage usage;
  AddTo(usage, "count/pods", Quantity(1));
  if (HasEnded(pod, now)) return usage;
  AddTo(usage, std::string(kPods), Quantity(1));
  AddCompute(usage, AmountsOf(pod, ResourceSide::kRequests), AmountsOf(pod, ResourceSide::kLimits));
  return usage;
}

Usage UsageOfService(const api::Doc& object, int64_t) {
  const auto spec = api::core_v1::ServiceView(object).spec();
  Usage usage;
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

// Storage is counted in whole bytes.
Quantity RoundedUp(Quantity amount) {
  const Quantity whole(amount.Value(), amount.format());
  return amount < whole ? whole : amount;
}

Usage UsageOfClaim(const api::Doc& object, int64_t) {
  const PersistentVolumeClaimView claim(object);
  Usage usage;
  AddTo(usage, "count/persistentvolumeclaims", Quantity(1));
  AddTo(usage, std::string(kClaims), Quantity(1));
  const api::Value* const annotated =
      claim.metadata().annotations().Find("volume.beta.kubernetes.io/storage-class");
  const std::string_view storage_class = annotated ? annotated->string() : claim.spec().storage_class_name();
  const std::string of_class = Joined(storage_class, kClassSuffix);
  if (!storage_class.empty()) AddTo(usage, of_class + std::string(kClaims), Quantity(1));
  const api::Value* const requested = claim.spec().resources().requests().Find(kStorage);
  if (!requested) return usage;
  Quantity amount = Parsed(*requested);
  // What an expansion that failed has taken is still taken.
  if (const api::Value* const allocated = claim.status().allocated_resources().Find(kStorage))
    if (const Quantity taken = Parsed(*allocated); amount < taken) amount = taken;
  amount = RoundedUp(amount);
  AddTo(usage, std::string(kStorageRequests), amount);
  if (!storage_class.empty()) AddTo(usage, of_class + std::string(kStorageRequests), amount);
  return usage;
}

template <class Request>
int64_t DevicesOf(Request request) {
  if (request.allocation_mode() == "ExactCount") return request.count();
  return request.allocation_mode() == "All" ? kMostDevices : 0;
}

Usage UsageOfDeviceClaim(const api::Doc& object, int64_t) {
  Usage usage;
  AddTo(usage, CountName(kDeviceClaims), Quantity(1));
  for (const auto request : api::resource_v1::ResourceClaimView(object).spec().devices().requests()) {
    // Of alternatives, each class may have to give the most that one of them asks of it.
    std::map<std::string_view, int64_t> devices;
    if (request.first_available().empty()) {
      if (const auto exactly = request.exactly(); exactly.node())
        devices[exactly.device_class_name()] = DevicesOf(exactly);
    }
    for (const auto alternative : request.first_available()) {
      int64_t& most = devices[alternative.device_class_name()];
      most = std::max(most, DevicesOf(alternative));
    }
    for (const auto& [name, count] : devices) AddTo(usage, Joined(name, kDevicesSuffix), Quantity(count));
  }
  return usage;
}

// --- scopes

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

// Whether one of the `names` of a class that an object has is selected; it may have none.
bool Selects(const Scope& scope, const std::set<std::string_view>& names) {
  const std::string_view op = scope.op;
  if (op == "Exists") return !names.empty();
  if (op == "DoesNotExist") return names.empty();
  const auto listed = [&](std::string_view name) {
    return std::any_of(scope.values.begin(), scope.values.end(),
                       [&](const api::Value& v) { return v.string() == name; });
  };
  if (op == "In") return std::ranges::any_of(names, listed);
  return op == "NotIn" && (names.empty() || !std::ranges::all_of(names, listed));
}

std::set<std::string_view> AttributesClassesOf(PersistentVolumeClaimView claim) {
  std::set<std::string_view> names;
  for (const std::string_view name :
       {claim.spec().volume_attributes_class_name(), claim.status().current_volume_attributes_class_name(),
        claim.status().modify_volume_status().target_volume_attributes_class_name()})
    if (!name.empty()) names.insert(name);
  return names;
}

bool PodInScope(const Scope& scope, const api::Doc& object) {
  const PodView pod(object);
  const bool best_effort = pod.status().qos_class() == "BestEffort";
  if (scope.name == "Terminating") return IsTerminating(pod);
  if (scope.name == "NotTerminating") return !IsTerminating(pod);
  if (scope.name == "BestEffort") return best_effort;
  if (scope.name == "NotBestEffort") return !best_effort;
  if (scope.name == "CrossNamespacePodAffinity") return CrossesNamespaces(pod.spec());
  if (scope.name != "PriorityClass") return false;
  std::set<std::string_view> classes;
  if (!pod.spec().priority_class_name().empty()) classes.insert(pod.spec().priority_class_name());
  return Selects(scope, classes);
}

bool ClaimInScope(const Scope& scope, const api::Doc& object) {
  return scope.name == "VolumeAttributesClass" &&
         Selects(scope, AttributesClassesOf(PersistentVolumeClaimView(object)));
}

// --- what pods must say

void CollectMissing(api::core_v1::ContainerView container, const std::vector<std::string_view>& required,
                    std::map<std::string_view, std::set<std::string_view>>& missing) {
  for (const std::string_view name : required) {
    std::string_view resource = name;
    const bool limit = name.starts_with(kLimits);
    if (limit) resource.remove_prefix(kLimits.size());
    if (name.starts_with(kRequests)) resource.remove_prefix(kRequests.size());
    const auto given = limit ? container.resources().limits() : container.resources().requests();
    if (!given.Find(resource)) missing[name].insert(container.name());
  }
}

bool HasPodLevelResources(api::core_v1::PodSpecView spec) {
  const auto any = [](api::MapView amounts) {
    return std::any_of(amounts.begin(), amounts.end(),
                       [](const auto& entry) { return api::core::IsPodLevelResource(entry.key); });
  };
  return any(spec.resources().requests()) || any(spec.resources().limits());
}

std::string PodObjection(const std::vector<std::string_view>& names, PodView pod) {
  constexpr std::array<std::string_view, 6> kRequired = {
      "cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"};
  const auto spec = pod.spec();
  if (HasPodLevelResources(spec)) return {};
  std::vector<std::string_view> required;
  std::ranges::copy_if(names, std::back_inserter(required),
                       [&](std::string_view name) { return Contains(kRequired, name); });
  std::map<std::string_view, std::set<std::string_view>> missing;
  for (const auto container : spec.containers()) CollectMissing(container, required, missing);
  for (const auto container : spec.init_containers()) CollectMissing(container, required, missing);
  std::string text;
  for (const auto& [name, containers] : missing) {
    text.append(text.empty() ? "must specify " : "; ").append(name).append(" for: ");
    for (const std::string_view container : containers)
      text.append(container == *containers.begin() ? "" : ",").append(container);
  }
  return text;
}

}  // namespace

api::GroupResource CountedBy(std::string_view name) {
  if (name.starts_with(kCount)) {
    name.remove_prefix(kCount.size());
    const size_t dot = name.find('.');
    if (dot == name.npos) return {"", name};
    return {name.substr(dot + 1), name.substr(0, dot)};
  }
  if (Contains(kPlain, name)) return {"", name};
  if (name == kServices || name == "services.nodeports" || name == "services.loadbalancers")
    return {"", kServices};
  if (IsClaimName(name)) return {"", kClaims};
  if (name.ends_with(kDevicesSuffix)) return kDeviceClaims;
  if (IsPodName(name)) return {"", kPods};
  return {};
}

bool IsIgnored(api::GroupResource resource) {
  return resource.resource == "events" && (resource.group.empty() || resource.group == "events.k8s.io");
}

bool IsTerminating(PodView pod) {
  return pod.spec().has_active_deadline_seconds() && pod.spec().active_deadline_seconds() >= 0;
}

bool HasEnded(PodView pod, int64_t now) {
  const auto metadata = pod.metadata();
  const auto phase = pod.status().phase();
  if (phase == "Failed" || phase == "Succeeded") return true;
  return metadata.has_deletion_timestamp() && metadata.has_deletion_grace_period_seconds() &&
         now > metadata.deletion_timestamp() + metadata.deletion_grace_period_seconds();
}

bool StatusChangesUsage(PersistentVolumeClaimView now, PersistentVolumeClaimView was) {
  const auto allocated = [](PersistentVolumeClaimView claim) {
    const api::Value* const amount = claim.status().allocated_resources().Find(kStorage);
    return amount ? amount->string() : std::string_view();
  };
  return allocated(now) != allocated(was) || AttributesClassesOf(now) != AttributesClassesOf(was);
}

Evaluator::Evaluator(api::GroupResource resource) : resource_(resource) {
  if (resource.group.empty() && resource.resource == kPods) {
    usage_ = &UsageOfPod;
    matches_ = &PodInScope;
  } else if (resource.group.empty() && resource.resource == kServices) {
    usage_ = &UsageOfService;
  } else if (resource.group.empty() && resource.resource == kClaims) {
    usage_ = &UsageOfClaim;
    matches_ = &ClaimInScope;
  } else if (resource.group == kDeviceClaims.group && resource.resource == kDeviceClaims.resource) {
    usage_ = &UsageOfDeviceClaim;
  }
}

bool Evaluator::Counts(std::string_view name) const {
  const api::GroupResource counted = CountedBy(name);
  return counted.resource == resource_.resource && counted.group == resource_.group;
}

Usage Evaluator::UsageOf(const api::Doc& object, int64_t now) const {
  if (usage_) return usage_(object, now);
  Usage usage;
  AddTo(usage, CountName(resource_), Quantity(1));
  if (resource_.group.empty() && Contains(kPlain, resource_.resource))
    AddTo(usage, std::string(resource_.resource), Quantity(1));
  return usage;
}

bool Evaluator::InScope(api::core_v1::ResourceQuotaSpecView quota, const api::Doc& object) const {
  const auto expressions = quota.scope_selector().match_expressions();
  if (quota.scopes().empty() && expressions.empty()) return true;
  if (!matches_) return false;
  for (const api::Value& scope : quota.scopes())
    if (!matches_({scope.string(), "Exists", api::ScalarList(nullptr)}, object)) return false;
  for (const auto scope : expressions)
    if (!matches_({scope.scope_name(), scope.operator_(), scope.values()}, object)) return false;
  return true;
}

std::set<std::string_view> Evaluator::MatchingScopes(api::core_v1::ResourceQuotaSpecView quota,
                                                     const api::Doc& object) const {
  std::set<std::string_view> names;
  for (const api::Value& scope : quota.scopes())
    if (Matches({scope.string(), "Exists", api::ScalarList(nullptr)}, object)) names.insert(scope.string());
  for (const auto scope : quota.scope_selector().match_expressions())
    if (Matches({scope.scope_name(), scope.operator_(), scope.values()}, object))
      names.insert(scope.scope_name());
  return names;
}

std::string Evaluator::Objection(const std::vector<std::string_view>& names, const api::Doc& object) const {
  return usage_ == &UsageOfPod ? PodObjection(names, PodView(object)) : std::string();
}

}  // namespace keelson::quota
