// Structured merge: a configuration laid over an object, and parts taken out of one.
#pragma once

#include "api/managed_fields/field_set.h"
#include "api/types/doc.h"

namespace keelson::api::managed_fields {

// Lays `config` (Presence::kExplicit, of the same type, in `arena`) over `root`: what it
// gives is set, what it leaves out stays. The configuration is used up.
void MergeConfig(StructNode& root, StructNode& config, Arena& arena);

// Takes the paths of `items` out of `root`, whatever they hold with them.
void RemoveItems(StructNode& root, const FieldSet* items, Arena& arena);

// True where the two differ at most in how JSON that nobody looks into is written.
bool SameButForRawText(const Value& a, const Value& b, const TypeDesc& type, Arena& arena);

// `set` and every named field on the way to its paths.
const FieldSet* WithNamedFields(const FieldSet* set, const TypeDesc& type, Arena& arena);

}  // namespace keelson::api::managed_fields
