// Names of resources: what containers ask for, what quotas and limits count.
#pragma once

#include <string_view>

#include "api/validation/field.h"

namespace keelson::api::core {

// "hugepages-2Mi" and the like.
bool IsHugePageResourceName(std::string_view name);
// In the kubernetes.io domain, or without any.
bool IsNativeResource(std::string_view name);
// Of a domain of its own, and still valid as "requests.<name>" in a quota.
bool IsExtendedResourceName(std::string_view name);
// Containers may ask for less than they may use.
bool IsOvercommitAllowed(std::string_view name);
// Counted in whole numbers.
bool IsIntegerResourceName(std::string_view name);
bool IsStandardQuotaResourceName(std::string_view name);

field::ErrorList ValidateResourceName(std::string_view name, const field::Path& path);
field::ErrorList ValidateContainerResourceName(std::string_view name, const field::Path& path);
field::ErrorList ValidateQuotaResourceName(std::string_view name, const field::Path& path);

// A quantity, in its canonical text, for a resource of that name: not negative, and whole
// where the resource is counted.
field::ErrorList ValidateResourceQuantity(std::string_view name, std::string_view quantity,
                                          const field::Path& path);

}  // namespace keelson::api::core
