// Which parts of an object a write cannot set, since the resource's strategy puts back what
// was there: status in a write of the object, spec in one of its status. Nobody comes to
// own them that way.
#pragma once

#include <string_view>

#include "api/managed_fields/field_set.h"

namespace keelson::api::managed_fields {

// Null when there are none. Lives forever.
const FieldSet* ResetFields(std::string_view group, std::string_view plural, std::string_view subresource);

// The same of custom resources.
const FieldSet* CustomResetFields(bool has_status, std::string_view subresource);

}  // namespace keelson::api::managed_fields
