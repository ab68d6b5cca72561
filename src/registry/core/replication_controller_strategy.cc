#include "api/validation/core/replication_controller.h"
#include "api/validation/long_name.h"
#include "registry/core/strategies.h"
#include "registry/core/workload_strategy.h"

namespace keelson::registry::core {
namespace {

using api::core_v1::ReplicationControllerEditor;
using api::core_v1::ReplicationControllerView;
using api::field::ErrorList;

class ReplicationControllerStrategy
    : public WorkloadStrategy<ReplicationControllerView, ReplicationControllerEditor> {
 public:
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsLongName(name, prefix);
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::core::ValidateReplicationController(ReplicationControllerView(doc));
  }
  ErrorList ValidateUpdate(const WriteContext& context, const api::Doc& now, const api::Doc&) const override {
    return Validate(context, now);
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext&, const api::Doc& now,
                                            const api::Doc& was) const override {
    Warnings warnings;
    // Upstream warns of the template that is replaced.
    if (NewGeneration(now, was)) WarnOfTemplate(ReplicationControllerView(was), warnings);
    return warnings;
  }
  // For compatibility with clients that delete pods themselves.
  bool OrphanDependentsByDefault() const override { return true; }

 protected:
  void DropDisabled(const Features& features, ReplicationControllerEditor now,
                    ReplicationControllerView was) const override {
    if (auto pod_template = now.mutable_spec().edit_template())
      DropDisabledFields(features, pod_template.mutable_spec(), was.spec().template_().spec());
  }
  void WarnOfTemplate(ReplicationControllerView controller, Warnings& warnings) const override {
    if (controller.spec().template_()) WorkloadStrategy::WarnOfTemplate(controller, warnings);
  }
};

class ReplicationControllerStatusStrategy final
    : public WorkloadStatusStrategy<ReplicationControllerStrategy> {
 public:
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc&) const override {
    return api::core::ValidateReplicationControllerStatus(ReplicationControllerView(now).status());
  }
};

}  // namespace

const Strategy& ReplicationControllers() {
  static const ReplicationControllerStrategy strategy;
  return strategy;
}

const Strategy& ReplicationControllerStatus() {
  static const ReplicationControllerStatusStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::core
