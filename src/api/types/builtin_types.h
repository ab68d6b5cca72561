// The types that schemas are made of, and the tables that schemac writes.
#pragma once

#include <span>
#include <string_view>

#include "api/types/type_desc.h"

namespace keelson::api {

inline constexpr TypeDesc kBoolType{.name = "bool", .kind = Kind::kBool};
inline constexpr TypeDesc kInt32Type{.name = "int32", .kind = Kind::kInt32};
inline constexpr TypeDesc kInt64Type{.name = "int64", .kind = Kind::kInt64};
inline constexpr TypeDesc kDoubleType{.name = "double", .kind = Kind::kDouble};
inline constexpr TypeDesc kStringType{.name = "string", .kind = Kind::kString};
inline constexpr TypeDesc kBytesType{.name = "bytes", .kind = Kind::kBytes};
inline constexpr TypeDesc kQuantityType{.name = "quantity", .kind = Kind::kQuantity};
inline constexpr TypeDesc kTimeType{.name = "time", .kind = Kind::kTime};
inline constexpr TypeDesc kMicroTimeType{.name = "microtime", .kind = Kind::kMicroTime};
inline constexpr TypeDesc kDurationType{.name = "duration", .kind = Kind::kDuration};
inline constexpr TypeDesc kIntOrStringType{.name = "int-or-string", .kind = Kind::kIntOrString};
inline constexpr TypeDesc kRawType{.name = "raw", .kind = Kind::kRaw};
// Raw JSON that is a value of any kind; a raw one is an object.
inline constexpr TypeDesc kJsonType{.name = "json", .kind = Kind::kRaw};
// The set of fields that a manager owns.
inline constexpr TypeDesc kFieldsV1Type{.name = "fields", .kind = Kind::kRaw};
inline constexpr TypeDesc kAnyType{.name = "any", .kind = Kind::kAny};

// One root type under its kind; one that every group and version has comes with neither.
struct KindEntry {
  std::string_view kind, version, group;
  const TypeDesc* type;
};

// Fields of a type of which at most one is set. What the discriminator says of one is its name with a capital
// letter.
struct UnionDesc {
  const TypeDesc* type;
  std::string_view discriminator;  // the field that tells which; empty: none does
  std::span<const std::string_view> fields;
};

// Every built-in struct type, sorted by name.
std::span<const TypeDesc* const> BuiltinTypes();
// Every built-in kind, sorted by kind, version, group.
std::span<const KindEntry> BuiltinKinds();
// The unions of built-in types, at most one of each.
std::span<const UnionDesc> BuiltinUnions();

}  // namespace keelson::api
