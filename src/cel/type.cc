#include "cel/type.h"

namespace keelson::cel {

bool SameType(const Type& a, const Type& b) {
  if (&a == &b) return true;
  if (a.kind() != b.kind() || a.name() != b.name() || a.parameters().size() != b.parameters().size())
    return false;
  for (size_t i = 0; i < a.parameters().size(); ++i)
    if (!SameType(*a.parameter(i), *b.parameter(i))) return false;
  return true;
}

std::string FormatType(const Type& type) {
  switch (type.kind()) {
    case TypeKind::kDuration: return "duration";
    case TypeKind::kTimestamp: return "timestamp";
    case TypeKind::kNull: return "null";
    default: break;
  }
  if (type.parameters().empty()) return type.name();
  std::string text = type.name() + "(";
  for (size_t i = 0; i < type.parameters().size(); ++i)
    text.append(i > 0 ? ", " : "").append(FormatType(*type.parameter(i)));
  return text + ")";
}

std::string TypeText(const Type& type) {
  if (type.parameters().empty()) return type.name();
  std::string text = type.name() + "(";
  for (size_t i = 0; i < type.parameters().size(); ++i)
    text.append(i > 0 ? ", " : "").append(TypeText(*type.parameter(i)));
  return text + ")";
}

namespace types {
namespace {

TypeRef Make(TypeKind kind, std::string name, std::vector<TypeRef> parameters = {}) {
  return std::make_shared<const Type>(kind, std::move(name), std::move(parameters));
}

}  // namespace

#define KEELSON_CEL_SIMPLE_TYPE(function, kind, name)       \
  const TypeRef& function() {                               \
    static const TypeRef type = Make(TypeKind::kind, name); \
    return type;                                            \
  }
KEELSON_CEL_SIMPLE_TYPE(Error, kError, "!error!")
KEELSON_CEL_SIMPLE_TYPE(Dyn, kDyn, "dyn")
KEELSON_CEL_SIMPLE_TYPE(Any, kDyn, "any")
KEELSON_CEL_SIMPLE_TYPE(Null, kNull, "null_type")
KEELSON_CEL_SIMPLE_TYPE(Bool, kBool, "bool")
KEELSON_CEL_SIMPLE_TYPE(Int, kInt, "int")
KEELSON_CEL_SIMPLE_TYPE(Uint, kUint, "uint")
KEELSON_CEL_SIMPLE_TYPE(Double, kDouble, "double")
KEELSON_CEL_SIMPLE_TYPE(String, kString, "string")
KEELSON_CEL_SIMPLE_TYPE(Bytes, kBytes, "bytes")
KEELSON_CEL_SIMPLE_TYPE(Duration, kDuration, "google.protobuf.Duration")
KEELSON_CEL_SIMPLE_TYPE(Timestamp, kTimestamp, "google.protobuf.Timestamp")
KEELSON_CEL_SIMPLE_TYPE(AnyType, kType, "type")
#undef KEELSON_CEL_SIMPLE_TYPE

TypeRef ListOf(TypeRef element) { return Make(TypeKind::kList, "list", {std::move(element)}); }
TypeRef MapOf(TypeRef key, TypeRef value) {
  return Make(TypeKind::kMap, "map", {std::move(key), std::move(value)});
}
TypeRef Optional(TypeRef inner) { return Make(TypeKind::kOpaque, "optional_type", {std::move(inner)}); }
TypeRef TypeOf(TypeRef type) { return Make(TypeKind::kType, "type", {std::move(type)}); }
TypeRef Struct(std::string name) { return Make(TypeKind::kStruct, std::move(name)); }
TypeRef Opaque(std::string name, std::vector<TypeRef> parameters) {
  return Make(TypeKind::kOpaque, std::move(name), std::move(parameters));
}
TypeRef Parameter(std::string name) { return Make(TypeKind::kTypeParam, std::move(name)); }

}  // namespace types

}  // namespace keelson::cel
