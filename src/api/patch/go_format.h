// Schema-less values in messages, as Go prints them.
#pragma once

#include <string>

#include "api/types/doc.h"

namespace keelson::api {

// As Go's %v: `map[a:1 b:[x y]]`, `<nil>`.
void AppendGoFormat(const Value& tree, std::string& out);
std::string GoFormat(const Value& tree);

// What Go calls the kind of a decoded JSON value: "map", "slice", "string", "int64",
// "float64", "bool"; null is "<nil>".
std::string_view GoKind(const Value& tree);
// The same with the whole type: "map[string]interface {}", "[]interface {}".
std::string_view GoType(const Value& tree);

}  // namespace keelson::api
