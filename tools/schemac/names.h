// How schema names are written in C++.
#pragma once

#include <string>
#include <string_view>

#include "model.h"

namespace schemac {

// "podIPs" → "pod_ips", "setHostnameAsFQDN" → "set_hostname_as_fqdn", "$ref" → "ref".
std::string SnakeCase(std::string_view json_name);
// The name of a view's accessor: snake case, with '_' behind what C++ or the views' base
// class keeps for itself. An inline field is named after its type.
std::string AccessorName(const Field& field);
// The same without the trailing '_', for set_x() and the like.
std::string AccessorStem(const Field& field);
// What the view and the editor of a type are called before "View" and "Editor". The kind
// List gives way to api::ListView.
std::string ClassStem(const Type& type);
// `s` as a C++ string literal.
std::string Quote(std::string_view s);

}  // namespace schemac
