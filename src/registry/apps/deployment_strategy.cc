#include "api/validation/apps/deployment.h"
#include "api/validation/core/checks.h"
#include "api/validation/names.h"
#include "registry/apps/strategies.h"
#include "registry/core/fields.h"
#include "registry/core/kept_fields.h"
#include "registry/core/pod_rules.h"
#include "registry/core/pod_warnings.h"

namespace keelson::registry::apps {
namespace {

using api::apps_v1::DeploymentEditor;
using api::apps_v1::DeploymentView;
using api::field::ErrorList;
using core::ClearField;
using core::KeepField;

void WarnOfTemplate(DeploymentView deployment, core::Warnings& warnings) {
  const api::field::Path spec("spec");
  core::WarnOfPodTemplate(deployment.spec().template_(), spec.Child("template"), warnings);
}

// Deployment: any change of its spec or its annotations is a new generation, because its
// controller copies annotations to what it makes.
class DeploymentStrategy : public Strategy {
 public:
  bool NamespaceScoped() const override { return true; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }
  void PrepareForCreate(const WriteContext&, api::Doc& doc) const override {
    ClearField(doc, "status");
    DeploymentEditor deployment(doc);
    deployment.mutable_metadata().set_generation(1);
    core::DropDisabledFields(deployment.mutable_spec().mutable_template().mutable_spec(), {});
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::apps::ValidateDeployment(DeploymentView(doc));
  }
  std::vector<std::string> WarningsOnCreate(const WriteContext&, const api::Doc& doc) const override {
    const DeploymentView deployment(doc);
    core::Warnings warnings;
    core::WarnOfWorkloadName(deployment.metadata().name(), warnings);
    WarnOfTemplate(deployment, warnings);
    return warnings;
  }
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    KeepField(now, was, "status");
    const DeploymentView before(was);
    DeploymentEditor after(now);
    core::DropDisabledFields(after.mutable_spec().mutable_template().mutable_spec(),
                             before.spec().template_().spec());
    const bool same_annotations =
        api::core::SameMap(after.metadata().annotations(), before.metadata().annotations());
    if (same_annotations && api::Equal(after.spec().node(), before.spec().node())) return;
    after.mutable_metadata().set_generation(before.metadata().generation() + 1);
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::apps::ValidateDeploymentUpdate(DeploymentView(now), DeploymentView(was));
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext&, const api::Doc& now,
                                            const api::Doc& was) const override {
    const DeploymentView after(now), before(was);
    core::Warnings warnings;
    if (after.metadata().generation() != before.metadata().generation()) WarnOfTemplate(after, warnings);
    return warnings;
  }
};

class DeploymentStatusStrategy final : public DeploymentStrategy {
 public:
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    KeepField(now, was, "spec");
    const DeploymentView before(was);
    auto metadata = DeploymentEditor(now).mutable_metadata();
    core::KeepFieldOf(metadata.node(), before.metadata().node(), "labels", now.arena());
    // Part of the spec, wherever it is written.
    core::KeepAnnotation(metadata, before.metadata(), api::apps::kRollbackToAnnotation);
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::apps::ValidateDeploymentStatusUpdate(DeploymentView(now), DeploymentView(was));
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext&, const api::Doc&,
                                            const api::Doc&) const override {
    return {};
  }
};

}  // namespace

const Strategy& Deployments() {
  static const DeploymentStrategy strategy;
  return strategy;
}

const Strategy& DeploymentStatus() {
  static const DeploymentStatusStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::apps
