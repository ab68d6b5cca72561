#include "api/codec/json_presence.h"

namespace keelson::api::json {

bool ShowsWhenEmpty(const FieldDesc& field) {
  if (field.has(FieldDesc::kOmitZero)) return false;
  if (!field.has(FieldDesc::kOmitEmpty)) return true;
  if (field.has(FieldDesc::kPointer)) return false;
  switch (field.type->kind) {
    case Kind::kStruct:
    case Kind::kTime:
    case Kind::kMicroTime:
    case Kind::kDuration:
    case Kind::kQuantity:
    case Kind::kIntOrString:
    case Kind::kRaw: return true;
    default: return false;
  }
}

bool IsZeroStruct(const Value& v) {
  const StructNode* node = v.node();
  if (!node) return false;
  for (const FieldDesc& f : node->type->fields) {
    const Value& slot = node->slot(f.ordinal);
    if (!IsEmpty(slot, f) && !IsZeroStruct(slot)) return false;
  }
  return true;
}

Value ZeroElement(const TypeDesc& type, Arena& arena) {
  switch (type.kind) {
    case Kind::kBool: return Value::Bool(false);
    case Kind::kInt32:
    case Kind::kInt64:
    case Kind::kDuration:
    case Kind::kIntOrString: return Value::Int(0);
    case Kind::kDouble: return Value::Double(0);
    case Kind::kString: return Value::String("");
    case Kind::kQuantity: return Value::String("0");
    case Kind::kStruct: return Value::Of(StructNode::New(type, arena));
    case Kind::kAny: return Value::Null();
    case Kind::kBytes:
    case Kind::kTime:
    case Kind::kMicroTime:
    case Kind::kRaw:
    case Kind::kList:
    case Kind::kMap: return {};
  }
  return {};
}

void WriteAbsent(const TypeDesc& type, bool pointer, TokenWriter& w) {
  if (pointer) return w.Null();
  switch (type.kind) {
    case Kind::kBool: return w.Bool(false);
    case Kind::kInt32:
    case Kind::kInt64:
    case Kind::kDouble:
    case Kind::kIntOrString: return w.Int(0);
    case Kind::kString: return w.Raw("\"\"");
    case Kind::kQuantity: return w.Raw("\"0\"");
    case Kind::kDuration: return w.Raw("\"0s\"");
    case Kind::kStruct:
      w.Raw('{');
      WriteAbsentMembers(type, w);
      return w.CloseObject();
    default: return w.Null();
  }
}

void WriteAbsentMembers(const TypeDesc& type, TokenWriter& w) {
  for (const FieldDesc& f : type.fields) {
    if (f.has(FieldDesc::kInline) && f.type->kind == Kind::kStruct) {
      if (!f.has(FieldDesc::kPointer)) WriteAbsentMembers(*f.type, w);
    } else if (ShowsWhenEmpty(f)) {
      w.Raw(f.json_key);
      WriteAbsent(*f.type, f.has(FieldDesc::kPointer), w);
      w.Comma();
    }
  }
}

}  // namespace keelson::api::json
