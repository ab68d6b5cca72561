// What the controllers of pods have in common: a selector, a template that it matches, and
// counts in their status.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/generated/core_v1.h"
#include "api/generated/meta_v1.h"
#include "api/validation/core/checks.h"

namespace keelson::api::apps {

using core::ErrorList;
using core::Path;

// Required, valid and not empty; `kind` is how the message calls its owner.
void CheckRequiredSelector(meta_v1::LabelSelectorView selector, std::string_view kind, const Path& path,
                           ErrorList& errors);

// The labels of the pods to be are those the selector looks for.
// Requires: IsUsableSelector.
void CheckSelectorMatches(meta_v1::LabelSelectorView selector, core_v1::PodTemplateSpecView pod_template,
                          const Path& template_path, ErrorList& errors);

// Pods that are kept running forever: restarted always, without a deadline. `kind` is how
// the message calls the owner.
void CheckRunsForever(core_v1::PodSpecView spec, std::string_view kind, const Path& spec_path,
                      ErrorList& errors);

// Selector and template of a ReplicaSet, or of a Deployment, which makes ReplicaSets.
void CheckReplicaSetTemplate(meta_v1::LabelSelectorView selector, core_v1::PodTemplateSpecView pod_template,
                             const Path& spec_path, ErrorList& errors);

void CheckImmutableSelector(meta_v1::LabelSelectorView now, meta_v1::LabelSelectorView was, const Path& path,
                            ErrorList& errors);

// A count of collisions only grows. Absent reads as nothing counted yet.
template <class Status>
void CheckCollisionCount(Status now, Status was, const Path& status_path, ErrorList& errors) {
  const bool fell = was.has_collision_count() &&
                    (!now.has_collision_count() || now.collision_count() < was.collision_count());
  if (!fell) return;
  errors.Add(field::Invalid(status_path.Child("collisionCount"), field::RenderValue(now.collision_count()),
                            "cannot be decremented"));
}

// Checks of one status's counts, each named by its JSON name.
class StatusCounts {
 public:
  StatusCounts(const Path& path, ErrorList& errors) : path_(path), errors_(errors) {}
  void NonNegative(int64_t count, std::string_view member) {
    core::CheckNonNegative(count, path_.Child(member), errors_);
  }
  void AtMost(int64_t count, int64_t max, std::string_view member, std::string_view max_name) {
    if (count <= max) return;
    errors_.Add(field::Invalid(path_.Child(member), field::RenderValue(count),
                               "cannot be greater than " + std::string(max_name)));
  }

 private:
  const Path& path_;
  ErrorList& errors_;
};

}  // namespace keelson::api::apps
