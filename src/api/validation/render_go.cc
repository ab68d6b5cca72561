#include <algorithm>
#include <utility>

#include "api/codec/json.h"
#include "api/validation/render_go.h"
#include "base/slice.h"

namespace keelson::api::field {
namespace {

// "apiGroup" → "APIGroup": Go writes a name's first letter, or its first word when that is
// an acronym, in capitals.
std::string GoName(std::string_view json_name) {
  constexpr std::pair<std::string_view, std::string_view> kAcronyms[] = {
      {"api", "API"}, {"cidr", "CIDR"},   {"cidrs", "CIDRs"},  {"csi", "CSI"}, {"fs", "FS"},
      {"fc", "FC"},   {"iscsi", "ISCSI"}, {"nfs", "NFS"},      {"rbd", "RBD"}, {"ip", "IP"},
      {"se", "SE"},   {"tls", "TLS"},     {"uid", "UID"},      {"aws", "AWS"}, {"gce", "GCE"},
      {"pd", "PD"},   {"http", "HTTP"},   {"cephfs", "CephFS"}};
  const auto word_end =
      std::ranges::find_if(json_name, [](char c) { return c >= 'A' && c <= 'Z'; }) - json_name.begin();
  const std::string_view word = json_name.substr(0, word_end);
  std::string out;
  if (const auto* acronym =
          std::ranges::find(kAcronyms, word, &std::pair<std::string_view, std::string_view>::first);
      acronym != std::end(kAcronyms)) {
    return out.append(acronym->second).append(json_name.substr(word_end));
  }
  out = json_name;
  if (!out.empty() && out[0] >= 'a' && out[0] <= 'z') out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return out;
}

bool Shared(const TypeDesc& type) { return type.name.starts_with("meta_v1."); }

void WriteValue(const Value& value, const TypeDesc& type, bool pointer, base::BufferBuilder& out);

void WriteMembers(const StructNode* node, const TypeDesc& type, bool& first, base::BufferBuilder& out) {
  for (const FieldDesc& field : type.fields) {
    const Value value = node ? node->slot(field.ordinal) : Value();
    if (field.has(FieldDesc::kInline)) {
      WriteMembers(value.node(), *field.type, first, out);
      continue;
    }
    if (!std::exchange(first, false)) out.Append(',');
    json::EncodeString(GoName(field.name), out);
    out.Append(':');
    WriteValue(value, *field.type, field.has(FieldDesc::kPointer), out);
  }
}

void WriteStruct(const StructNode* node, const TypeDesc& type, base::BufferBuilder& out) {
  if (Shared(type) && node) return json::Encode(*node, out);
  bool first = true;
  out.Append('{');
  WriteMembers(node, type, first, out);
  out.Append('}');
}

void WriteAbsent(const TypeDesc& type, base::BufferBuilder& out) {
  switch (type.kind) {
    case Kind::kBool: return out.Append("false");
    case Kind::kInt32:
    case Kind::kInt64:
    case Kind::kDouble:
    case Kind::kIntOrString: return out.Append("0");
    case Kind::kString: return out.Append("\"\"");
    case Kind::kQuantity: return out.Append("\"0\"");
    case Kind::kStruct: return WriteStruct(nullptr, type, out);
    default: return out.Append("null");
  }
}

void WriteValue(const Value& value, const TypeDesc& type, bool pointer, base::BufferBuilder& out) {
  if (value.absent()) return pointer ? out.Append("null") : WriteAbsent(type, out);
  switch (type.kind) {
    case Kind::kStruct: return WriteStruct(value.node(), type, out);
    case Kind::kList: {
      out.Append('[');
      bool first = true;
      for (const Value& item : value.list()->items()) {
        if (!std::exchange(first, false)) out.Append(',');
        WriteValue(item, *type.element, false, out);
      }
      return out.Append(']');
    }
    default: return json::Encode(value, type, out);
  }
}

}  // namespace

std::string RenderGoStruct(const StructNode* node) {
  if (!node) return "null";
  base::BufferBuilder out;
  WriteStruct(node, *node->type, out);
  return std::string(out.view());
}

std::string RenderGoField(const StructNode* node, std::string_view member) {
  if (!node) return "null";
  const auto field = std::ranges::find(node->type->fields, member, &FieldDesc::name);
  base::BufferBuilder out;
  WriteValue(node->slot(field->ordinal), *field->type, field->has(FieldDesc::kPointer), out);
  return std::string(out.view());
}

}  // namespace keelson::api::field
