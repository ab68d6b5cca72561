#include "api/defaulting/schema_defaults.h"

namespace keelson::api {
namespace {

Value ValueOf(const FieldDesc& field, Arena& arena) {
  const DefaultValue& d = field.default_value;
  switch (d.tag) {
    case DefaultValue::Tag::kNone: break;
    case DefaultValue::Tag::kBool: return Value::Bool(d.number != 0);
    case DefaultValue::Tag::kInt: return Value::Int(d.number);
    case DefaultValue::Tag::kString: return Value::String(d.text);
    case DefaultValue::Tag::kEmptyStruct: return Value::Of(StructNode::New(*field.type, arena));
  }
  return {};
}

// A field without pointer reads as its zero anyway.
bool MeansNothing(const FieldDesc& field) {
  const DefaultValue& d = field.default_value;
  return !field.has(FieldDesc::kPointer) && d.number == 0 && d.text.empty();
}

}  // namespace

void FillSchemaDefaults(StructNode* node, Arena& arena) {
  for (const FieldDesc& field : node->type->fields) {
    Value& slot = node->slot(field.ordinal);
    if (slot.absent()) {
      if (field.default_value.tag != DefaultValue::Tag::kNone && !MeansNothing(field))
        slot = ValueOf(field, arena);
    } else if (StructNode* inner = slot.node()) {
      FillSchemaDefaults(inner, arena);
    } else if (ListNode* list = slot.list(); list && list->element && list->element->kind == Kind::kStruct) {
      for (Value& item : list->items())
        if (item.node()) FillSchemaDefaults(item.node(), arena);
    }
  }
}

}  // namespace keelson::api
