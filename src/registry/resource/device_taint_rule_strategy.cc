#include "api/meta/object_meta.h"
#include "api/validation/resource/device_taint_rule.h"
#include "registry/core/spec_and_status_strategy.h"
#include "registry/resource/strategies.h"

namespace keelson::registry::resource {
namespace {

using api::field::ErrorList;
using namespace api::resource_v1alpha3;

class DeviceTaintRuleStrategy : public core::SpecAndStatusStrategy {
 public:
  bool NamespaceScoped() const override { return false; }
  void PrepareForCreate(const WriteContext&, api::Doc& doc) const override {
    core::ClearField(doc, "status");
    DeviceTaintRuleEditor(doc).mutable_metadata().set_generation(1);
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::resource::ValidateDeviceTaintRule(DeviceTaintRuleView(doc), DeviceTaintRuleView());
  }
  // The time of a taint is that of its effect: it starts anew when the effect changes and the time does not.
  void PrepareForUpdate(const WriteContext& context, api::Doc& now, const api::Doc& was) const override {
    core::KeepField(now, was, "status");
    DeviceTaintRuleEditor rule(now);
    const DeviceTaintRuleView old(was);
    const auto taint = rule.spec().taint(), old_taint = old.spec().taint();
    if (taint.effect() != old_taint.effect() && taint.has_time_added() == old_taint.has_time_added() &&
        taint.time_added() == old_taint.time_added())
      rule.mutable_spec().mutable_taint().set_time_added(api::NowSeconds(*context.clock));
    if (!api::Equal(rule.spec().node(), old.spec().node()))
      rule.mutable_metadata().set_generation(old.metadata().generation() + 1);
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::resource::ValidateDeviceTaintRule(DeviceTaintRuleView(now), DeviceTaintRuleView(was));
  }
};

class DeviceTaintRuleStatusStrategy final : public core::StatusStrategy<DeviceTaintRuleStrategy> {
 public:
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc&) const override {
    return api::resource::ValidateDeviceTaintRuleStatus(DeviceTaintRuleView(now));
  }
};

}  // namespace

const Strategy& DeviceTaintRules() {
  static const DeviceTaintRuleStrategy strategy;
  return strategy;
}

const Strategy& DeviceTaintRuleStatus() {
  static const DeviceTaintRuleStatusStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::resource
