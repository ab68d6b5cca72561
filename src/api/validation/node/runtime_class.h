// Runtime classes.
#pragma once

#include <string>
#include <vector>

#include "api/generated/node_v1.h"
#include "api/validation/field.h"

namespace keelson::api::node {

field::ErrorList ValidateRuntimeClass(node_v1::RuntimeClassView runtime_class);
field::ErrorList ValidateRuntimeClassUpdate(node_v1::RuntimeClassView now, node_v1::RuntimeClassView was);
// Labels of nodes that should no longer be used.
std::vector<std::string> WarningsForRuntimeClass(node_v1::RuntimeClassView runtime_class);

}  // namespace keelson::api::node
