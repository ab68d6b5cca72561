#include "api/validation/core/pod_subresources.h"

#include <map>
#include <string>

#include "api/pods/pod_spec.h"
#include "api/validation/core/checks.h"
#include "api/validation/unversioned.h"

namespace keelson::api::core {
namespace {

using namespace core_v1;
using field::RenderValue;

ErrorList OnlyForbidden(std::string_view why) {
  ErrorList errors;
  errors.Add(field::Forbidden(Path(""), why));
  return errors;
}

bool AnyRemoved(MapView now, MapView was) {
  for (const auto& [name, amount] : was)
    if (!now.Find(name)) return true;
  return false;
}

void CheckNothingRemoved(ResourceRequirementsView now, ResourceRequirementsView was, std::string_view what,
                         const Path& path, ErrorList& errors) {
  auto check = [&](MapView after, MapView before, std::string_view member) {
    if (AnyRemoved(after, before))
      errors.Add(field::Forbidden(path.Child(member),
                                  std::string(what) + " " + std::string(member) + " cannot be removed"));
  };
  check(now.requests(), was.requests(), "requests");
  check(now.limits(), was.limits(), "limits");
}

// A node that can resize reports what a running container has.
bool NodeResizes(PodView pod) {
  for (auto status : pod.status().container_statuses())
    if (status.state().running()) return static_cast<bool>(status.resources());
  return true;
}

// False: they cannot be compared one by one.
bool CheckOrder(ListView<ContainerView> now, ListView<ContainerView> was, std::string_view member,
                const Path& spec_path, ErrorList& errors) {
  const Path path = spec_path.Child(member);
  const std::string kind(member);
  if (now.size() != was.size()) {
    errors.Add(field::Forbidden(path, kind + " may not be added or removed on resize"));
    return false;
  }
  bool same = true;
  for (size_t i = 0; i < now.size(); ++i) {
    if (now[i].name() == was[i].name()) continue;
    const Path at = path.Index(i);
    errors.Add(field::Forbidden(at.Child("name"), kind + " may not be renamed or reordered on resize"));
    same = false;
  }
  return same;
}

// Puts back what a resize may change.
void Restore(MapNode& list, MapView was, Arena& arena) {
  for (std::string_view name : {"cpu", "memory"}) {
    const Value* before = was.Find(name);
    if (before) {
      list.Set(name, *before, arena);
    } else if (list.Find(name)) {
      list.Erase(name);
    }
  }
}

void RestoreResources(ResourceRequirementsEditor now, ResourceRequirementsView was) {
  if (!now.limits().empty() || !was.limits().empty())
    Restore(now.mutable_limits(), was.limits(), now.arena());
  if (!now.requests().empty() || !was.requests().empty())
    Restore(now.mutable_requests(), was.requests(), now.arena());
}

void CheckContainers(EditList<ContainerEditor> restored, ListView<ContainerView> was, const Path& spec_path,
                     ErrorList& errors) {
  for (size_t i = 0; i < restored.size(); ++i) {
    RestoreResources(restored[i].mutable_resources(), was[i].resources());
    if (!Equal(restored[i].node(), was[i].node()))
      errors.Add(field::Forbidden(spec_path, "only cpu and memory resources are mutable"));
  }
}

void CheckInitContainers(EditList<ContainerEditor> restored, ListView<ContainerView> was, const Path& path,
                         ErrorList& errors) {
  for (size_t i = 0; i < restored.size(); ++i) {
    const Path at = path.Index(i);
    const bool changed = !Equal(restored[i].node(), was[i].node());
    RestoreResources(restored[i].mutable_resources(), was[i].resources());
    if (!Equal(restored[i].node(), was[i].node()))
      errors.Add(
          field::Forbidden(at, "only cpu and memory resources for init or sidecar containers are mutable"));
    if (!changed || restored[i].restart_policy() == "Always") continue;
    for (auto policy : restored[i].resize_policy())
      if (policy.restart_policy() == "RestartContainer")
        errors.Add(field::Forbidden(
            at, "non-sidecar init containers with a resize policy of RestartContainer cannot be resized"));
  }
}

void CheckPodLevel(PodSpecView now, PodSpecView was, PodSpecEditor restored, const Path& path,
                   ErrorList& errors) {
  auto has_any = [](PodSpecView spec) {
    return !spec.resources().requests().empty() || !spec.resources().limits().empty();
  };
  if (!has_any(now) && !has_any(was)) return;
  const Path resources = path.Child("resources");
  if (was.resources() && !now.resources())
    return errors.Add(field::Forbidden(resources, "pod-level resources cannot be removed"));
  CheckNothingRemoved(now.resources(), was.resources(), "pod-level resource", resources, errors);
  RestoreResources(restored.mutable_resources(), was.resources());
  const auto left = restored.resources();
  if (!was.resources() && left.requests().empty() && left.limits().empty() && left.claims().empty())
    restored.clear_resources();
  if (!SameStruct(restored.resources(), was.resources()))
    errors.Add(field::Forbidden(path, "only cpu and memory resources are mutable at pod-level"));
}

void CheckRemovals(ListView<ContainerView> now, ListView<ContainerView> was, const Path& path,
                   ErrorList& errors) {
  for (size_t i = 0; i < now.size(); ++i) {
    const Path at = path.Index(i);
    CheckNothingRemoved(now[i].resources(), was[i].resources(), "resource", at.Child("resources"), errors);
  }
}

}  // namespace

field::ErrorList ValidatePodBinding(BindingView binding) {
  ErrorList errors;
  const Path target("target");
  constexpr std::string_view kKinds[] = {"Node", "<empty>"};
  const std::string_view kind = binding.target().kind();
  if (!kind.empty() && kind != "Node")
    errors.Add(field::NotSupported(target.Child("kind"), RenderValue(kind), kKinds));
  if (binding.target().name().empty()) errors.Add(field::Required(target.Child("name"), ""));
  return errors;
}

field::ErrorList ValidateEphemeralContainersUpdate(PodView now, PodView was) {
  if (pods::IsMirror(was)) return OnlyForbidden("static pods do not support ephemeral containers");
  ErrorList errors = ValidateExistingPod(now, was);
  const Path spec("spec"), path = spec.Child("ephemeralContainers");
  std::map<std::string_view, EphemeralContainerView> containers;
  for (auto container : now.spec().ephemeral_containers())
    containers.insert_or_assign(container.ephemeral_container_common().name(), container);
  for (auto before : was.spec().ephemeral_containers()) {
    const std::string_view name = before.ephemeral_container_common().name();
    const auto found = containers.find(name);
    const EphemeralContainerView after = found == containers.end() ? EphemeralContainerView() : found->second;
    const std::string what = "existing ephemeral containers " + RenderValue(name) + " may not be ";
    if (!after) {
      errors.Add(field::Forbidden(path, what + "removed\n"));
    } else if (!SameStruct(before, after)) {
      errors.Add(field::Forbidden(
          path, what + "changed\n" + field::UnversionedDifference(before.node(), after.node())));
    }
  }
  return errors;
}

field::ErrorList ValidatePodResize(PodView now, PodView was, bool same_qos) {
  if (pods::IsMirror(was)) return OnlyForbidden("static pods cannot be resized");
  if (was.spec().os().name() == "windows") return OnlyForbidden("windows pods cannot be resized");
  ErrorList errors = ValidateExistingPod(now, was);
  const Path path("spec");
  const auto after = now.spec(), before = was.spec();
  if (!same_qos)
    errors.Add(field::Invalid(path, RenderValue(now.status().qos_class()),
                              "Pod QOS Class may not change as a result of resizing"));
  if (!NodeResizes(was)) errors.Add(field::Forbidden(path, "Pod running on node without support for resize"));
  Arena arena;
  PodSpecEditor restored(DeepCopy(Value::Of(const_cast<StructNode*>(after.node())), arena).node(), &arena);
  CheckPodLevel(after, before, restored, path, errors);
  const bool same_containers =
      CheckOrder(after.containers(), before.containers(), "containers", path, errors);
  const bool same_init =
      CheckOrder(after.init_containers(), before.init_containers(), "initContainers", path, errors);
  if (!same_containers || !same_init) return errors;

  const Path init = path.Child("initContainers");
  CheckRemovals(after.init_containers(), before.init_containers(), init, errors);
  CheckRemovals(after.containers(), before.containers(), path.Child("containers"), errors);
  CheckContainers(restored.edit_containers(), before.containers(), path, errors);
  CheckInitContainers(restored.edit_init_containers(), before.init_containers(), init, errors);
  if (errors.empty() && !Equal(restored.node(), before.node()))
    errors.Add(field::Forbidden(path, "only cpu and memory resources are mutable"));
  return errors;
}

}  // namespace keelson::api::core
