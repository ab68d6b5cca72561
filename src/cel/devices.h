// The environment of selectors of devices (resource.k8s.io).
#pragma once

#include <string_view>

#include "cel/admission.h"

namespace keelson::cel {

// The most a selector may cost.
constexpr uint64_t kMaxSelectorCost = 1'000'000;

struct DeviceSelector {
  Program program;
  uint64_t max_cost = 0;  // by estimate
};

base::Result<DeviceSelector, CompileError> CompileDeviceSelector(std::string_view expression);

}  // namespace keelson::cel
