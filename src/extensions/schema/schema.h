// Schema: the openAPIV3Schema of one version of a custom resource, compiled once, as everything that looks at
// objects walks it: pruning, defaulting, validation, merging.
//
// Threads: immutable once compiled; any.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/generated/apiextensions_v1.h"
#include "api/types/arena.h"
#include "api/types/doc.h"
#include "api/types/type_desc.h"
#include "base/regex.h"
#include "extensions/schema/formats.h"

namespace keelson::extensions {

enum class JsonType : uint8_t { kNone, kBoolean, kInteger, kNumber, kString, kArray, kObject };
// Whether `member` is one that every object has, whatever its schema says.
inline bool IsOfEveryObject(std::string_view member) {
  return member == "apiVersion" || member == "kind" || member == "metadata";
}

// "integer"; empty for kNone.
std::string_view NameOf(JsonType type);

// A regular expression, compiled when it is first asked.
class Pattern {
 public:
  explicit Pattern(std::string_view text) : text_(text) {}
  std::string_view text() const { return text_; }
  // The error says why it is none.
  const base::Result<base::Regex, std::string>& Get() const;

 private:
  const std::string text_;
  mutable std::once_flag made_;
  mutable std::optional<base::Result<base::Regex, std::string>> compiled_;
};

struct Schema;

struct Property {
  std::string_view name;
  const Schema* schema = nullptr;
};

// What a value must be like, beyond its type. Most nodes have none of this.
struct Checks {
  std::optional<double> maximum, minimum, multiple_of;
  std::optional<int64_t> max_length, min_length, max_items, min_items, max_properties, min_properties;
  bool exclusive_maximum = false, exclusive_minimum = false, unique_items = false;
  const Pattern* pattern = nullptr;
  std::span<const api::Value> values;  // enum
  std::span<const Schema* const> all_of, any_of, one_of;
  const Schema* not_of = nullptr;
};

struct Rule {
  std::string_view rule, message, message_expression, reason;
  std::string_view field_path;  // as errors show it
  std::optional<bool> optional_old_self;
};

// One node. Everything it points to lives as long as the SchemaTree.
struct Schema {
  JsonType type = JsonType::kNone;
  bool nullable = false;
  bool int_or_string = false;
  bool preserve_unknown = false;
  bool embedded = false;              // a whole object, with kind, apiVersion and metadata
  bool additional_forbidden = false;  // additionalProperties: false
  bool has_additional = false;        // additionalProperties is given, as a schema or as true
  bool atomic_map = false;            // x-kubernetes-map-type: atomic
  bool has_defaults = false;          // here or below
  bool has_embedded = false;          // here or below
  bool has_list_types = false;        // sets or maps, here or below
  bool has_rules = false;             // here or below
  api::ListType list_type = api::ListType::kUnspecified;
  Format format = Format::kNone;
  std::string_view format_name;  // as it is written
  const Schema* items = nullptr;
  const Schema* additional = nullptr;    // of additionalProperties; null also when they are just allowed
  std::span<const Property> properties;  // in order of name
  std::span<const std::string_view> required;
  std::span<const std::string_view> list_map_keys;
  api::Value default_value;        // absent: none; else a tree
  const Checks* checks = nullptr;  // null: none
  std::span<const Rule> rules;     // x-kubernetes-validations

  const Schema* Find(std::string_view name) const;
  // What describes the member `name`: a property, or what others are; null: nothing does.
  const Schema* Member(std::string_view name) const {
    const Schema* found = Find(name);
    return found ? found : additional;
  }
};

// A schema with all that it needs.
class SchemaTree {
 public:
  // `schema` may be null: nothing is known then, and everything but metadata is pruned unless
  // `preserve_unknown`, which is what old definitions may say of all their versions.
  SchemaTree(api::apiextensions_v1::JSONSchemaPropsView schema, bool preserve_unknown);

  const Schema& root() const { return *root_; }
  bool has_schema() const { return has_schema_; }
  // How the members of objects are merged: a kMap.
  const api::TypeDesc& merge_type() const { return *merge_type_; }
  size_t memory_bytes() const;

 private:
  friend class SchemaCompiler;
  friend class MergeTypes;
  api::Arena arena_;
  std::deque<Pattern> patterns_;
  const Schema* root_ = nullptr;
  const api::TypeDesc* merge_type_ = nullptr;
  bool has_schema_ = false;
};

}  // namespace keelson::extensions
