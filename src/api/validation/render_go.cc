#include "api/validation/render_go.h"

#include "api/codec/json.h"
#include "base/slice.h"

namespace keelson::api::field {
namespace {

void RenderGo(const StructNode* node, const TypeDesc& type, std::string& out);

// A field that is absent and no pointer still has its zero.
void RenderGoZero(const FieldDesc& field, std::string& out) {
  const bool pointer = field.has(FieldDesc::kPointer);
  switch (pointer ? Kind::kList : field.type->kind) {
    case Kind::kBool: out += "false"; return;
    case Kind::kInt32:
    case Kind::kInt64:
    case Kind::kDouble:
    case Kind::kIntOrString: out += '0'; return;
    case Kind::kString: out += "\"\""; return;
    case Kind::kQuantity: out += "\"0\""; return;
    case Kind::kStruct: return RenderGo(nullptr, *field.type, out);
    default: out += "null"; return;
  }
}

void RenderGoValue(const Value& value, const TypeDesc& type, std::string& out) {
  const bool shared = type.name.starts_with("meta_v1.");
  if (value.node() && !shared) return RenderGo(value.node(), type, out);
  if (const ListNode* list = value.list(); list && list->element) {
    out += '[';
    for (size_t i = 0; i < list->size; ++i) {
      if (i) out += ',';
      RenderGoValue(list->items()[i], *list->element, out);
    }
    out += ']';
    return;
  }
  base::BufferBuilder json;
  json::Encode(value, type, json);
  out += json.view();
}

void RenderGo(const StructNode* node, const TypeDesc& type, std::string& out) {
  out += '{';
  bool first = true;
  for (const FieldDesc& field : type.fields) {
    if (!first) out += ',';
    first = false;
    out += '"';
    out += static_cast<char>(field.name[0] >= 'a' ? field.name[0] - 32 : field.name[0]);
    out.append(field.name.substr(1)).append("\":");
    const Value value = node ? node->slot(field.ordinal) : Value();
    if (value.absent()) {
      RenderGoZero(field, out);
    } else {
      RenderGoValue(value, *field.type, out);
    }
  }
  out += '}';
}

}  // namespace

std::string RenderGoStruct(const StructNode* node) {
  if (!node) return "null";
  std::string out;
  RenderGo(node, *node->type, out);
  return out;
}

}  // namespace keelson::api::field
