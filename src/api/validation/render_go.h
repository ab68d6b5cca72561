// Structs in messages that upstream fills from its internal types.
#pragma once

#include <string>
#include <string_view>

#include "api/types/doc.h"

namespace keelson::api::field {

// Every field under its Go name, also when it is empty. Right for types whose internal form
// has the same fields in the same order; types shared by all groups (metav1) appear as their
// JSON.
std::string RenderGoStruct(const StructNode* node);
// The same for one field (its JSON name). Requires: the type has such a field.
std::string RenderGoField(const StructNode* node, std::string_view member);

}  // namespace keelson::api::field
