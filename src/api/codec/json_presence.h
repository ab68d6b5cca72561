// Which fields JSON shows although nothing is there, and what it shows then.
#pragma once

#include "api/codec/token_writer.h"
#include "api/types/type_desc.h"

namespace keelson::api::json {

// Whether a field shows in JSON although its value is absent or zero. Go's omitempty does
// not apply to structs, and times, quantities and the like are structs.
bool ShowsWhenEmpty(const FieldDesc& field);

// What stands for a value that is not there but must show.
void WriteAbsent(const TypeDesc& type, bool pointer, TokenWriter& w);
// The members of an empty struct that must show, each with its comma.
void WriteAbsentMembers(const TypeDesc& type, TokenWriter& w);

}  // namespace keelson::api::json
