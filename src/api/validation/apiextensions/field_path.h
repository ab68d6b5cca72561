// Paths to fields in schemas, as rules and selectable fields name them: `.spec.x`, `.spec['x y']`.
#pragma once

#include <string>
#include <string_view>

#include "api/validation/apiextensions/structural.h"
#include "base/result.h"

namespace keelson::api::apiextensions {

struct FieldPath {
  std::string text;   // as errors show it: "spec.x", "spec[x y]" for an entry of a map
  std::string root;   // the first name
  SchemaView schema;  // of the field
};

// The error says why it leads nowhere.
base::Result<FieldPath, std::string> FindField(std::string_view path, SchemaView schema, bool allow_brackets);

}  // namespace keelson::api::apiextensions
