// The defaults of certificates.k8s.io that are more than a constant.
#pragma once

#include "api/defaulting/entry.h"

namespace keelson::api::certificates {

std::span<const DefaultsEntry> Defaults();

}  // namespace keelson::api::certificates
