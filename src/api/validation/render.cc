#include "api/validation/render.h"

#include <algorithm>

#include "api/codec/json.h"
#include "base/slice.h"

namespace keelson::api::field {

std::string RenderField(const StructNode* node, std::string_view member) {
  if (!node) return "null";
  const auto field = std::ranges::find(node->type->fields, member, &FieldDesc::name);
  const Value& value = node->slot(field->ordinal);
  if (value.absent()) {
    const bool reads_as_empty = field->type->kind == Kind::kString && !field->has(FieldDesc::kPointer);
    return reads_as_empty ? "\"\"" : "null";
  }
  base::BufferBuilder out;
  json::Encode(value, *field->type, out);
  return std::string(out.view());
}

std::string RenderStruct(const StructNode* node) {
  if (!node) return "null";
  base::BufferBuilder out;
  json::Encode(*node, out);
  return std::string(out.view());
}

}  // namespace keelson::api::field
