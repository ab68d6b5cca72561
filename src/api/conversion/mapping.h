// Mapping: how two types that are versions of each other correspond. Fields of one name
// correspond by themselves; a mapping says what differs.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "api/types/doc.h"

namespace keelson::api {

// One field under the two names it has; a dot steps into a struct ("metric.name").
struct FieldPair {
  std::string_view a, b;
};

// Called after the fields are copied, for what is more than a name.
using AfterCopy = void (*)(const StructNode& from, StructNode& to, Arena& arena);

struct Mapping {
  const TypeDesc* a;
  const TypeDesc* b;
  std::span<const FieldPair> fields;
  AfterCopy to_b = nullptr, to_a = nullptr;
};

// The mappings of each group that has versions.
std::span<const Mapping> ApiExtensionsMappings();
std::span<const Mapping> AutoscalingMappings();
std::span<const Mapping> EventMappings();
std::span<const Mapping> ResourceMappings();

// `from` as a new `type`, in `arena`. By the mapping of the two types if there is one, else
// by the names of their fields.
StructNode* ConvertStruct(const StructNode& from, const TypeDesc& type, Arena& arena);
// The same for a value of any type; absent stays absent.
Value ConvertValue(const Value& from, const TypeDesc& from_type, const TypeDesc& type, Arena& arena);

// The value at `path`; absent when a struct on the way is.
Value ReadPath(const StructNode& node, std::string_view path);
// Makes the structs on the way. Requires: the path exists in the type.
Value& MutablePath(StructNode& node, std::string_view path, Arena& arena);

}  // namespace keelson::api
