#include "api/generated/scheduling_v1alpha2.h"
#include "api/validation/scheduling/pod_group.h"
#include "registry/core/spec_and_status_strategy.h"
#include "registry/scheduling/group_features.h"
#include "registry/scheduling/strategies.h"

namespace keelson::registry::scheduling {
namespace {

using api::field::ErrorList;
using namespace api::scheduling_v1alpha2;

// PodGroup: what is asked of the scheduler never changes; the status tells what came of it.
class PodGroupStrategy : public core::SpecAndStatusStrategy {
 public:
  bool NamespaceScoped() const override { return true; }
  void PrepareForCreate(const WriteContext& context, api::Doc& doc) const override {
    core::ClearField(doc, "status");
    Drop(context.features, PodGroupEditor(doc).mutable_spec(), PodGroupSpecView());
  }
  ErrorList Validate(const WriteContext& context, const api::Doc& doc) const override {
    return api::scheduling::ValidatePodGroup(PodGroupView(doc), PodGroupView(),
                                             GroupFeaturesOf(context.features));
  }
  void PrepareForUpdate(const WriteContext& context, api::Doc& now, const api::Doc& was) const override {
    core::KeepField(now, was, "status");
    Drop(context.features, PodGroupEditor(now).mutable_spec(), PodGroupView(was).spec());
  }
  ErrorList ValidateUpdate(const WriteContext& context, const api::Doc& now,
                           const api::Doc& was) const override {
    return api::scheduling::ValidatePodGroup(PodGroupView(now), PodGroupView(was),
                                             GroupFeaturesOf(context.features));
  }

 private:
  // The mode of disruption has a default, which readers see whether the feature is on or not.
  static void Drop(const Features& features, PodGroupSpecEditor now, PodGroupSpecView was) {
    DropDisabledGroupFields(features, now, was);
    if (!now.has_disruption_mode()) now.set_disruption_mode_static("Pod");
  }
};

class PodGroupStatusStrategy final : public core::StatusStrategy<PodGroupStrategy> {
 public:
  void PrepareForUpdate(const WriteContext& context, api::Doc& now, const api::Doc& was) const override {
    core::KeepField(now, was, "spec");
    core::KeepMetadataForStatus(now, was);
    if (context.features.dra_workload_resource_claims || !PodGroupView(was).spec().resource_claims().empty())
      return;
    if (PodGroupView(now).status()) PodGroupEditor(now).mutable_status().clear_resource_claim_statuses();
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc&) const override {
    return api::scheduling::ValidatePodGroupStatus(PodGroupView(now));
  }
};

}  // namespace

const Strategy& PodGroups() {
  static const PodGroupStrategy strategy;
  return strategy;
}

const Strategy& PodGroupStatus() {
  static const PodGroupStatusStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::scheduling
