// What strategies take back of a struct inside an object.
#pragma once

#include <string_view>

#include "api/generated/meta_v1.h"
#include "api/types/doc.h"

namespace keelson::registry::core {

// Makes the field `name` of `now`, which lives in `arena`, what it was; `was` may be null.
// Requires: both are of one type that has the field.
void KeepFieldOf(api::StructNode* now, const api::StructNode* was, std::string_view name, api::Arena& arena);

// Makes the annotation `key` what it was.
void KeepAnnotation(api::meta_v1::ObjectMetaEditor now, api::meta_v1::ObjectMetaView was,
                    std::string_view key);

}  // namespace keelson::registry::core
