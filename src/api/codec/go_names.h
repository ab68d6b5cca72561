// How Go names what its decoders complain of.
#pragma once

#include <string>
#include <string_view>

#include "api/types/type_desc.h"

namespace keelson::api {

// Go's name of a type, which its decoders put into errors: v1.PodSpec, map[string]string.
std::string GoTypeName(const TypeDesc& type);

// The name without the package: PodSpec.
inline std::string_view BareName(const TypeDesc& type) { return type.name.substr(type.name.rfind('.') + 1); }

// Go's name of a field by its JSON name: "apiGroup" is APIGroup. A name's first letter, or its
// first word when that is an acronym, has capitals.
std::string GoFieldName(std::string_view json_name);

// As strconv.Quote for the characters that field names and keys may have.
std::string GoQuote(std::string_view s);

}  // namespace keelson::api
