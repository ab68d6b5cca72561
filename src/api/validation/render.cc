#include "api/validation/render.h"

#include <algorithm>
#include <utility>

#include "api/codec/json.h"
#include "api/validation/unversioned.h"
#include "base/slice.h"

namespace keelson::api::field {
namespace {

// Go writes abbreviations in capitals.
std::string GoName(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> kAbbreviated[] = {
      {"apiGroup", "APIGroup"}, {"cel", "CEL"}, {"ips", "IPs"}, {"uid", "UID"}};
  for (const auto& [json, go] : kAbbreviated)
    if (name == json) return std::string(go);
  std::string go(name);
  if (!go.empty() && go[0] >= 'a' && go[0] <= 'z') go[0] = static_cast<char>(go[0] - 'a' + 'A');
  return go;
}

void AppendMembers(const StructNode& node, std::string& out);

void AppendUnversioned(const Value& value, const TypeDesc& type, std::string& out) {
  switch (type.kind) {
    case Kind::kStruct:
      // The shared types have JSON names in any form.
      if (type.name.starts_with("meta_v1.")) {
        out += RenderStruct(value.node());
      } else {
        out += '{';
        AppendMembers(*value.node(), out);
        out += '}';
      }
      return;
    case Kind::kList: {
      out += '[';
      for (const char* comma = ""; const Value& item : value.list()->items()) {
        out += std::exchange(comma, ",");
        AppendUnversioned(item, *type.element, out);
      }
      out += ']';
      return;
    }
    default: {
      base::BufferBuilder text;
      json::Encode(value, type, text);
      out += text.view();
    }
  }
}

std::string_view ZeroOf(const FieldDesc& field) {
  if (field.has(FieldDesc::kPointer)) return "null";
  switch (field.type->kind) {
    case Kind::kString: return "\"\"";
    case Kind::kBool: return "false";
    case Kind::kInt32:
    case Kind::kInt64:
    case Kind::kDouble: return "0";
    case Kind::kQuantity: return "\"0\"";
    default: return "null";
  }
}

void AppendMembers(const StructNode& node, std::string& out) {
  for (const FieldDesc& field : node.type->fields) {
    const Value& value = node.slot(field.ordinal);
    if (field.has(FieldDesc::kInline)) {
      if (value.node()) AppendMembers(*value.node(), out);
      continue;
    }
    // Metadata is embedded, and brings its JSON names along.
    const bool embedded = field.type->name == "meta_v1.ObjectMeta";
    const std::string members = embedded && value.node() ? RenderStruct(value.node()) : "{}";
    if (embedded && members == "{}") continue;
    if (!out.ends_with('{')) out += ',';
    if (embedded) {
      out.append(members, 1, members.size() - 2);
      continue;
    }
    out += '"' + GoName(field.name) + "\":";
    if (value.absent()) {
      out += ZeroOf(field);
    } else {
      AppendUnversioned(value, *field.type, out);
    }
  }
}

}  // namespace

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

std::string RenderUnversioned(const StructNode* node) {
  if (!node) return "null";
  std::string out = "{";
  AppendMembers(*node, out);
  return out + "}";
}

}  // namespace keelson::api::field
