// The defaults of node.k8s.io that are more than a constant.
#pragma once

#include "api/defaulting/entry.h"

namespace keelson::api::node {

std::span<const DefaultsEntry> Defaults();

}  // namespace keelson::api::node
