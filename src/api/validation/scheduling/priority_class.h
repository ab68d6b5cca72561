// Priority classes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "api/generated/scheduling_v1.h"
#include "api/validation/field.h"

namespace keelson::api::scheduling {

field::ErrorList ValidatePriorityClass(scheduling_v1::PriorityClassView priority_class);
field::ErrorList ValidatePriorityClassUpdate(scheduling_v1::PriorityClassView now,
                                             scheduling_v1::PriorityClassView was);

// The classes every cluster has; nobody else may have names with their prefix.
struct SystemPriorityClass {
  std::string_view name;
  int32_t value = 0;
  std::string_view description;
};
inline constexpr std::array<SystemPriorityClass, 2> kSystemPriorityClasses = {{
    {"system-node-critical", 2000001000,
     "Used for system critical pods that must not be moved from their current node."},
    {"system-cluster-critical", 2000000000,
     "Used for system critical pods that must run in the cluster, but can be moved to another node if "
     "necessary."},
}};

}  // namespace keelson::api::scheduling
