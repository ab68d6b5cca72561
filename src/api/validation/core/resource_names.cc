#include "api/validation/core/resource_names.h"

#include <algorithm>
#include <span>
#include <string>

#include "api/codec/quantity.h"
#include "api/validation/core/checks.h"
#include "api/validation/names.h"

namespace keelson::api::core {
namespace {

using field::ErrorList;
using field::Path;
using field::RenderValue;

constexpr std::string_view kContainerResources[] = {"cpu", "ephemeral-storage", "memory"};

constexpr std::string_view kCountedResources[] = {
    "configmaps",
    "persistentvolumeclaims",
    "pods",
    "replicationcontrollers",
    "resourcequotas",
    "secrets",
    "services",
    "services.loadbalancers",
    "services.nodeports",
};

// With the counted ones, all that a quota can limit.
constexpr std::string_view kMeasuredQuotaResources[] = {
    "cpu",
    "ephemeral-storage",
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
    "requests.storage",
};

bool IsQualified(std::string_view name) { return name.find('/') != name.npos; }

bool IsStandardResourceName(std::string_view name) {
  return IsStandardQuotaResourceName(name) || name == "storage";
}

}  // namespace

bool IsHugePageResourceName(std::string_view name) { return name.starts_with("hugepages-"); }

bool IsNativeResource(std::string_view name) {
  return !IsQualified(name) || name.find("kubernetes.io/") != name.npos;
}

bool IsExtendedResourceName(std::string_view name) {
  constexpr std::string_view kRequests = "requests.";
  if (IsNativeResource(name) || name.starts_with(kRequests)) return false;
  return IsQualifiedName(std::string(kRequests).append(name)).empty();
}

bool IsOvercommitAllowed(std::string_view name) {
  return IsNativeResource(name) && !IsHugePageResourceName(name);
}

bool IsIntegerResourceName(std::string_view name) {
  return Contains(kCountedResources, name) || IsExtendedResourceName(name);
}

bool IsStandardQuotaResourceName(std::string_view name) {
  return Contains(kMeasuredQuotaResources, name) || Contains(kCountedResources, name) ||
         IsHugePageResourceName(name) || name.starts_with("requests.hugepages-");
}

ErrorList ValidateResourceName(std::string_view name, const Path& path) {
  ErrorList errors;
  errors.AddInvalid(path, name, IsQualifiedName(name));
  if (errors.empty() && !IsQualified(name) && !IsStandardResourceName(name)) {
    errors.Add(
        field::Invalid(path, RenderValue(name), "must be a standard resource type or fully qualified"));
  }
  return errors;
}

ErrorList ValidateContainerResourceName(std::string_view name, const Path& path) {
  ErrorList errors = ValidateResourceName(name, path);
  if (!IsQualified(name)) {
    if (!Contains(kContainerResources, name) && !IsHugePageResourceName(name)) {
      errors.Add(field::Invalid(path, RenderValue(name), "must be a standard resource for containers"));
    }
  } else if (!IsNativeResource(name) && !IsExtendedResourceName(name)) {
    errors.Add(field::Invalid(path, RenderValue(name), "doesn't follow extended resource name standard"));
  }
  return errors;
}

ErrorList ValidateQuotaResourceName(std::string_view name, const Path& path) {
  ErrorList errors = ValidateResourceName(name, path);
  if (!IsQualified(name) && !IsStandardQuotaResourceName(name)) {
    errors.Add(field::Invalid(path, RenderValue(name), "must be a standard resource for quota"));
  }
  return errors;
}

ErrorList ValidateResourceQuantity(std::string_view name, std::string_view quantity, const Path& path) {
  ErrorList errors;
  const auto amount = Quantity::Parse(quantity);
  if (!amount) return errors;  // decoding has refused it already
  if (amount->Sign() < 0) errors.Add(field::Invalid(path, RenderValue(quantity), kMustBeNonNegative));
  if (IsIntegerResourceName(name) && amount->MilliValue() % 1000 != 0) {
    errors.Add(field::Invalid(path, RenderValue(quantity), "must be an integer"));
  }
  return errors;
}

}  // namespace keelson::api::core
