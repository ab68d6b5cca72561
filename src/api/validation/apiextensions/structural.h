// Structural schemas: those of which every field's place and type can be told without
// looking into allOf, anyOf, oneOf and not.
#pragma once

#include <string>

#include "api/generated/apiextensions_v1.h"
#include "api/validation/field.h"

namespace keelson::api::apiextensions {

using SchemaView = apiextensions_v1::JSONSchemaPropsView;
// The schema that a value holds, such as one in the map `properties`.
inline SchemaView SchemaOf(const Value& value) { return SchemaView(value.node()); }

// What a schema uses that structural ones cannot have, here or further down; empty:
// nothing. Such a schema cannot be looked at further.
std::string UnsupportedIn(SchemaView schema);

// Requires: UnsupportedIn(schema).empty(). Sorted by their text.
field::ErrorList ValidateStructural(SchemaView schema, const field::Path& path);

}  // namespace keelson::api::apiextensions
