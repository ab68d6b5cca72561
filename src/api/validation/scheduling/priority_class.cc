#include "api/validation/scheduling/priority_class.h"

#include <algorithm>
#include <string>

#include "api/validation/core/checks.h"

namespace keelson::api::scheduling {
namespace {

using field::ErrorList;
using field::Path;
using field::RenderValue;
using scheduling_v1::PriorityClassView;

constexpr int32_t kHighestUserDefinablePriority = 1000000000;
constexpr std::string_view kSystemPrefix = "system-";

// Why the class is none of the system's; empty: it is one.
std::string WhyNotSystem(PriorityClassView c) {
  const auto* known =
      std::ranges::find(kSystemPriorityClasses, c.metadata().name(), &SystemPriorityClass::name);
  const std::string name(c.metadata().name());
  if (known == kSystemPriorityClasses.end()) return name + " is not a known system priority class";
  if (known->value != c.value())
    return "value of " + name + " PriorityClass must be " + std::to_string(known->value);
  if (c.global_default()) return "globalDefault of " + name + " PriorityClass must be false";
  return {};
}

}  // namespace

ErrorList ValidatePriorityClass(PriorityClassView c) {
  ErrorList errors;
  if (c.metadata().name().starts_with(kSystemPrefix)) {
    if (const std::string why = WhyNotSystem(c); !why.empty()) {
      const Path metadata("metadata");
      errors.Add(field::Forbidden(
          metadata.Child("name"),
          "priority class names with 'system-' prefix are reserved for system use only. error: " + why));
    }
  } else if (c.value() > kHighestUserDefinablePriority) {
    errors.Add(field::Forbidden(Path("value"), "maximum allowed value of a user defined priority is " +
                                                   std::to_string(kHighestUserDefinablePriority)));
  }
  if (c.has_preemption_policy()) {
    constexpr std::string_view kPolicies[] = {"PreemptLowerPriority", "Never"};
    core::CheckRequiredSupported(c.preemption_policy(), kPolicies, Path("preemptionPolicy"), errors);
  }
  return errors;
}

ErrorList ValidatePriorityClassUpdate(PriorityClassView now, PriorityClassView was) {
  ErrorList errors;
  if (now.value() != was.value())
    errors.Add(field::Forbidden(Path("value"), "may not be changed in an update."));
  if (now.has_preemption_policy() != was.has_preemption_policy() ||
      now.preemption_policy() != was.preemption_policy()) {
    const std::string rendered = now.has_preemption_policy() ? RenderValue(now.preemption_policy()) : "null";
    errors.Add(field::Invalid(Path("preemptionPolicy"), rendered, kFieldImmutable));
  }
  return errors;
}

}  // namespace keelson::api::scheduling
