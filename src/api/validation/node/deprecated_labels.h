// Labels of nodes that have been replaced.
#pragma once

#include <string_view>

namespace keelson::api::node {

// What to tell who uses the label `key`; empty: nothing.
std::string_view DeprecatedNodeLabel(std::string_view key);

}  // namespace keelson::api::node
