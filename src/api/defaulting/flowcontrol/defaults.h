// The defaults of flowcontrol.apiserver.k8s.io that are more than a constant.
#pragma once

#include "api/defaulting/entry.h"

namespace keelson::api::flowcontrol {

std::span<const DefaultsEntry> Defaults();

}  // namespace keelson::api::flowcontrol
