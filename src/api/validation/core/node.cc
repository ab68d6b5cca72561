#include "api/validation/core/node.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <utility>

#include "api/validation/core/checks.h"
#include "api/validation/core/resource_names.h"
#include "api/validation/core/scheduling.h"
#include "api/validation/ip.h"
#include "api/validation/render.h"
#include "api/validation/unversioned.h"

namespace keelson::api::core {
namespace {

using namespace core_v1;
using field::RenderValue;

void CheckResourceLists(NodeStatusView status, ErrorList& errors) {
  const Path path("status"), capacity = path.Child("capacity"), allocatable = path.Child("allocatable");
  for (const auto& [name, quantity] : status.capacity()) {
    errors.Append(ValidateResourceQuantity(name, quantity.string(), capacity.Child(name)));
  }
  for (const auto& [name, quantity] : status.allocatable()) {
    errors.Append(ValidateResourceQuantity(name, quantity.string(), allocatable.Child(name)));
  }
}

void CheckPodCidrs(NodeSpecView spec, ErrorList& errors) {
  const Path spec_path("spec"), path = spec_path.Child("podCIDRs");
  const ScalarList cidrs = spec.pod_cidrs();
  std::set<bool> families;
  size_t i = 0;
  for (const Value& cidr : cidrs) {
    errors.Append(ValidateCidr(path.Index(i++), cidr.string()));
    if (auto parsed = ParseCidr(cidr.string())) families.insert(parsed->address.is_v4());
  }
  if (cidrs.size() > 1 && (cidrs.size() > 2 || families.size() != 2)) {
    errors.Add(field::Invalid(path, field::RenderField(spec.node(), "podCIDRs"),
                              "may specify no more than one CIDR for each IP family"));
  }
}

// UpperCamelCase, then segments in either case, joined by slashes.
bool IsFeatureName(std::string_view name) {
  bool first = true;
  while (true) {
    const size_t slash = name.find('/');
    const std::string_view segment = name.substr(0, slash);
    if (segment.empty()) return false;
    const auto head = static_cast<unsigned char>(segment[0]);
    if (first ? !std::isupper(head) : !std::isalpha(head)) return false;
    if (!std::ranges::all_of(segment, [](unsigned char c) { return std::isalnum(c); })) return false;
    if (slash == name.npos) return true;
    name.remove_prefix(slash + 1);
    first = false;
  }
}

void CheckDeclaredFeatures(ScalarList features, ErrorList& errors) {
  const Path status("status"), path = status.Child("declaredFeatures");
  for (size_t i = 0; i < features.size(); ++i) {
    const std::string_view name = features[i].string();
    const std::string prefix = "invalid feature name " + RenderValue(name) + ": ";
    if (name.size() > kDns1123SubdomainMaxLength) {
      errors.Add(
          field::Invalid(path.Index(i), RenderValue(name), prefix + "must be no more than 253 characters"));
    } else if (!IsFeatureName(name)) {
      errors.Add(field::Invalid(
          path.Index(i), RenderValue(name),
          prefix + "must start with an UpperCamelCase segment, with subsequent segments separated by "
                   "'/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric "
                   "characters and slashes"));
    }
    if (i == 0) continue;
    const std::string_view previous = features[i - 1].string();
    if (previous == name) {
      errors.Add(field::Duplicate(path.Index(i), RenderValue(name)));
    } else if (previous > name) {
      errors.Add(field::Invalid(path.Index(i), RenderValue(name), "list must be sorted alphabetically"));
    }
  }
}

void CheckUniqueAddresses(NodeStatusView status, ErrorList& errors) {
  const Path status_path("status"), path = status_path.Child("addresses");
  std::set<std::pair<std::string_view, std::string_view>> seen;
  size_t i = 0;
  for (auto address : status.addresses()) {
    const Path at = path.Index(i++);
    if (!seen.emplace(address.type(), address.address()).second) {
      errors.Add(field::Duplicate(at, field::RenderUnversioned(address.node())));
    }
  }
}

// What is set once and for all.
void CheckChanges(NodeView now, NodeView was, ErrorList& errors) {
  const Path spec("spec");
  const auto after = now.spec(), before = was.spec();
  CheckUniqueAddresses(now.status(), errors);
  if (!before.pod_cidrs().empty() && !SameStrings(after.pod_cidrs(), before.pod_cidrs())) {
    errors.Add(field::Forbidden(spec.Child("podCIDRs"),
                                "node updates may not change podCIDR except from \"\" to valid"));
  }
  if (!before.provider_id().empty() && after.provider_id() != before.provider_id()) {
    errors.Add(field::Forbidden(spec.Child("providerID"),
                                "node updates may not change providerID except from \"\" to valid"));
  }
  if (after.external_id() != before.external_id()) {
    errors.Add(field::Forbidden(spec.Child("externalID"), "may not be updated"));
  }
}

}  // namespace

field::ErrorList ValidateNode(NodeView node) {
  ErrorList errors;
  const Path metadata("metadata");
  CheckTaints(node.spec().taints(), metadata.Child("taints"), errors);
  CheckResourceLists(node.status(), errors);
  if (auto swap = node.status().node_info().swap(); swap.has_capacity()) {
    const Path path = metadata.Child("nodeSwapStatus");
    CheckPositive(swap.capacity(), path.Child("capacity"), errors);
  }
  CheckDeclaredFeatures(node.status().declared_features(), errors);
  CheckPodCidrs(node.spec(), errors);
  return errors;
}

field::ErrorList ValidateNodeUpdate(NodeView now, NodeView was) {
  ErrorList errors = ValidateNode(now);
  CheckChanges(now, was, errors);
  return errors;
}

field::ErrorList ValidateNodeStatusUpdate(NodeView now, NodeView was) {
  ErrorList errors;
  CheckResourceLists(now.status(), errors);
  CheckDeclaredFeatures(now.status().declared_features(), errors);
  CheckChanges(now, was, errors);
  return errors;
}

}  // namespace keelson::api::core
