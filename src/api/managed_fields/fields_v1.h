// FieldsV1: the encoding of a FieldSet in managedFields, byte for byte upstream's:
// {"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{".":{},"f:image":{}}}}}
#pragma once

#include <string>
#include <string_view>

#include "api/managed_fields/field_set.h"
#include "base/result.h"
#include "base/slice.h"

namespace keelson::api::managed_fields {

// Null is the empty set. Elements of a kind this version does not know are dropped.
// `text` must live as long as the arena.
base::Result<const FieldSet*, std::string> DecodeFields(std::string_view text, Arena& arena);

void EncodeFields(const FieldSet* set, base::BufferBuilder& out);
// The same with the members of each object in the order of their bytes, as an encoder writes them that knows
// nothing of paths: `k:{"port":443}` before `k:{"port":80}`.
void EncodeFieldsByKey(const FieldSet* set, base::BufferBuilder& out);

}  // namespace keelson::api::managed_fields
