#include "api/validation/storage/storage_class.h"

#include <map>
#include <set>

#include "api/validation/core/checks.h"
#include "api/validation/labels.h"
#include "api/validation/node/deprecated_labels.h"
#include "api/validation/render.h"
#include "api/validation/storage/classes.h"

namespace keelson::api::storage_api {
namespace {

using field::ErrorList;
using field::Path;
using field::RenderValue;
using storage_v1::StorageClassView;
using storage_v1::VolumeBindingMode;

using Term = std::map<std::string_view, std::set<std::string_view>>;

// The term as its keys and values, which no other term may share.
Term CheckTerm(core_v1::TopologySelectorTermView term, const Path& path, ErrorList& errors) {
  Term requirements;
  size_t i = 0;
  for (const auto requirement : term.match_label_expressions()) {
    const Path at = path.Index(i++), values = at.Child("values");
    if (requirement.values().empty()) errors.Add(field::Required(values, ""));
    std::set<std::string_view> seen;
    size_t j = 0;
    for (const Value& value : requirement.values()) {
      const Path value_path = values.Index(j++);
      if (!seen.insert(value.string()).second)
        errors.Add(field::Duplicate(value_path, RenderValue(value.string())));
    }
    errors.Append(ValidateLabelName(requirement.key(), at.Child("key")));
    if (requirements.contains(requirement.key()))
      errors.Add(field::Duplicate(at.Child("key"), RenderValue(requirement.key())));
    requirements[requirement.key()] = std::move(seen);
  }
  return requirements;
}

void CheckTopologies(ListView<core_v1::TopologySelectorTermView> terms, const Path& path, ErrorList& errors) {
  // An empty term counts as a duplicate, even the only one.
  std::set<Term> seen{Term()};
  size_t i = 0;
  for (const auto term : terms) {
    const Path at = path.Index(i++), expressions = at.Child("matchLabelExpressions");
    if (!seen.insert(CheckTerm(term, expressions, errors)).second)
      errors.Add(field::Duplicate(expressions, RenderValue("")));
  }
}

void Keep(bool same, StorageClassView now, std::string_view member, ErrorList& errors) {
  if (!same)
    errors.Add(field::Invalid(Path(member), field::RenderField(now.node(), member), kFieldImmutable));
}

}  // namespace

ErrorList ValidateStorageClass(StorageClassView c) {
  ErrorList errors;
  CheckProvisioner(c.provisioner(), Path("provisioner"), errors);
  CheckParameters(c.parameters(), true, Path("parameters"), errors);
  if (!c.reclaim_policy().empty()) {
    constexpr std::string_view kPolicies[] = {"Delete", "Retain"};
    core::CheckSupported(c.reclaim_policy(), kPolicies, Path("reclaimPolicy"), errors);
  }
  if (!c.has_volume_binding_mode()) {
    errors.Add(field::Required(Path("volumeBindingMode"), ""));
  } else {
    constexpr std::string_view kModes[] = {VolumeBindingMode::kImmediate,
                                           VolumeBindingMode::kWaitForFirstConsumer};
    core::CheckSupported(c.volume_binding_mode(), kModes, Path("volumeBindingMode"), errors);
  }
  if (!c.allowed_topologies().empty())
    CheckTopologies(c.allowed_topologies(), Path("allowedTopologies"), errors);
  return errors;
}

ErrorList ValidateStorageClassUpdate(StorageClassView now, StorageClassView was) {
  ErrorList errors = ValidateStorageClass(now);
  Keep(core::SameMap(now.parameters(), was.parameters()), now, "parameters", errors);
  Keep(now.provisioner() == was.provisioner(), now, "provisioner", errors);
  Keep(now.has_reclaim_policy() == was.has_reclaim_policy() && now.reclaim_policy() == was.reclaim_policy(),
       now, "reclaimPolicy", errors);
  Keep(now.volume_binding_mode() == was.volume_binding_mode(), now, "volumeBindingMode", errors);
  return errors;
}

std::vector<std::string> WarningsForStorageClass(StorageClassView c) {
  std::vector<std::string> warnings;
  const Path path("allowedTopologies");
  size_t i = 0;
  for (const auto term : c.allowed_topologies()) {
    const Path at = path.Index(i++), expressions = at.Child("matchLabelExpressions");
    size_t j = 0;
    for (const auto requirement : term.match_label_expressions()) {
      const Path expression = expressions.Index(j++);
      if (const std::string_view why = node::DeprecatedNodeLabel(requirement.key()); !why.empty())
        warnings.push_back(expression.Child("key").ToString() + ": " + std::string(why));
    }
  }
  return warnings;
}

}  // namespace keelson::api::storage_api
