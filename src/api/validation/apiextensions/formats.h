// Formats in the schemas of custom resource definitions.
#pragma once

#include <string>
#include <vector>

#include "api/generated/apiextensions_v1.h"

namespace keelson::api::apiextensions {

// Those that nothing is known of, and which are therefore not checked.
std::vector<std::string> UnrecognizedFormats(apiextensions_v1::CustomResourceDefinitionView definition);

}  // namespace keelson::api::apiextensions
