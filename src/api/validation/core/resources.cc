#include "api/validation/core/resources.h"

#include "api/codec/quantity.h"
#include "api/validation/core/pod_resources.h"
#include "api/validation/core/resource_names.h"

namespace keelson::api::core {
namespace {

using namespace core_v1;
using field::RenderValue;
using NameRule = ErrorList (*)(std::string_view, const Path&);

Quantity ParseOrZero(std::string_view text) { return Quantity::Parse(text).value_or(Quantity()); }

ErrorList ValidatePodResourceName(std::string_view name, const Path& path) {
  ErrorList errors = ValidateResourceName(name, path);
  if (errors.empty() && !IsPodLevelResource(name)) {
    constexpr std::string_view kSupported[] = {"cpu", "hugepages-", "memory"};
    errors.Add(field::NotSupported(path, RenderValue(name), kSupported));
  }
  return errors;
}

// A whole number of pages of the size in the name.
bool IsWholeHugePages(std::string_view name, const Quantity& amount) {
  const auto page = Quantity::Parse(name.substr(name.find('-') + 1));
  if (!page || page->Sign() <= 0 || page->MilliValue() % 1000 != 0) return false;
  return amount.Value() % page->Value() == 0;
}

void CheckHugePages(std::string_view name, std::string_view quantity, const Path& path, ErrorList& errors) {
  if (!IsHugePageResourceName(name) || IsWholeHugePages(name, ParseOrZero(quantity))) return;
  errors.Add(
      field::Invalid(path, RenderValue(quantity),
                     std::string(quantity) + " is not positive integer multiple of " + std::string(name)));
}

void CheckRequest(std::string_view name, std::string_view quantity, MapView limits, const Path& path,
                  ErrorList& errors) {
  const Value* limit = limits.Find(name);
  if (!limit) {
    if (!IsOvercommitAllowed(name)) {
      errors.Add(field::Required(path.Child("limits"), "Limit must be set for non overcommitable resources"));
    }
    return;
  }
  const int order = CompareQuantities(quantity, limit->string());
  const std::string bound = std::string(name) + " limit of " + std::string(limit->string());
  if (order != 0 && !IsOvercommitAllowed(name)) {
    errors.Add(field::Invalid(path.Child("requests"), RenderValue(quantity), "must be equal to " + bound));
  } else if (order > 0) {
    errors.Add(field::Invalid(path.Child("requests"), RenderValue(quantity),
                              "must be less than or equal to " + bound));
  }
}

// References to claims of the pod, each whole or request by request, none twice.
void CheckClaims(ListView<ResourceClaimView> claims, const NameSet& known, const Path& path,
                 ErrorList& errors) {
  std::set<std::string> seen;
  size_t i = 0;
  for (auto claim : claims) {
    const Path at = path.Index(i++);
    const std::string name(claim.name());
    if (name.empty()) {
      errors.Add(field::Required(at, ""));
      continue;
    }
    std::string key = name;
    if (!claim.request().empty()) {
      CheckDnsLabel(claim.request(), at.Child("request"), errors);
      key += "/" + std::string(claim.request());
    }
    auto part_seen = [&] {
      auto it = seen.lower_bound(name + "/");
      return it != seen.end() && it->starts_with(name + "/");
    };
    if (!seen.contains(name) && seen.contains(key)) {
      errors.Add(field::Duplicate(at, RenderValue(key)));
    } else if (seen.contains(name) || (claim.request().empty() && part_seen())) {
      errors.Add(field::Duplicate(at, RenderValue(name)));
    }
    seen.insert(key);
    if (known.contains(name)) continue;
    field::Error error = field::NotFound(at, RenderValue(name));
    error.detail = "must be one of the names in pod.spec.resourceClaims";
    if (known.empty()) error.detail += " which is empty";
    const char* separator = ": ";
    for (std::string_view k : known) {
      error.detail += separator + std::string(k);
      separator = ", ";
    }
    errors.Add(std::move(error));
  }
}

void CheckRequirements(MapView limits, MapView requests, NameRule name_rule, const Path& path,
                       ErrorList& errors) {
  bool computes = false, huge_pages = false;
  auto common = [&](std::string_view name, std::string_view quantity, const Path& at) {
    errors.Append(name_rule(name, at));
    errors.Append(ValidateResourceQuantity(name, quantity, at));
    computes |= name == "cpu" || name == "memory";
    huge_pages |= IsHugePageResourceName(name);
  };
  const Path limits_path = path.Child("limits"), requests_path = path.Child("requests");
  for (const auto& [name, quantity] : limits) {
    const Path at = limits_path.Key(name);
    common(name, quantity.string(), at);
    CheckHugePages(name, quantity.string(), at, errors);
  }
  for (const auto& [name, quantity] : requests) {
    const Path at = requests_path.Key(name);
    common(name, quantity.string(), at);
    CheckRequest(name, quantity.string(), limits, path, errors);
    CheckHugePages(name, quantity.string(), at, errors);
  }
  if (huge_pages && !computes) errors.Add(field::Forbidden(path, "HugePages require cpu or memory"));
}

// What the containers ask for must fit into what the pod as a whole does.
void CheckPodConsistency(PodSpecView spec, const Path& path, ErrorList& errors) {
  const MapView requests = spec.resources().requests(), limits = spec.resources().limits();
  for (const auto& [name, amount] : AggregateContainers(spec, ResourceSide::kRequests)) {
    const Value* own = requests.Find(name);
    if (!own || amount.Compare(ParseOrZero(own->string())) <= 0) continue;
    errors.Add(field::Invalid(
        path.Child("requests").Key(name), RenderValue(own->string()),
        "must be greater than or equal to aggregate container requests of " + amount.ToString()));
  }
  for (const auto& [name, amount] : AggregateContainers(spec, ResourceSide::kLimits)) {
    const Value* own = IsHugePageResourceName(name) ? limits.Find(name) : nullptr;
    if (!own || amount.Compare(ParseOrZero(own->string())) <= 0) continue;
    errors.Add(field::Invalid(
        path.Child("limits").Key(name), RenderValue(own->string()),
        "must be greater than or equal to aggregate container limits of " + amount.ToString()));
  }
  size_t i = 0;
  for (auto container : spec.containers()) {
    const Path containers = path.Child("containers"), at = containers.Index(i++);
    for (const auto& [name, limit] : container.resources().limits()) {
      const Value* own = limits.Find(name);
      if (!own || CompareQuantities(limit.string(), own->string()) <= 0) continue;
      errors.Add(field::Invalid(at.Key(name).Child("limits"), RenderValue(limit.string()),
                                "must be less than or equal to pod limits of " + std::string(own->string())));
    }
  }
}

}  // namespace

int CompareQuantities(std::string_view a, std::string_view b) {
  return ParseOrZero(a).Compare(ParseOrZero(b));
}

void CheckContainerResources(ResourceRequirementsView resources, const NameSet& claims, const Path& path,
                             ErrorList& errors) {
  if (!resources) return;
  CheckRequirements(resources.limits(), resources.requests(), ValidateContainerResourceName, path, errors);
  CheckClaims(resources.claims(), claims, path.Child("claims"), errors);
}

void CheckOverhead(MapView overhead, const Path& path, ErrorList& errors) {
  CheckRequirements(overhead, MapView(), ValidateContainerResourceName, path, errors);
}

void CheckPodResources(PodSpecView spec, const NameSet& claims, const Path& spec_path, ErrorList& errors) {
  const auto resources = spec.resources();
  if (!resources) return;
  const Path path = spec_path.Child("resources");
  if (spec.os().name() == "windows") {
    errors.Add(field::Forbidden(path, "may not be set for a windows pod"));
    return;
  }
  if (!resources.claims().empty()) {
    errors.Add(field::Forbidden(path.Child("claims"), "claims may not be set for Resources at pod-level"));
  }
  CheckRequirements(resources.limits(), resources.requests(), ValidatePodResourceName, path, errors);
  CheckClaims(resources.claims(), claims, path.Child("claims"), errors);
  CheckPodConsistency(spec, path, errors);
}

}  // namespace keelson::api::core
