#include "api/validation/scheduling/pod_group.h"

#include <span>
#include <string>

#include "api/validation/conditions.h"
#include "api/validation/core/checks.h"
#include "api/validation/long_name.h"
#include "api/validation/render.h"

namespace keelson::api::scheduling {
namespace {

using field::ErrorList;
using field::Path;
using field::RenderValue;
using namespace scheduling_v1alpha2;

constexpr size_t kMaxClaims = 4, kMaxTopologies = 1, kMaxTemplates = 8;
constexpr int32_t kHighestPriority = 1'000'000'000;  // that users may give

// Messages of changes do not show the value.
void AddImmutable(const Path& path, ErrorList& errors) {
  errors.Add(field::Invalid(path, "null", kFieldImmutable));
}

// A name that must be there.
void CheckName(std::string_view name, Messages (*check)(std::string_view), const Path& path,
               ErrorList& errors) {
  if (name.empty()) return errors.Add(field::Required(path, ""));
  errors.AddInvalid(path, name, check(name));
}

struct UnionMember {
  std::string_view name;
  bool is_set;
};

// Exactly one of them is set.
void CheckUnion(std::span<const UnionMember> members, const Path& path, ErrorList& errors) {
  std::string all, set;
  size_t count = 0;
  for (const UnionMember& member : members) {
    all.append(all.empty() ? "`" : ", `").append(member.name).append("`");
    if (!member.is_set) continue;
    set.append(count++ == 0 ? "{" : ", ").append(member.name);
  }
  if (count > 1)
    errors.Add(field::Invalid(path, RenderValue(set + "}"), "must specify exactly one of: " + all));
  if (count == 0) errors.Add(field::Invalid(path, RenderValue(""), "must specify one of: " + all));
}

// At most `most`, and no two of one name. True: each is to be looked at.
template <class List>
bool CheckNamed(const List& list, size_t most, const Path& path, ErrorList& errors) {
  if (list.size() > most) {
    errors.Add(field::TooMany(path, list.size(), most));
    return false;
  }
  for (size_t i = 0; i < list.size(); ++i)
    for (size_t earlier = 0; earlier < i; ++earlier) {
      if (list[earlier].name() != list[i].name()) continue;
      errors.Add(field::Duplicate(path.Index(i), field::RenderStruct(list[i].node())));
      break;
    }
  return true;
}

void CheckPolicy(PodGroupSchedulingPolicyView policy, const Path& path, ErrorList& errors) {
  const UnionMember members[] = {{"basic", static_cast<bool>(policy.basic())},
                                 {"gang", static_cast<bool>(policy.gang())}};
  CheckUnion(members, path, errors);
  const auto gang = policy.gang();
  if (!gang) return;
  const Path gang_path = path.Child("gang"), least = gang_path.Child("minCount");
  if (gang.min_count() == 0)
    errors.Add(field::Required(least, ""));
  else if (gang.min_count() < 1)
    errors.Add(field::Invalid(least, RenderValue(gang.min_count()), "must be greater than or equal to 1"));
}

void CheckConstraints(PodGroupSchedulingConstraintsView constraints, const Path& path, ErrorList& errors) {
  const auto topology = constraints.topology();
  const Path all = path.Child("topology");
  if (topology.size() > kMaxTopologies)
    return errors.Add(field::TooMany(all, topology.size(), kMaxTopologies));
  for (size_t i = 0; i < topology.size(); ++i) {
    const Path at = all.Index(i);
    CheckName(topology[i].key(), IsQualifiedName, at.Child("key"), errors);
  }
}

void CheckClaims(ListView<PodGroupResourceClaimView> claims, const Path& path, ErrorList& errors) {
  if (!CheckNamed(claims, kMaxClaims, path, errors)) return;
  for (size_t i = 0; i < claims.size(); ++i) {
    const auto claim = claims[i];
    const Path at = path.Index(i);
    const UnionMember members[] = {{"resourceClaimName", claim.has_resource_claim_name()},
                                   {"resourceClaimTemplateName", claim.has_resource_claim_template_name()}};
    CheckUnion(members, at, errors);
    CheckName(claim.name(), IsShortName, at.Child("name"), errors);
    if (claim.has_resource_claim_name())
      errors.AddInvalid(at.Child("resourceClaimName"), claim.resource_claim_name(),
                        IsLongName(claim.resource_claim_name()));
    if (claim.has_resource_claim_template_name())
      errors.AddInvalid(at.Child("resourceClaimTemplateName"), claim.resource_claim_template_name(),
                        IsLongName(claim.resource_claim_template_name()));
  }
}

// How a group or a template is interrupted. What is there while the feature is off was there before, or is
// the default.
template <class Group>
void CheckPreemption(Group group, const Path& path, ErrorList& errors) {
  static constexpr std::string_view kModes[] = {"Pod", "PodGroup"};
  if (group.has_disruption_mode())
    core::CheckSupported(group.disruption_mode(), kModes, path.Child("disruptionMode"), errors);
  if (!group.priority_class_name().empty())
    errors.AddInvalid(path.Child("priorityClassName"), group.priority_class_name(),
                      IsLongName(group.priority_class_name()));
  if (group.has_priority() && group.priority() > kHighestPriority)
    errors.Add(field::Invalid(path.Child("priority"), RenderValue(group.priority()),
                              "must be less than or equal to " + std::to_string(kHighestPriority)));
}

void CheckNewGroup(PodGroupSpecView spec, const GroupFeatures& features, const Path& path,
                   ErrorList& errors) {
  if (const auto ref = spec.pod_group_template_ref()) {
    const Path at = path.Child("podGroupTemplateRef"), workload = at.Child("workload");
    const UnionMember members[] = {{"workload", static_cast<bool>(ref.workload())}};
    CheckUnion(members, at, errors);
    if (ref.workload()) {
      CheckName(ref.workload().workload_name(), IsLongName, workload.Child("workloadName"), errors);
      CheckName(ref.workload().pod_group_template_name(), IsShortName, workload.Child("podGroupTemplateName"),
                errors);
    }
  }
  CheckPolicy(spec.scheduling_policy(), path.Child("schedulingPolicy"), errors);
  CheckConstraints(spec.scheduling_constraints(), path.Child("schedulingConstraints"), errors);
  CheckClaims(spec.resource_claims(), path.Child("resourceClaims"), errors);
  if (features.preemption) CheckPreemption(spec, path, errors);
}

template <class List>
bool SameElements(const List& a, const List& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!core::SameStruct(a[i], b[i])) return false;
  return true;
}

// A field behind a feature has changed: with the feature it may not, without it it may only be absent.
void CheckGatedChange(bool changed, bool enabled, bool present, const Path& path, ErrorList& errors) {
  if (!changed) return;
  if (enabled)
    AddImmutable(path, errors);
  else if (present)
    errors.Add(field::Forbidden(path, ""));
}

void CheckGroupChange(PodGroupSpecView now, PodGroupSpecView was, const GroupFeatures& features,
                      const Path& path, ErrorList& errors) {
  if (!core::SameStruct(now.pod_group_template_ref(), was.pod_group_template_ref()))
    AddImmutable(path.Child("podGroupTemplateRef"), errors);
  if (!core::SameStruct(now.scheduling_policy(), was.scheduling_policy()))
    AddImmutable(path.Child("schedulingPolicy"), errors);
  CheckGatedChange(!core::SameStruct(now.scheduling_constraints(), was.scheduling_constraints()),
                   features.topology, static_cast<bool>(now.scheduling_constraints()),
                   path.Child("schedulingConstraints"), errors);
  if (!SameElements(now.resource_claims(), was.resource_claims())) {
    AddImmutable(path.Child("resourceClaims"), errors);
    if (now.resource_claims().size() > kMaxClaims)
      errors.Add(field::TooMany(path.Child("resourceClaims"), now.resource_claims().size(), kMaxClaims));
  }
  const auto check = [&](bool changed, bool present, std::string_view member) {
    CheckGatedChange(changed, features.preemption, present, path.Child(member), errors);
  };
  check(now.has_disruption_mode() != was.has_disruption_mode() ||
            now.disruption_mode() != was.disruption_mode(),
        now.has_disruption_mode(), "disruptionMode");
  check(now.priority_class_name() != was.priority_class_name(), !now.priority_class_name().empty(),
        "priorityClassName");
  check(now.has_priority() != was.has_priority() || now.priority() != was.priority(), now.has_priority(),
        "priority");
}

void CheckController(TypedLocalObjectReferenceView controller, const Path& path, ErrorList& errors) {
  if (!controller) return;
  if (!controller.api_group().empty())
    errors.AddInvalid(path.Child("apiGroup"), controller.api_group(), IsLongName(controller.api_group()));
  CheckName(controller.kind(), IsPathSegmentName, path.Child("kind"), errors);
  CheckName(controller.name(), IsPathSegmentName, path.Child("name"), errors);
}

void CheckNewWorkload(WorkloadSpecView spec, const GroupFeatures& features, const Path& path,
                      ErrorList& errors) {
  CheckController(spec.controller_ref(), path.Child("controllerRef"), errors);
  const auto templates = spec.pod_group_templates();
  const Path all = path.Child("podGroupTemplates");
  if (templates.empty()) return errors.Add(field::Required(all, ""));
  if (!CheckNamed(templates, kMaxTemplates, all, errors)) return;
  for (size_t i = 0; i < templates.size(); ++i) {
    const auto group = templates[i];
    const Path at = all.Index(i);
    CheckName(group.name(), IsShortName, at.Child("name"), errors);
    CheckPolicy(group.scheduling_policy(), at.Child("schedulingPolicy"), errors);
    CheckConstraints(group.scheduling_constraints(), at.Child("schedulingConstraints"), errors);
    CheckClaims(group.resource_claims(), at.Child("resourceClaims"), errors);
    if (features.preemption) CheckPreemption(group, at, errors);
  }
}

bool HasClaim(PodGroupSpecView spec, std::string_view name) {
  for (const auto claim : spec.resource_claims())
    if (claim.name() == name) return true;
  return false;
}

}  // namespace

