#include "api/validation/apiextensions/structural.h"

#include <algorithm>
#include <vector>

#include "base/regex.h"

namespace keelson::api::apiextensions {
namespace {

using field::ErrorList;
using field::Path;
using field::RenderValue;

enum class Level : uint8_t { kRoot, kItem, kField };

// anyOf: [{type: integer}, {type: string}], and nothing else.
bool IsIntOrString(ListView<SchemaView> any_of) {
  constexpr std::string_view kTypes[] = {"integer", "string"};
  if (any_of.size() != 2) return false;
  for (size_t i = 0; i < 2; ++i) {
    if (any_of[i].type() != kTypes[i]) return false;
    for (const FieldDesc& field : any_of[i].node()->type->fields)
      if (field.name != "type" && !any_of[i].node()->slot(field.ordinal).absent()) return false;
  }
  return true;
}

class StructuralChecker {
 public:
  explicit StructuralChecker(ErrorList& errors) : errors_(errors) {}

  void Check(SchemaView s, Level level, const Path& path) {
    if (!s) return;
    if (s.type() == "array" && !s.items().schema()) Require(path.Child("items"), "must be specified");
    Check(s.items().schema(), Level::kItem, path.Child("items"));
    const Path properties = path.Child("properties");
    for (const auto& [key, value] : s.properties())
      Check(SchemaOf(value), Level::kField, properties.Key(key));
    if (s.additional_properties()) {
      const Path additional = path.Child("additionalProperties");
      if (level == Level::kRoot) Forbid(additional, "must not be used at the root");
      Check(s.additional_properties().schema(), Level::kField, additional);
    }
    CheckExtensions(s, path);
    const bool first_of_all = !s.all_of().empty() && IsIntOrString(s.all_of()[0].any_of());
    CheckJunctors(s, IsIntOrString(s.any_of()), first_of_all, path);
    CheckType(s, level, path);
    CheckMeta(s, level, path);
  }

  // What is said inside of a junctor must also be said outside.
  void CheckCompleteness(SchemaView outside, SchemaView inside, const Path& outside_path,
                         const Path& inside_path) {
    ForEachJunct(inside, inside_path, [&](SchemaView junct, const Path& path) {
      CheckNested(outside, junct, outside_path, path);
    });
  }

 private:
  void Require(const Path& path, std::string_view why) { errors_.Add(field::Required(path, why)); }
  void Forbid(const Path& path, std::string_view why) { errors_.Add(field::Forbidden(path, why)); }

  template <class Visit>
  static void ForEachJunct(SchemaView s, const Path& path, const Visit& visit) {
    const Path negated = path.Child("not"), all = path.Child("allOf"), any = path.Child("anyOf"),
               one = path.Child("oneOf");
    if (s.not_()) visit(s.not_(), negated);
    for (size_t i = 0; i < s.all_of().size(); ++i) visit(s.all_of()[i], all.Index(i));
    for (size_t i = 0; i < s.any_of().size(); ++i) visit(s.any_of()[i], any.Index(i));
    for (size_t i = 0; i < s.one_of().size(); ++i) visit(s.one_of()[i], one.Index(i));
  }

  void CheckExtensions(SchemaView s, const Path& path) {
    if (!s.x_kubernetes_int_or_string()) return;
    constexpr std::string_view kNot = "must be false if x-kubernetes-int-or-string is true";
    if (s.x_kubernetes_preserve_unknown_fields())
      errors_.Add(
          field::Invalid(path.Child("x-kubernetes-preserve-unknown-fields"), RenderValue(true), kNot));
    if (s.x_kubernetes_embedded_resource())
      errors_.Add(field::Invalid(path.Child("x-kubernetes-embedded-resource"), RenderValue(true), kNot));
  }

