#include "api/validation/flowcontrol/priority_level.h"
#include "registry/core/spec_strategy.h"
#include "registry/flowcontrol/strategies.h"

namespace keelson::registry::flowcontrol {
namespace {

using api::field::ErrorList;
using api::flowcontrol_v1::PriorityLevelConfigurationView;

class PriorityLevelStrategy : public core::SpecStrategy {
 public:
  bool NamespaceScoped() const override { return false; }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::flowcontrol::ValidatePriorityLevel(PriorityLevelConfigurationView(doc));
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc&) const override {
    return api::flowcontrol::ValidatePriorityLevel(PriorityLevelConfigurationView(now));
  }
};

class PriorityLevelStatusStrategy final : public PriorityLevelStrategy {
 public:
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    core::KeepField(now, was, "spec");
    core::KeepMetadataForStatus(now, was);
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc&) const override {
    return api::flowcontrol::ValidatePriorityLevelStatus(PriorityLevelConfigurationView(now).status());
  }
};

}  // namespace

const Strategy& PriorityLevels() {
  static const PriorityLevelStrategy strategy;
  return strategy;
}

const Strategy& PriorityLevelStatus() {
  static const PriorityLevelStatusStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::flowcontrol
