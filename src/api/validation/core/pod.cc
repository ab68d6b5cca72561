#include "api/validation/core/pod.h"

#include <array>
#include <limits>
#include <map>
#include <set>
#include <string>

#include "api/pods/pod_spec.h"
#include "api/validation/core/container.h"
#include "api/validation/core/pod_spec.h"
#include "api/validation/core/pod_subresources.h"
#include "api/validation/core/scheduling.h"
#include "api/validation/render.h"
#include "api/validation/unversioned.h"

namespace keelson::api::core {
namespace {

using namespace core_v1;
using field::RenderValue;

PodSpecOwner OwnerOf(PodView pod) {
  return {.name = pod.metadata().name(), .metadata = pod.metadata(), .is_pod = true};
}

// Rules of pods that templates do not have.
void CheckOnlyForPods(PodSpecView spec, const Path& path, ErrorList& errors) {
  if (spec.service_account_name().empty()) {
    const Path volumes = path.Child("volumes");
    size_t i = 0;
    for (auto volume : spec.volumes()) {
      const Path at = volumes.Index(i++);
      const Path projected = at.Child("projected"), sources = projected.Child("sources");
      size_t j = 0;
      for (auto source : volume.volume_source().projected().sources()) {
        const Path source_path = sources.Index(j++);
        if (!source.service_account_token()) continue;
        errors.Add(field::Forbidden(source_path.Child("serviceAccountToken"),
                                    "must not be specified when serviceAccountName is not set"));
      }
    }
  }
  const Path containers = path.Child("containers"), init = path.Child("initContainers");
  size_t i = 0;
  for (auto container : spec.containers())
    CheckImageTrimmed(container.image(), containers.Index(i++), errors);
  i = 0;
  for (auto container : spec.init_containers()) CheckImageTrimmed(container.image(), init.Index(i++), errors);
}

void CheckPod(PodView pod, PodView was, ErrorList& errors) {
  const Path metadata("metadata"), spec("spec");
  PodSpecOwner owner = OwnerOf(pod);
  owner.was = was.spec();
  CheckPodAnnotations(owner, pod.spec(), metadata.Child("annotations"), errors);
  CheckPodSpec(pod.spec(), owner, spec, errors);
  CheckOnlyForPods(pod.spec(), spec, errors);
}

// Annotations that say how the pod was made stay as they are.
void CheckAnnotationUpdates(PodView now, PodView was, const Path& path, ErrorList& errors) {
  auto kind_of = [](std::string_view key) -> std::string_view {
    if (key.starts_with("container.apparmor.security.beta.kubernetes.io/")) return "AppArmor annotations";
    if (key == pods::kMirrorAnnotation) return "mirror pod annotation";
    return {};
  };
  const MapView after = now.metadata().annotations(), before = was.metadata().annotations();
  for (const auto& [key, value] : before) {
    const Value* kept = after.Find(key);
    if (kept && kept->string() == value.string()) continue;
    if (auto kind = kind_of(key); !kind.empty()) {
      errors.Add(field::Forbidden(path.Key(key), "may not remove or update " + std::string(kind)));
    }
  }
  for (const auto& [key, value] : after) {
    if (before.Find(key)) continue;
    if (auto kind = kind_of(key); !kind.empty()) {
      errors.Add(field::Forbidden(path.Key(key), "may not add " + std::string(kind)));
    }
  }
}

// False: containers were added or removed, and comparing further makes no sense.
bool CheckContainerUpdates(ListView<ContainerView> now, ListView<ContainerView> was, const Path& path,
                           ErrorList& errors) {
  if (now.size() != was.size()) {
    errors.Add(field::Forbidden(path, "pod updates may not add or remove containers"));
    return false;
  }
  size_t i = 0;
  for (auto container : now) {
    const Path at = path.Index(i++);
    CheckRequired(container.image(), at.Child("image"), errors);
    CheckImageTrimmed(container.image(), at, errors);
  }
  return true;
}

// A deadline may come, and come nearer, but never go.
bool CheckDeadlineUpdate(PodSpecView now, PodSpecView was, const Path& path, ErrorList& errors) {
  const int64_t seconds = now.active_deadline_seconds();
  if (!now.has_active_deadline_seconds()) {
    if (was.has_active_deadline_seconds()) {
      errors.Add(field::Invalid(path, "null", "must not update from a positive integer to nil value"));
    }
    return true;
  }
  const size_t before = errors.size();
  CheckInRange(seconds, 0, std::numeric_limits<int32_t>::max(), path, errors);
  if (errors.size() != before) return false;
  if (was.has_active_deadline_seconds() && was.active_deadline_seconds() < seconds) {
    errors.Add(field::Invalid(path, RenderValue(seconds), "must be less than or equal to previous value"));
    return false;
  }
  return true;
}

// A toleration but for its seconds.
std::array<std::string_view, 4> Tolerated(TolerationView t) {
  return {t.key(), t.operator_(), t.value(), t.effect()};
}

void CheckTolerationUpdates(PodSpecView now, PodSpecView was, const Path& path, ErrorList& errors) {
  std::set<std::array<std::string_view, 4>> kept;
  for (auto toleration : now.tolerations()) kept.insert(Tolerated(toleration));
  for (auto old : was.tolerations()) {
    if (!kept.contains(Tolerated(old))) {
      return errors.Add(
          field::Forbidden(path, "existing toleration can not be modified except its tolerationSeconds"));
    }
  }
  CheckTolerations(now.tolerations(), path, errors);
}

void CheckGateUpdates(PodSpecView now, PodSpecView was, const Path& path, ErrorList& errors) {
  std::set<std::string_view> before;
  for (auto old : was.scheduling_gates()) before.insert(old.name());
  size_t i = 0;
  for (auto gate : now.scheduling_gates()) {
    const Path at = path.Index(i++);
    if (before.contains(gate.name())) continue;
    errors.Add(field::Forbidden(
        at.Child("name"),
        "only deletion is allowed, but found new scheduling gate '" + std::string(gate.name()) + "'"));
  }
}

template <class Requirements>
bool OnlyAdded(Requirements now, Requirements was) {
  if (now.size() < was.size()) return false;
  for (size_t i = 0; i < was.size(); ++i)
    if (!SameStruct(now[i], was[i])) return false;
  return true;
}

bool OnlyAddedToTerm(NodeSelectorTermView now, NodeSelectorTermView was) {
  const bool empty = was.match_expressions().empty() && was.match_fields().empty();
  if (empty && !(now.match_expressions().empty() && now.match_fields().empty())) return false;
  return OnlyAdded(now.match_expressions(), was.match_expressions()) &&
         OnlyAdded(now.match_fields(), was.match_fields());
}

// A gated pod has not been looked at by a scheduler: where it may run can be narrowed.
void CheckGatedUpdates(PodSpecView now, PodSpecView was, const Path& path, ErrorList& errors) {
  for (const auto& [key, value] : was.node_selector()) {
    const Value* kept = now.node_selector().Find(key);
    if (kept && kept->string() == value.string()) continue;
    errors.Add(field::Invalid(path.Child("nodeSelector"), field::RenderField(now.node(), "nodeSelector"),
                              "only additions to spec.nodeSelector are allowed (no mutations or deletions)"));
    break;
  }
  const auto required = [](PodSpecView spec) {
    return spec.affinity().node_affinity().required_during_scheduling_ignored_during_execution();
  };
  const auto old_terms = required(was).node_selector_terms(), terms = required(now).node_selector_terms();
  const Path affinity = path.Child("affinity"), node = affinity.Child("nodeAffinity"),
             required_path = node.Child("requiredDuringSchedulingIgnoredDuringExecution"),
             terms_path = required_path.Child("nodeSelectorTerms");
  if (!old_terms.empty() && old_terms.size() != terms.size()) {
    const std::string rendered =
        required(now) ? field::RenderUnversionedField(required(now).node(), "nodeSelectorTerms") : "null";
    return errors.Add(field::Invalid(
        terms_path, rendered, "no additions/deletions to non-empty NodeSelectorTerms list are allowed"));
  }
  for (size_t i = 0; i < old_terms.size(); ++i) {
    if (OnlyAddedToTerm(terms[i], old_terms[i])) continue;
    errors.Add(field::Invalid(terms_path.Index(i), field::RenderUnversioned(terms[i].node()),
                              "only additions are allowed (no mutations or deletions)"));
  }
}

void CopyImages(EditList<ContainerEditor> to, ListView<ContainerView> from) {
  for (size_t i = 0; i < to.size(); ++i) to[i].set_image(from[i].image());
}

// The new spec with everything that may change put back to what it was.
StructNode* WithoutAllowedChanges(PodSpecView now, PodSpecView was, Arena& arena) {
  PodSpecEditor spec(DeepCopy(Value::Of(const_cast<StructNode*>(now.node())), arena).node(), &arena);
  auto restore = [&](std::string_view member) {
    const size_t ordinal = kPodSpecType.FindMember(member).field->ordinal;
    spec.node()->slot(ordinal) = was.node()->slot(ordinal);
  };
  CopyImages(spec.edit_containers(), was.containers());
  CopyImages(spec.edit_init_containers(), was.init_containers());
  for (std::string_view member : {"activeDeadlineSeconds", "schedulingGates", "tolerations"}) restore(member);
  // A negative grace period is read as one second.
  if (was.termination_grace_period_seconds() < 0 && spec.termination_grace_period_seconds() == 1) {
    restore("terminationGracePeriodSeconds");
  }
  if (was.scheduling_gates().empty()) return spec.node();
  restore("nodeSelector");
  const bool other_affinity = spec.affinity().pod_affinity() || spec.affinity().pod_anti_affinity();
  if (!was.affinity() && !other_affinity) {
    spec.clear_affinity();
  } else if (was.affinity() || spec.affinity()) {
    const size_t ordinal = kAffinityType.FindMember("nodeAffinity").field->ordinal;
    spec.mutable_affinity().node()->slot(ordinal) =
        was.affinity() ? was.affinity().node()->slot(ordinal) : Value();
  }
  return spec.node();
}

void CheckSpecUpdate(PodSpecView now, PodSpecView was, const Path& path, ErrorList& errors) {
  if (SameStruct(now, was)) return;
  if (!was.scheduling_gates().empty()) CheckGatedUpdates(now, was, path, errors);
  Arena arena;
  const StructNode* munged = WithoutAllowedChanges(now, was, arena);
  if (Equal(munged, was.node())) return;
  errors.Add(field::Forbidden(
      path,
      "pod updates may not change fields other than "
      "`spec.containers[*].image`,`spec.initContainers[*].image`,"
      "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
      "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n" +
          field::UnversionedDifference(was.node(), munged)));
}

}  // namespace

field::ErrorList ValidatePod(PodView pod) {
  ErrorList errors;
  const Path spec("spec");
  CheckPod(pod, {}, errors);
  if (!pod.spec().ephemeral_containers().empty()) {
    errors.Add(field::Forbidden(spec.Child("ephemeralContainers"), "cannot be set on create"));
  }
  if (!pod.spec().node_name().empty() && !pod.spec().scheduling_gates().empty()) {
    errors.Add(field::Forbidden(spec.Child("nodeName"),
                                "cannot be set until all schedulingGates have been cleared"));
  }
  CheckSecurityAnnotations(OwnerOf(pod), pod.spec(), spec, errors);
  return errors;
}

field::ErrorList ValidateExistingPod(PodView pod, PodView was) {
  ErrorList errors;
  CheckPod(pod, was, errors);
  return errors;
}

field::ErrorList ValidatePodUpdate(PodView now, PodView was) {
  ErrorList errors;
  const Path metadata("metadata"), spec("spec");
  CheckPod(now, was, errors);
  CheckAnnotationUpdates(now, was, metadata.Child("annotations"), errors);
  const auto after = now.spec(), before = was.spec();
  if (!CheckContainerUpdates(after.containers(), before.containers(), spec.Child("containers"), errors))
    return errors;
  if (!CheckContainerUpdates(after.init_containers(), before.init_containers(), spec.Child("initContainers"),
                             errors)) {
    return errors;
  }
  if (!CheckDeadlineUpdate(after, before, spec.Child("activeDeadlineSeconds"), errors)) return errors;
  CheckTolerationUpdates(after, before, spec.Child("tolerations"), errors);
  CheckGateUpdates(after, before, spec.Child("schedulingGates"), errors);
  CheckSpecUpdate(after, before, spec, errors);
  return errors;
}

}  // namespace keelson::api::core
