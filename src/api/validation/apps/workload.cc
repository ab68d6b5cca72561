#include "api/validation/apps/workload.h"

#include "api/validation/core/pod_spec.h"
#include "api/validation/label_selector.h"
#include "api/validation/label_selector_match.h"
#include "api/validation/render.h"

namespace keelson::api::apps {

void CheckRequiredSelector(meta_v1::LabelSelectorView selector, std::string_view kind, const Path& path,
                           ErrorList& errors) {
  if (!selector) return errors.Add(field::Required(path, ""));
  errors.Append(ValidateLabelSelector(selector, path));
  if (!selector.match_labels().empty() || !selector.match_expressions().empty()) return;
  errors.Add(field::Invalid(path, field::RenderStruct(selector.node()),
                            "empty selector is invalid for " + std::string(kind)));
}

void CheckSelectorMatches(meta_v1::LabelSelectorView selector, core_v1::PodTemplateSpecView pod_template,
                          const Path& template_path, ErrorList& errors) {
  const auto metadata = pod_template.metadata();
  if (SelectorMatches(selector, metadata.labels())) return;
  const Path metadata_path = template_path.Child("metadata");
  errors.Add(field::Invalid(metadata_path.Child("labels"), field::RenderField(metadata.node(), "labels"),
                            "`selector` does not match template `labels`"));
}

void CheckRunsForever(core_v1::PodSpecView spec, std::string_view kind, const Path& spec_path,
                      ErrorList& errors) {
  constexpr std::string_view kAlways[] = {core_v1::RestartPolicy::kAlways};
  core::CheckSupported(spec.restart_policy(), kAlways, spec_path.Child("restartPolicy"), errors);
  if (!spec.has_active_deadline_seconds()) return;
  errors.Add(field::Forbidden(spec_path.Child("activeDeadlineSeconds"),
                              "activeDeadlineSeconds in " + std::string(kind) + " is not Supported"));
}

void CheckReplicaSetTemplate(meta_v1::LabelSelectorView selector, core_v1::PodTemplateSpecView pod_template,
                             const Path& spec_path, ErrorList& errors) {
  // Upstream says deployment of both.
  CheckRequiredSelector(selector, "deployment", spec_path.Child("selector"), errors);
  if (!IsUsableSelector(selector))
    return errors.Add(field::Invalid(spec_path.Child("selector"), field::RenderStruct(selector.node()),
                                     "invalid label selector"));
  const Path path = spec_path.Child("template");
  CheckSelectorMatches(selector, pod_template, path, errors);
  errors.Append(core::ValidatePodTemplateSpec(pod_template, path));
  CheckRunsForever(pod_template.spec(), "ReplicaSet", path.Child("spec"), errors);
}

void CheckImmutableSelector(meta_v1::LabelSelectorView now, meta_v1::LabelSelectorView was, const Path& path,
                            ErrorList& errors) {
  if (core::SameStruct(now, was)) return;
  errors.Add(field::Invalid(path, field::RenderStruct(now.node()), kFieldImmutable));
}

}  // namespace keelson::api::apps