  void CheckType(SchemaView s, Level level, const Path& path) {
    const Path type = path.Child("type");
    const bool embedded = s.x_kubernetes_embedded_resource();
    constexpr std::string_view kObject = "must be object if x-kubernetes-embedded-resource is true";
    if (embedded && s.type().empty()) {
      Require(type, kObject);
    } else if (embedded && s.type() != "object") {
      errors_.Add(field::Invalid(type, RenderValue(s.type()), kObject));
    } else if (s.type().empty() && !s.x_kubernetes_int_or_string() &&
               !s.x_kubernetes_preserve_unknown_fields()) {
      Require(type, level == Level::kRoot   ? "must not be empty at the root"
                    : level == Level::kItem ? "must not be empty for specified array items"
                                            : "must not be empty for specified object fields");
    }
    if (embedded && s.additional_properties())
      Forbid(path.Child("additionalProperties"), "must not be used if x-kubernetes-embedded-resource is set");
    if (level == Level::kRoot && !s.type().empty() && s.type() != "object")
      errors_.Add(field::Invalid(type, RenderValue(s.type()), "must be object at the root"));
    if (embedded && !s.x_kubernetes_preserve_unknown_fields() && s.properties().empty())
      Require(path.Child("properties"),
              "must not be empty if x-kubernetes-embedded-resource is true without "
              "x-kubernetes-preserve-unknown-fields");
  }

  // kind, apiVersion and metadata of a whole object are what they always are.
  void CheckMeta(SchemaView s, Level level, const Path& path) {
    const bool whole_object = level == Level::kRoot || s.x_kubernetes_embedded_resource();
    const Path properties = path.Child("properties");
    const auto check_type = [&](std::string_view name, std::string_view type) {
      const Value* const property = s.properties().Find(name);
      if (!property || !whole_object || SchemaOf(*property).type() == type) return;
      const Path at = properties.Key(name);
      errors_.Add(field::Invalid(at.Child("type"), RenderValue(SchemaOf(*property).type()),
                                 "must be " + std::string(type)));
    };
    check_type("kind", "string");
    check_type("apiVersion", "string");
    check_type("metadata", "object");
    if (level != Level::kRoot) return;
    const Value* const metadata = s.properties().Find("metadata");
    if (metadata && !SaysNamesOnly(SchemaOf(*metadata)))
      Forbid(properties.Key("metadata"),
             "must not specify anything other than name and generateName, but metadata is implicitly "
             "specified");
  }

  static bool SaysNamesOnly(SchemaView metadata) {
    for (const auto& [name, property] : metadata.properties())
      if (name != "name" && name != "generateName") return false;
    for (const FieldDesc& field : metadata.node()->type->fields) {
      const bool allowed = field.name == "type" || field.name == "properties" || field.name == "default";
      if (!allowed && !Equal(metadata.node()->slot(field.ordinal), Value(), *field.type)) return false;
    }
    return true;
  }

  void CheckJunctors(SchemaView s, bool skip_any_of, bool skip_any_of_first_all_of, const Path& path) {
    const Path any = path.Child("anyOf"), all = path.Child("allOf"), one = path.Child("oneOf");
    for (size_t i = 0; !skip_any_of && i < s.any_of().size(); ++i)
      CheckJunct(s.any_of()[i], false, any.Index(i));
    for (size_t i = 0; i < s.all_of().size(); ++i)
      CheckJunct(s.all_of()[i], skip_any_of_first_all_of && i == 0, all.Index(i));
    for (size_t i = 0; i < s.one_of().size(); ++i) CheckJunct(s.one_of()[i], false, one.Index(i));
    CheckJunct(s.not_(), false, path.Child("not"));
    if (s.pattern().empty()) return;
    if (const auto compiled = base::Regex::Compile(s.pattern()); !compiled)
      errors_.Add(field::Invalid(path.Child("pattern"), RenderValue(s.pattern()),
                                 "must be a valid regular expression, but isn't: " + compiled.error()));
  }

