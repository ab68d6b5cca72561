#include "api/defaulting/scheduling/defaults.h"

#include "api/generated/scheduling_v1.h"

namespace keelson::api::scheduling {
namespace {

void SetPriorityClassDefaults(Doc& doc) {
  scheduling_v1::PriorityClassEditor c(doc);
  if (!c.has_preemption_policy()) c.set_preemption_policy_static("PreemptLowerPriority");
}

constexpr DefaultsEntry kDefaults[] = {{&scheduling_v1::kPriorityClassType, SetPriorityClassDefaults}};

}  // namespace

std::span<const DefaultsEntry> Defaults() { return kDefaults; }

}  // namespace keelson::api::scheduling