ErrorList ValidatePodGroup(PodGroupView now, PodGroupView was, const GroupFeatures& features) {
  ErrorList errors;
  const Path path("spec");
  if (was)
    CheckGroupChange(now.spec(), was.spec(), features, path, errors);
  else
    CheckNewGroup(now.spec(), features, path, errors);
  return errors;
}

ErrorList ValidatePodGroupStatus(PodGroupView now) {
  const Path path("status"), all = path.Child("resourceClaimStatuses");
  const auto statuses = now.status().resource_claim_statuses();
  ErrorList errors = ValidateConditions(now.status().conditions(), path.Child("conditions"));
  for (size_t i = 0; i < statuses.size(); ++i) {
    const std::string_view name = statuses[i].name();
    const Path at = all.Index(i);
    if (!HasClaim(now.spec(), name))
      errors.Add(field::Invalid(at.Child("name"), RenderValue(name),
                                "must match the name of an entry in `spec.resourceClaims`"));
  }
  if (!CheckNamed(statuses, kMaxClaims, all, errors)) return errors;
  for (size_t i = 0; i < statuses.size(); ++i) {
    const Path at = all.Index(i);
    if (statuses[i].has_resource_claim_name())
      errors.AddInvalid(at.Child("resourceClaimName"), statuses[i].resource_claim_name(),
                        IsLongName(statuses[i].resource_claim_name()));
  }
  return errors;
}

ErrorList ValidateWorkload(WorkloadView now, WorkloadView was, const GroupFeatures& features) {
  ErrorList errors;
  const Path path("spec"), all = path.Child("podGroupTemplates");
  if (!was) {
    CheckNewWorkload(now.spec(), features, path, errors);
    return errors;
  }
  if (!core::SameStruct(now.spec().controller_ref(), was.spec().controller_ref()))
    AddImmutable(path.Child("controllerRef"), errors);
  const auto templates = now.spec().pod_group_templates();
  if (SameElements(templates, was.spec().pod_group_templates())) return errors;
  AddImmutable(all, errors);
  if (templates.size() > kMaxTemplates) errors.Add(field::TooMany(all, templates.size(), kMaxTemplates));
  if (templates.empty()) errors.Add(field::Required(all, ""));
  return errors;
}

}  // namespace keelson::api::scheduling