  // Inside of junctors only values may be restricted.
  void CheckJunct(SchemaView s, bool skip_any_of, const Path& path) {
    if (!s) return;
    CheckJunctors(s, skip_any_of, false, path);
    CheckJunct(s.items().schema(), false, path.Child("items"));
    const Path properties = path.Child("properties");
    for (const auto& [key, value] : s.properties()) CheckJunct(SchemaOf(value), false, properties.Key(key));
    const auto forbid = [&](bool given, std::string_view member, std::string_view why) {
      if (given) Forbid(path.Child(member), why);
    };
    constexpr std::string_view kEmpty = "must be empty to be structural";
    constexpr std::string_view kUndefined = "must be undefined to be structural";
    constexpr std::string_view kFalse = "must be false to be structural";
    forbid(!s.type().empty(), "type", kEmpty);
    forbid(static_cast<bool>(s.additional_properties()), "additionalProperties", kUndefined);
    forbid(s.has_default(), "default", kUndefined);
    forbid(!s.title().empty(), "title", kEmpty);
    forbid(!s.description().empty(), "description", kEmpty);
    forbid(s.nullable(), "nullable", kFalse);
    forbid(s.x_kubernetes_preserve_unknown_fields(), "x-kubernetes-preserve-unknown-fields", kFalse);
    forbid(s.x_kubernetes_embedded_resource(), "x-kubernetes-embedded-resource", kFalse);
    forbid(s.x_kubernetes_int_or_string(), "x-kubernetes-int-or-string", kFalse);
    forbid(!s.x_kubernetes_list_map_keys().empty(), "x-kubernetes-list-map-keys", kEmpty);
    forbid(s.has_x_kubernetes_list_type(), "x-kubernetes-list-type", kUndefined);
    forbid(s.has_x_kubernetes_map_type(), "x-kubernetes-map-type", kUndefined);
    forbid(!s.x_kubernetes_validations().empty(), "x-kubernetes-validations", kEmpty);
    if (s.properties().Find("metadata"))
      Forbid(properties.Key("metadata"), "must not be specified in a nested context");
  }

  void CheckNested(SchemaView outside, SchemaView inside, const Path& outside_path, const Path& inside_path) {
    if (!inside) return;
    if (!outside) return Require(outside_path, "because it is defined in " + inside_path.ToString());
    CheckCompleteness(outside, inside, outside_path, inside_path);
    CheckNested(outside.items().schema(), inside.items().schema(), outside_path.Child("items"),
                inside_path.Child("items"));
    const Path outer = outside_path.Child("properties"), inner = inside_path.Child("properties");
    for (const auto& [key, value] : inside.properties()) {
      const Value* const known = outside.properties().Find(key);
      CheckNested(known ? SchemaOf(*known) : SchemaView(), SchemaOf(value), outer.Key(key), inner.Key(key));
    }
  }

  ErrorList& errors_;
};

template <class Visit>
bool AnyChild(SchemaView s, const Visit& visit) {
  if (s.items().schema() && visit(s.items().schema())) return true;
  if (s.not_() && visit(s.not_())) return true;
  if (s.additional_properties().schema() && visit(s.additional_properties().schema())) return true;
  for (const auto list : {s.all_of(), s.any_of(), s.one_of()})
    for (const SchemaView child : list)
      if (visit(child)) return true;
  for (const auto& [key, value] : s.properties())
    if (visit(SchemaOf(value))) return true;
  return false;
}

}  // namespace

std::string UnsupportedIn(SchemaView s) {
  const auto unsupported = [](std::string_view what) {
    return "OpenAPIV3Schema '" + std::string(what) + "' is not supported";
  };
  if (!s.id().empty()) return unsupported("id");
  if (!s.schema().empty()) return unsupported("schema");
  if (!s.ref().empty()) return unsupported("$ref");
  if (!s.pattern_properties().empty()) return unsupported("patternProperties");
  if (!s.dependencies().empty()) return unsupported("dependencies");
  if (s.additional_items()) return unsupported("additionalItems");
  if (!s.definitions().empty()) return unsupported("definitions");
  if (!s.items().schemas().empty()) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  std::string deeper;
  AnyChild(s, [&](SchemaView child) {
    deeper = UnsupportedIn(child);
    return !deeper.empty();
  });
  return deeper;
}

ErrorList ValidateStructural(SchemaView schema, const Path& path) {
  ErrorList found;
  StructuralChecker checker(found);
  checker.Check(schema, Level::kRoot, path);
  checker.CheckCompleteness(schema, schema, path, path);
  std::vector<std::pair<std::string, const field::Error*>> sorted;
  for (const field::Error& error : found) sorted.emplace_back(error.ToString(), &error);
  std::ranges::stable_sort(sorted, {}, &std::pair<std::string, const field::Error*>::first);
  ErrorList errors;
  for (const auto& [text, error] : sorted) errors.Add(*error);
  return errors;
}

}  // namespace keelson::api::apiextensions
