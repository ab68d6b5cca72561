#include "api/validation/resource/device_taint_rule.h"

#include "api/validation/conditions.h"
#include "api/validation/core/checks.h"
#include "api/validation/labels.h"
#include "api/validation/names.h"
#include "api/validation/resource/device_names.h"

namespace keelson::api::resource {
namespace {

using resource_v1alpha3::DeviceTaintRuleView;

void CheckSelector(resource_v1alpha3::DeviceTaintSelectorView selector, const Path& path, ErrorList& errors) {
  if (selector.has_driver()) CheckDriverName(selector.driver(), path.Child("driver"), errors);
  if (selector.has_pool()) CheckPoolName(selector.pool(), path.Child("pool"), errors);
  if (selector.has_device()) core::CheckDnsLabel(selector.device(), path.Child("device"), errors);
}

}  // namespace

ErrorList ValidateDeviceTaintRule(DeviceTaintRuleView now, DeviceTaintRuleView was) {
  static constexpr std::string_view kEffects[] = {"NoExecute", "NoSchedule", "None"};
  ErrorList errors;
  const Path path("spec");
  if (const auto selector = now.spec().device_selector())
    CheckSelector(selector, path.Child("deviceSelector"), errors);
  const auto taint = now.spec().taint();
  const Path at = path.Child("taint");
  errors.Append(ValidateLabelName(taint.key(), at.Child("key")));
  if (!taint.value().empty())
    errors.AddInvalid(at.Child("value"), taint.value(), IsLabelValue(taint.value()));
  if (!was || was.spec().taint().effect() != taint.effect())
    core::CheckRequiredSupported(taint.effect(), kEffects, at.Child("effect"), errors);
  return errors;
}

ErrorList ValidateDeviceTaintRuleStatus(DeviceTaintRuleView now) {
  constexpr size_t kMaxConditions = 8;
  const Path status("status"), path = status.Child("conditions");
  ErrorList errors = ValidateConditions(now.status().conditions(), path);
  CheckSize(now.status().conditions().size(), kMaxConditions, path, errors);
  return errors;
}

}  // namespace keelson::api::resource
