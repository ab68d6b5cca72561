#include "api/validation/apps/deployment.h"
#include "api/validation/core/checks.h"
#include "registry/apps/strategies.h"
#include "registry/core/kept_fields.h"
#include "registry/core/workload_strategy.h"

namespace keelson::registry::apps {
namespace {

using api::apps_v1::DeploymentEditor;
using api::apps_v1::DeploymentView;
using api::field::ErrorList;

// Deployment: any change of its spec or its annotations is a new generation, because its
// controller copies annotations to what it makes.
class DeploymentStrategy : public core::WorkloadStrategy<DeploymentView, DeploymentEditor> {
 public:
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::apps::ValidateDeployment(DeploymentView(doc));
  }
  void PrepareForUpdate(const WriteContext& context, api::Doc& now, const api::Doc& was) const override {
    WorkloadStrategy::PrepareForUpdate(context, now, was);
    const DeploymentView before(was);
    DeploymentEditor after(now);
    if (!api::core::SameMap(after.metadata().annotations(), before.metadata().annotations()))
      after.mutable_metadata().set_generation(before.metadata().generation() + 1);
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::apps::ValidateDeploymentUpdate(DeploymentView(now), DeploymentView(was));
  }
};

class DeploymentStatusStrategy final : public core::WorkloadStatusStrategy<DeploymentStrategy> {
 public:
  void PrepareForUpdate(const WriteContext& context, api::Doc& now, const api::Doc& was) const override {
    WorkloadStatusStrategy::PrepareForUpdate(context, now, was);
    const DeploymentView before(was);
    auto metadata = DeploymentEditor(now).mutable_metadata();
    core::KeepFieldOf(metadata.node(), before.metadata().node(), "labels", now.arena());
    // Part of the spec, wherever it is written.
    core::KeepAnnotation(metadata, before.metadata(), api::apps::kRollbackToAnnotation);
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::apps::ValidateDeploymentStatusUpdate(DeploymentView(now), DeploymentView(was));
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
