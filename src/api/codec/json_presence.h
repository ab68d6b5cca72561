// Which fields JSON shows although nothing is there, and what it shows then.
#pragma once

#include "api/codec/token_writer.h"
#include "api/types/doc.h"

namespace keelson::api::json {

// Whether a field shows in JSON although its value is absent or zero. Go's omitempty does
// not apply to structs, and times, quantities and the like are structs.
bool ShowsWhenEmpty(const FieldDesc& field);

// Whether omitempty leaves `v`, the value of `field`, out.
inline bool IsEmpty(const Value& v, const FieldDesc& field) {
  if (v.absent()) return true;
  if (field.has(FieldDesc::kPointer)) return false;
  switch (v.tag()) {
    case Value::Tag::kBool: return !v.boolean();
    case Value::Tag::kInt:
      return v.integer() == 0 && field.type->kind != Kind::kTime && field.type->kind != Kind::kMicroTime;
    case Value::Tag::kDouble: return v.real() == 0;
    case Value::Tag::kString:
    case Value::Tag::kBytes: return v.string().empty();
    case Value::Tag::kList: return v.list()->size == 0;
    case Value::Tag::kMap: return v.map()->size == 0;
    default: return false;
  }
}
// Whether `v` is a struct with nothing in it, as omitzero asks.
bool IsZeroStruct(const Value& v);

// Whether JSON shows `field` with the value `v`, which may be absent.
inline bool Shows(const Value& v, const FieldDesc& field) {
  if (v.absent()) return ShowsWhenEmpty(field);
  if (field.has(FieldDesc::kOmitZero) && !field.has(FieldDesc::kPointer) && IsZeroStruct(v)) return false;
  return !field.has(FieldDesc::kOmitEmpty) || !IsEmpty(v, field) || ShowsWhenEmpty(field);
}

// What Go holds after reading null into a fresh element of a list or map.
Value ZeroElement(const TypeDesc& type, Arena& arena);

// What stands for a value that is not there but must show.
void WriteAbsent(const TypeDesc& type, bool pointer, TokenWriter& w);
// The members of an empty struct that must show, each with its comma.
void WriteAbsentMembers(const TypeDesc& type, TokenWriter& w);

}  // namespace keelson::api::json
