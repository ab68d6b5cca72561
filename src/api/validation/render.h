// Values of any type in messages: what is no plain string, number or boolean appears as
// its JSON.
#pragma once

#include <string>

#include "api/types/doc.h"

namespace keelson::api::field {

// The value of the field `member` (its JSON name) of `node`; null when it is absent, "" for
// a string that cannot be.
// Requires: the type has such a field.
std::string RenderField(const StructNode* node, std::string_view member);
std::string RenderStruct(const StructNode* node);

}  // namespace keelson::api::field
