#include "api/validation/batch/job.h"

#include <string>

#include "api/validation/apps/workload.h"
#include "api/validation/core/fields.h"
#include "api/validation/label_selector.h"
#include "api/validation/label_selector_match.h"
#include "api/validation/render.h"
#include "api/validation/unversioned.h"

namespace keelson::api::batch {
namespace {

using namespace batch_v1;
using core::ErrorList;
using core::Path;
using field::RenderValue;

void CheckLabel(JobView job, std::string_view label, std::string_view value, ErrorList& errors) {
  const auto metadata = job.spec().template_().metadata();
  const Path spec("spec"), pod_template = spec.Child("template"),
                           metadata_path = pod_template.Child("metadata"),
                           labels = metadata_path.Child("labels");
  const Value* given = metadata.labels().Find(label);
  const std::string why = "must be '" + std::string(value) + "'";
  if (!given) return errors.Add(field::Required(labels.Key(label), why));
  if (given->string() == value) return;
  errors.Add(field::Invalid(labels.Key(label), field::RenderField(metadata.node(), "labels"), why));
}

// Labels and selector that the server has made must be those of this very job: a client can
// have set others before.
void CheckGeneratedSelector(JobView job, bool prefixed_labels, ErrorList& errors) {
  const auto spec = job.spec();
  if (spec.manual_selector() || !spec.selector()) return;
  const std::string_view uid = job.metadata().uid(), name = job.metadata().name();
  const Path metadata("metadata"), spec_path("spec");
  if (uid.empty()) errors.Add(field::Required(metadata.Child("uid"), ""));
  Arena arena;
  MapNode* expected = MapNode::New(nullptr, arena);
  auto check = [&](std::string_view label, std::string_view value) {
    CheckLabel(job, label, value, errors);
    expected->Set(label, Value::String(value), arena);
  };
  check(kLegacyControllerUidLabel, uid);
  check(kLegacyJobNameLabel, name);
  if (prefixed_labels) {
    check(kControllerUidLabel, uid);
    check(kJobNameLabel, name);
  }
  if (!IsUsableSelector(spec.selector()) || SelectorMatches(spec.selector(), MapView(expected))) return;
  errors.Add(field::Invalid(spec_path.Child("selector"), field::RenderStruct(spec.selector().node()),
                            "`selector` not auto-generated"));
}

void CheckSelector(JobSpecView spec, const LabelSelectorOptions& options, const Path& path,
                   ErrorList& errors) {
  const Path selector = path.Child("selector");
  if (!spec.selector()) {
    errors.Add(field::Required(selector, ""));
  } else {
    errors.Append(ValidateLabelSelector(spec.selector(), selector, options));
  }
  if (IsUsableSelector(spec.selector()))
    apps::CheckSelectorMatches(spec.selector(), spec.template_(), path.Child("template"), errors);
}

// The controller gives the pods of an indexed job host names that end in the index.
void CheckHostNames(JobView job, ErrorList& errors) {
  const auto spec = job.spec();
  if (spec.completion_mode() != CompletionMode::kIndexed || spec.completions() <= 0) return;
  const std::string longest =
      std::string(job.metadata().name()) + "-" + std::to_string(spec.completions() - 1);
  if (IsDns1123Label(longest).empty()) return;
  const Path metadata("metadata");
  errors.Add(field::Invalid(metadata.Child("name"), RenderValue(job.metadata().name()),
                            "will not able to create pod with invalid DNS label: " + longest));
}

struct Leniency {
  bool prefixed_labels = true;
  LabelSelectorOptions selector;
};

ErrorList ValidateWith(JobView job, const Leniency& lenient) {
  ErrorList errors;
  const Path path("spec");
  CheckGeneratedSelector(job, lenient.prefixed_labels, errors);
  CheckJobSpec(job.spec(), path, errors);
  CheckSelector(job.spec(), lenient.selector, path, errors);
  CheckHostNames(job, errors);
  return errors;
}

// Nothing has been made from the template yet, or nothing is left of it.
bool TemplateIsUnused(JobView job) {
  const auto status = job.status();
  return job.spec().suspend() && (!status.has_start_time() || HasCondition(status, "Suspended")) &&
         status.active() == 0;
}

void CopyField(StructNode* to, const StructNode* from, std::string_view member) {
  const size_t ordinal = to->type->FindMember(member).field->ordinal;
  to->slot(ordinal) = from ? from->slot(ordinal) : Value();
}

// Where a pod may run may change as long as there is none.
void AdoptSchedulingDirectives(core_v1::PodTemplateSpecEditor was, core_v1::PodTemplateSpecView now) {
  auto spec = was.mutable_spec();
  const auto affinity = now.spec().affinity();
  if (affinity) {
    CopyField(spec.mutable_affinity().node(), affinity.node(), "nodeAffinity");
  } else if (auto before = spec.edit_affinity()) {
    before.clear_node_affinity();
    if (!before.pod_affinity() && !before.pod_anti_affinity()) spec.clear_affinity();
  }
  for (std::string_view member : {"nodeSelector", "tolerations", "schedulingGates"})
    CopyField(spec.node(), now.spec().node(), member);
}

void AdoptResources(EditList<core_v1::ContainerEditor> was, ListView<core_v1::ContainerView> now) {
  if (was.size() != now.size()) return;
  for (size_t i = 0; i < was.size(); ++i)
    if (was[i].name() == now[i].name()) CopyField(was[i].node(), now[i].node(), "resources");
}

// As long as no pod was made from it, labels, annotations, resources and where pods may run
// can change.
void CheckTemplateUpdate(JobView now, JobView was, const Path& path, ErrorList& errors) {
  const auto after = now.spec().template_(), before = was.spec().template_();
  if (core::SameStruct(after, before)) return;
  if (!TemplateIsUnused(was))
    return errors.Add(field::Invalid(path.Child("template"),
                                     field::RenderUnversionedField(now.spec().node(), "template"),
                                     kFieldImmutable));
  Arena arena;
  core_v1::PodTemplateSpecEditor adopted(
      DeepCopy(Value::Of(const_cast<StructNode*>(before.node())), arena).node(), &arena);
  AdoptSchedulingDirectives(adopted, after);
  auto spec = adopted.mutable_spec();
  AdoptResources(spec.edit_containers(), after.spec().containers());
  AdoptResources(spec.edit_init_containers(), after.spec().init_containers());
  if (core::SameStruct(after.spec(), spec)) return;
  errors.Add(field::Invalid(path.Child("template.spec"), field::RenderUnversioned(after.spec().node()),
                            kFieldImmutable));
}

void CheckCompletionsUpdate(JobSpecView now, JobSpecView was, const Path& path, ErrorList& errors) {
  if (core::SameField(now, was, "completions")) return;
  const Path at = path.Child("completions");
  if (now.completion_mode() != CompletionMode::kIndexed)
    return errors.Add(field::Invalid(at, field::RenderField(now.node(), "completions"), kFieldImmutable));
  if (now.has_completions() && now.completions() != now.parallelism())
    errors.Add(field::Invalid(at, RenderValue(now.completions()),
                              "can only be modified in tandem with spec.parallelism"));
}

void CheckImmutable(JobSpecView now, JobSpecView was, const Path& path, ErrorList& errors) {
  for (std::string_view member :
       {"completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"}) {
    if (core::SameField(now, was, member)) continue;
    const Value& value = now.node()->slot(kJobSpecType.FindMember(member).field->ordinal);
    std::string rendered =
        value.node() ? field::RenderUnversioned(value.node()) : field::RenderField(now.node(), member);
    errors.Add(field::Invalid(path.Child(member), std::move(rendered), kFieldImmutable));
  }
}

}  // namespace

bool HasCondition(JobStatusView status, std::string_view type) {
  for (auto condition : status.conditions())
    if (condition.type() == type && condition.status() == "True") return true;
  return false;
}

field::ErrorList ValidateJob(JobView job) { return ValidateWith(job, {}); }

field::ErrorList ValidateJobUpdate(JobView now, JobView was) {
  const MapView old_labels = was.spec().template_().metadata().labels();
  ErrorList errors = ValidateWith(
      now, {.prefixed_labels = old_labels.Find(kJobNameLabel) && old_labels.Find(kControllerUidLabel),
            .selector = {.allow_invalid_values = !IsUsableSelector(was.spec().selector())}});
  const Path path("spec");
  CheckCompletionsUpdate(now.spec(), was.spec(), path, errors);
  apps::CheckImmutableSelector(now.spec().selector(), was.spec().selector(), path.Child("selector"), errors);
  CheckTemplateUpdate(now, was, path, errors);
  CheckImmutable(now.spec(), was.spec(), path, errors);
  return errors;
}

}  // namespace keelson::api::batch
