#include "registry/core/pod_changes.h"

#include "api/validation/core/pod_subresources.h"
#include "api/validation/core/qos.h"
#include "api/validation/names.h"
#include "registry/core/fields.h"
#include "registry/core/kept_fields.h"
#include "registry/core/pod_rules.h"

namespace keelson::registry::core {
namespace {

using api::StructNode;
using api::core_v1::ContainerEditor;
using api::core_v1::ContainerView;
using api::core_v1::PodEditor;
using api::core_v1::PodView;
using api::field::ErrorList;

size_t SpecOrdinal(std::string_view member) {
  return api::core_v1::kPodSpecType.FindMember(member).field->ordinal;
}

// Lets one kind of change through; what it makes of the spec counts as a new generation.
class PodChange : public Strategy {
 public:
  bool NamespaceScoped() const override { return true; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }
  ErrorList Validate(const WriteContext&, const api::Doc&) const override { return {}; }
  void PrepareForUpdate(const WriteContext& context, api::Doc& now, const api::Doc& was) const override {
    const PodView before(was);
    PodEditor pod(now);
    DropOtherChanges(now, was);
    DropDisabledFields(context.features, pod.mutable_spec(), before.spec());
    if (api::Equal(pod.spec().node(), before.spec().node())) return;
    pod.mutable_metadata().set_generation(before.metadata().generation() + 1);
  }

 protected:
  virtual void DropOtherChanges(api::Doc& now, const api::Doc& was) const = 0;
};

class EphemeralContainersStrategy final : public PodChange {
 public:
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::core::ValidateEphemeralContainersUpdate(PodView(now), PodView(was));
  }

 protected:
  void DropOtherChanges(api::Doc& now, const api::Doc& was) const override {
    PodEditor pod(now);
    const size_t ordinal = SpecOrdinal("ephemeralContainers");
    const api::Value containers = pod.mutable_spec().node()->slot(ordinal);
    KeepField(now, was, "spec");
    KeepField(now, was, "status");
    KeepMetadataForStatus(now, was);
    pod.mutable_spec().node()->slot(ordinal) = containers;
  }
};

class ResizeStrategy final : public PodChange {
 public:
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    const PodView after(now), before(was);
    const bool same_qos = api::core::QosClassOf(before) == api::core::QosClassOf(after.spec());
    return api::core::ValidatePodResize(after, before, same_qos);
  }

 protected:
  // Containers that were added, removed or renamed are left for validation to refuse.
  void DropOtherChanges(api::Doc& now, const api::Doc& was) const override {
    PodEditor pod(now);
    const PodView before(was);
    if (pod.spec().containers().size() != before.spec().containers().size() ||
        pod.spec().init_containers().size() != before.spec().init_containers().size())
      return;
    KeepAllButResources(pod.mutable_spec().edit_containers(), before.spec().containers());
    KeepAllButResources(pod.mutable_spec().edit_init_containers(), before.spec().init_containers());
    StructNode* given = pod.mutable_spec().node();
    KeepField(now, was, "spec");
    StructNode* kept = pod.mutable_spec().node();
    for (std::string_view member : {"containers", "initContainers", "resources"})
      kept->slot(SpecOrdinal(member)) = given->slot(SpecOrdinal(member));
    KeepField(now, was, "status");
    KeepMetadataForStatus(now, was);
  }

 private:
  static void KeepAllButResources(api::EditList<ContainerEditor> now, api::ListView<ContainerView> was) {
    for (size_t i = 0; i < now.size(); ++i)
      if (now[i].name() != was[i].name()) return;
    for (size_t i = 0; i < now.size(); ++i)
      for (const api::FieldDesc& field : api::core_v1::kContainerType.fields)
        if (field.name != "resources" && field.name != "resizePolicy")
          KeepFieldOf(now[i].node(), was[i].node(), field.name, now[i].arena());
  }
};

}  // namespace

const Strategy& PodEphemeralContainers() {
  static const EphemeralContainersStrategy strategy;
  return strategy;
}

const Strategy& PodResize() {
  static const ResizeStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::core
