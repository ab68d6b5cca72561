// The defaults of admissionregistration.k8s.io that are more than a constant.
#pragma once

#include "api/defaulting/entry.h"

namespace keelson::api::admissionregistration {

std::span<const DefaultsEntry> Defaults();

}  // namespace keelson::api::admissionregistration
