#include "api/validation/core/replication_controller.h"
#include "api/validation/names.h"
#include "registry/core/fields.h"
#include "registry/core/pod_rules.h"
#include "registry/core/pod_warnings.h"
#include "registry/core/strategies.h"

namespace keelson::registry::core {
namespace {

using api::core_v1::ReplicationControllerEditor;
using api::core_v1::ReplicationControllerView;
using api::field::ErrorList;

void DropDisabledTemplateFields(ReplicationControllerEditor now, ReplicationControllerView was) {
  if (auto pod_template = now.mutable_spec().edit_template()) {
    DropDisabledFields(pod_template.mutable_spec(), was.spec().template_().spec());
  }
}

void WarnOfTemplate(ReplicationControllerView controller, Warnings& warnings) {
  if (!controller.spec().template_()) return;
  const api::field::Path spec("spec");
  WarnOfPodTemplate(controller.spec().template_(), spec.Child("template"), warnings);
}

class ReplicationControllerStrategy : public Strategy {
 public:
  bool NamespaceScoped() const override { return true; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }
  void PrepareForCreate(const WriteContext&, api::Doc& doc) const override {
    ClearField(doc, "status");
    ReplicationControllerEditor controller(doc);
    controller.mutable_metadata().set_generation(1);
    DropDisabledTemplateFields(controller, ReplicationControllerView());
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::core::ValidateReplicationController(ReplicationControllerView(doc));
  }
  std::vector<std::string> WarningsOnCreate(const WriteContext&, const api::Doc& doc) const override {
    const ReplicationControllerView controller(doc);
    Warnings warnings;
    WarnOfWorkloadName(controller.metadata().name(), warnings);
    WarnOfTemplate(controller, warnings);
    return warnings;
  }
  // Any change of the spec counts; status says which count it has seen.
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    KeepField(now, was, "status");
    const ReplicationControllerView before(was);
    ReplicationControllerEditor after(now);
    DropDisabledTemplateFields(after, before);
    if (api::Equal(after.spec().node(), before.spec().node())) return;
    after.mutable_metadata().set_generation(before.metadata().generation() + 1);
  }
  ErrorList ValidateUpdate(const WriteContext& context, const api::Doc& now, const api::Doc&) const override {
    return Validate(context, now);
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext&, const api::Doc& now,
                                            const api::Doc& was) const override {
    const ReplicationControllerView after(now), before(was);
    Warnings warnings;
    // Upstream warns of the template that is replaced.
    if (after.metadata().generation() != before.metadata().generation()) WarnOfTemplate(before, warnings);
    return warnings;
  }
  // For compatibility with clients that delete pods themselves.
  bool OrphanDependentsByDefault() const override { return true; }
};

class ReplicationControllerStatusStrategy final : public ReplicationControllerStrategy {
 public:
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    KeepField(now, was, "spec");
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc&) const override {
    return api::core::ValidateReplicationControllerStatus(ReplicationControllerView(now).status());
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext&, const api::Doc&,
                                            const api::Doc&) const override {
    return {};
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
