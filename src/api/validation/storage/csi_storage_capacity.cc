#include "api/codec/quantity.h"
#include "api/validation/core/checks.h"
#include "api/validation/core/resources.h"
#include "api/validation/label_selector.h"
#include "api/validation/node/deprecated_labels.h"
#include "api/validation/render.h"
#include "api/validation/storage/csi.h"

namespace keelson::api::storage_api {
namespace {

using field::ErrorList;
using field::Path;
using field::RenderValue;
using storage_v1::CSIStorageCapacityView;

ErrorList CheckCapacity(CSIStorageCapacityView capacity, const LabelSelectorOptions& options) {
  ErrorList errors = ValidateLabelSelector(capacity.node_topology(), Path("nodeTopology"), options);
  errors.AddInvalid(Path("storageClassName"), capacity.storage_class_name(),
                    NameIsDnsSubdomain(capacity.storage_class_name(), false));
  if (capacity.has_capacity() && core::CompareQuantities(capacity.capacity(), "0") < 0)
    errors.Add(field::Invalid(Path("capacity"), RenderValue(capacity.capacity()), kMustBeNonNegative));
  return errors;
}

}  // namespace

ErrorList ValidateCsiStorageCapacity(CSIStorageCapacityView capacity) { return CheckCapacity(capacity, {}); }

ErrorList ValidateCsiStorageCapacityUpdate(CSIStorageCapacityView now, CSIStorageCapacityView was) {
  const bool was_invalid = !ValidateLabelSelector(was.node_topology(), Path("nodeTopology")).empty();
  ErrorList errors = CheckCapacity(now, {.allow_invalid_values = was_invalid});
  if (!core::SameStruct(now.node_topology(), was.node_topology())) {
    errors.Add(field::Invalid(Path("nodeTopology"), field::RenderStruct(now.node_topology().node()),
                              kFieldImmutable));
  }
  if (now.storage_class_name() != was.storage_class_name())
    errors.Add(
        field::Invalid(Path("storageClassName"), RenderValue(now.storage_class_name()), kFieldImmutable));
  return errors;
}

std::vector<std::string> WarningsForCsiStorageCapacity(CSIStorageCapacityView capacity) {
  std::vector<std::string> warnings;
  const auto topology = capacity.node_topology();
  const Path path("nodeTopology"), expressions = path.Child("matchExpressions"),
                                   labels = path.Child("matchLabels");
  size_t i = 0;
  for (const auto requirement : topology.match_expressions()) {
    const Path at = expressions.Index(i++);
    const std::string_view why = node::DeprecatedNodeLabel(requirement.key());
    if (why.empty()) continue;
    warnings.push_back(at.Child("key").ToString() + ": " + std::string(requirement.key()) + " is " +
                       std::string(why));
  }
  for (const auto& [key, value] : topology.match_labels()) {
    if (const std::string_view why = node::DeprecatedNodeLabel(key); !why.empty())
      warnings.push_back(labels.Child(key).ToString() + ": " + std::string(why));
  }
  return warnings;
}

}  // namespace keelson::api::storage_api
