#include "api/validation/autoscaling/horizontal_pod_autoscaler.h"
#include "api/validation/names.h"
#include "registry/autoscaling/strategies.h"
#include "registry/core/fields.h"

namespace keelson::registry::autoscaling {
namespace {

using api::autoscaling_v2::HorizontalPodAutoscalerView;
using api::field::ErrorList;
using core::ClearField;
using core::KeepField;

class HorizontalPodAutoscalerStrategy : public Strategy {
 public:
  bool NamespaceScoped() const override { return true; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }
  void PrepareForCreate(const WriteContext&, api::Doc& doc) const override { ClearField(doc, "status"); }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::autoscaling::ValidateHorizontalPodAutoscaler(HorizontalPodAutoscalerView(doc));
  }
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    KeepField(now, was, "status");
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::autoscaling::ValidateHorizontalPodAutoscalerUpdate(HorizontalPodAutoscalerView(now),
                                                                   HorizontalPodAutoscalerView(was));
  }
};

class HorizontalPodAutoscalerStatusStrategy final : public HorizontalPodAutoscalerStrategy {
 public:
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    KeepField(now, was, "spec");
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc&) const override {
    return api::autoscaling::ValidateHorizontalPodAutoscalerStatus(HorizontalPodAutoscalerView(now).status());
  }
};

}  // namespace

const Strategy& HorizontalPodAutoscalers() {
  static const HorizontalPodAutoscalerStrategy strategy;
  return strategy;
}

const Strategy& HorizontalPodAutoscalerStatus() {
  static const HorizontalPodAutoscalerStatusStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::autoscaling
