#include "api/validation/apiextensions/schema.h"

#include <algorithm>
#include <set>

#include "api/validation/apiextensions/field_path.h"
#include "api/validation/core/checks.h"
#include "api/validation/render.h"
#include "base/ascii.h"

namespace keelson::api::apiextensions {
namespace {

using apiextensions_v1::ValidationRuleView;
using field::ErrorList;
using field::Path;
using field::RenderField;
using field::RenderValue;

constexpr std::string_view kTypes[] = {"array", "boolean", "integer", "number", "object", "string"};

bool IsKnownType(std::string_view type) { return std::ranges::find(kTypes, type) != std::end(kTypes); }

bool HasLineBreak(std::string_view text) { return text.find_first_of("\n\r") != std::string_view::npos; }

// Items of sets and keys of maps: there, and never null.
void CheckListKeys(SchemaView s, const Path& path, ErrorList& errors) {
  const SchemaView item = s.items().schema();
  const std::string_view type = s.x_kubernetes_list_type();
  if (!item || (type != "set" && type != "map")) return;
  const Path items = path.Child("items"), properties = items.Child("properties");
  if (item.nullable())
    errors.Add(field::Forbidden(items.Child("nullable"),
                                "cannot be nullable when x-kubernetes-list-type is " + std::string(type)));
  if (type != "map") return;
  std::set<std::string_view> required;
  for (const Value& name : item.required()) required.insert(name.string());
  for (const Value& key : s.x_kubernetes_list_map_keys()) {
    const Value* const property = item.properties().Find(key.string());
    if (!property) continue;
    const Path at = properties.Key(key.string());
    if (!required.contains(key.string()) && !SchemaOf(*property).has_default())
      errors.Add(field::Required(at.Child("default"),
                                 "this property is in x-kubernetes-list-map-keys, so it must have a default "
                                 "or be a required property"));
    if (SchemaOf(*property).nullable())
      errors.Add(field::Forbidden(
          at.Child("nullable"), "this property is in x-kubernetes-list-map-keys, so it cannot be nullable"));
  }
}

// Where in an object a schema applies, as far as rules depend on it.
struct Place {
  bool root = false;
  bool inside_meta = false;
  bool defaults_allowed = true;
  std::string no_defaults_reason;
  // The outermost list around it whose items cannot be told from one another.
  std::string unrelated;
};

class SchemaChecker {
 public:
  // `examination`: null where rules are not looked into.
  SchemaChecker(const SchemaOptions& options, SchemaRules::Examination* examination, ErrorList& errors)
      : options_(options), examination_(examination), errors_(errors) {}

  void Check(SchemaView s, const Place& place, const Path& path) {
    if (!s) return;
    const size_t before = errors_.size();
    CheckSupported(s, place, path);
    if (s.unique_items())
      Forbid(path.Child("uniqueItems"),
             "uniqueItems cannot be set to true since the runtime complexity becomes quadratic");
    CheckChildren(s, place, path);
    if (s.has_x_kubernetes_preserve_unknown_fields() && !s.x_kubernetes_preserve_unknown_fields())
      errors_.Add(field::Invalid(path.Child("x-kubernetes-preserve-unknown-fields"), RenderValue(false),
                                 "must be true or undefined"));
    CheckMapType(s, path);
    CheckListType(s, path);
    if (options_.require_good_list_keys) CheckListKeys(s, path, errors_);
    const Path rules = path.Child("x-kubernetes-validations");
    for (size_t i = 0; i < s.x_kubernetes_validations().size(); ++i)
      CheckRule(s, s.x_kubernetes_validations()[i], rules.Index(i));
    // Expressions are looked into only where all they can see is in order.
    if (examination_ && errors_.size() == before && !s.x_kubernetes_validations().empty())
      rule_errors_.Append(examination_->CheckRules(s, place.unrelated, path));
  }

  // What is wrong with expressions; told after everything else.
  ErrorList TakeRuleErrors() { return std::move(rule_errors_); }

 private:
  void Forbid(const Path& path, std::string_view why) { errors_.Add(field::Forbidden(path, why)); }

  // What OpenAPI v3 has and what this server takes of it.
  void CheckSupported(SchemaView s, const Place& place, const Path& path) {
    if (options_.require_known_types && !s.type().empty() && !IsKnownType(s.type()))
      errors_.Add(field::NotSupported(path.Child("type"), RenderValue(s.type()), kTypes));
    if (s.has_default() && !place.defaults_allowed)
      Forbid(path.Child("default"), "must not be set " + place.no_defaults_reason);
    const auto refuse = [&](bool given, std::string_view member) {
      if (given) Forbid(path.Child(member), std::string(member) + " is not supported");
    };
    refuse(!s.id().empty(), "id");
    refuse(static_cast<bool>(s.additional_items()), "additionalItems");
    refuse(!s.pattern_properties().empty(), "patternProperties");
    refuse(!s.definitions().empty(), "definitions");
    refuse(!s.dependencies().empty(), "dependencies");
    refuse(s.has_ref(), "$ref");
    if (s.type() == "null")
      Forbid(path.Child("type"), "type cannot be set to null, use nullable as an alternative");
    if (!s.items().schemas().empty())
      Forbid(path.Child("items"), "items must be a schema object and not an array");
    if (place.inside_meta && s.x_kubernetes_embedded_resource())
      Forbid(path.Child("x-kubernetes-embedded-resource"), "must not be used inside of resource meta");
  }

  void CheckChildren(SchemaView s, const Place& place, const Path& path) {
    Place inner = place;
    inner.root = false;
    if (const auto additional = s.additional_properties()) {
      const Path at = path.Child("additionalProperties");
      if (!s.properties().empty() && (!additional.allows() || additional.schema()))
        Forbid(at, "additionalProperties and properties are mutual exclusive");
      Place within = inner;
      if (place.inside_meta)
        ForbidDefaults(within, "inside additionalProperties applying to object metadata");
      Check(additional.schema(), within, at);
    }
    const Path properties = path.Child("properties");
    for (const auto& [name, value] : s.properties()) {
      Place within = inner;
      const bool meta = name == "metadata" || name == "kind" || name == "apiVersion";
      if (meta && (place.root || s.x_kubernetes_embedded_resource())) {
        within.inside_meta = true;
        if (place.root) ForbidDefaults(within, "in top-level " + std::string(name));
      }
      Check(SchemaOf(value), within, properties.Key(name));
    }
    Check(s.not_(), inner, path.Child("not"));
    CheckList(s.all_of(), inner, path.Child("allOf"));
    CheckList(s.one_of(), inner, path.Child("oneOf"));
    CheckList(s.any_of(), inner, path.Child("anyOf"));
    const Path definitions = path.Child("definitions"), dependencies = path.Child("dependencies");
    for (const auto& [name, value] : s.definitions()) Check(SchemaOf(value), inner, definitions.Key(name));
    Place item = inner;
    if (item.unrelated.empty() && s.items() && s.x_kubernetes_list_type() != "map")
      item.unrelated = path.ToString();
    Check(s.items().schema(), item, path.Child("items"));
    CheckList(s.items().schemas(), item, path.Child("items"));
    for (const auto& [name, value] : s.dependencies())
      Check(apiextensions_v1::JSONSchemaPropsOrStringArrayView(value.node()).schema(), inner,
            dependencies.Key(name));
  }

  static void ForbidDefaults(Place& place, std::string reason) {
    place.defaults_allowed = false;
    place.no_defaults_reason = std::move(reason);
  }

  void CheckList(ListView<SchemaView> list, const Place& place, const Path& path) {
    for (size_t i = 0; i < list.size(); ++i) Check(list[i], place, path.Index(i));
  }

  // A type that must be `wanted` for an extension to make sense.
  void CheckTypeFor(SchemaView s, std::string_view wanted, std::string_view extension, const Path& path) {
    const std::string why =
        "must be " + std::string(wanted) + " if " + std::string(extension) + " is specified";
    if (s.type().empty()) {
      errors_.Add(field::Required(path.Child("type"), why));
    } else if (s.type() != wanted) {
      errors_.Add(field::Invalid(path.Child("type"), RenderValue(s.type()), why));
    }
  }

  void CheckMapType(SchemaView s, const Path& path) {
    static constexpr std::string_view kMapTypes[] = {"atomic", "granular"};
    if (!s.has_x_kubernetes_map_type()) return;
    CheckTypeFor(s, "object", "x-kubernetes-map-type", path);
    core::CheckSupported(s.x_kubernetes_map_type(), kMapTypes, path.Child("x-kubernetes-map-type"), errors_);
  }

  void CheckListType(SchemaView s, const Path& path) {
    static constexpr std::string_view kListTypes[] = {"atomic", "set", "map"};
    const Path type = path.Child("x-kubernetes-list-type");
    if (s.has_x_kubernetes_list_type()) {
      CheckTypeFor(s, "array", "x-kubernetes-list-type", path);
      if (s.type() == "array" && options_.require_atomic_sets) CheckAtomicSet(s, path);
      core::CheckSupported(s.x_kubernetes_list_type(), kListTypes, type, errors_);
    }
    if (!s.x_kubernetes_list_map_keys().empty()) {
      constexpr std::string_view kMap = "must be map if x-kubernetes-list-map-keys is non-empty";
      if (!s.has_x_kubernetes_list_type()) {
        errors_.Add(field::Required(type, kMap));
      } else if (s.x_kubernetes_list_type() != "map") {
        errors_.Add(field::Invalid(type, RenderValue(s.x_kubernetes_list_type()), kMap));
      }
    }
    if (s.x_kubernetes_list_type() == "map") CheckMapKeys(s, path);
  }

  void CheckAtomicSet(SchemaView s, const Path& path) {
    const SchemaView item = s.items().schema();
    if (s.x_kubernetes_list_type() != "set" || !item) return;
    constexpr std::string_view kAtomic = "must be atomic as item of a list with x-kubernetes-list-type=set";
    const Path items = path.Child("items");
    const std::string rendered = RenderField(item.node(), "x-kubernetes-list-type");
    if (item.type() == "array" && item.has_x_kubernetes_list_type() &&
        item.x_kubernetes_list_type() != "atomic")
      errors_.Add(field::Invalid(items.Child("x-kubernetes-list-type"), rendered, kAtomic));
    if (item.type() == "object" && item.x_kubernetes_map_type() != "atomic")
      errors_.Add(field::Invalid(items.Child("x-kubernetes-map-type"), rendered, kAtomic));
  }

  void CheckMapKeys(SchemaView s, const Path& path) {
    const Path keys = path.Child("x-kubernetes-list-map-keys"), items = path.Child("items");
    if (s.x_kubernetes_list_map_keys().empty())
      errors_.Add(field::Required(keys, "must not be empty if x-kubernetes-list-type is map"));
    if (!s.items()) {
      errors_.Add(field::Required(items, "must have a schema if x-kubernetes-list-type is map"));
      return;
    }
    const SchemaView item = s.items().schema();
    if (!item) {
      errors_.Add(field::Invalid(items, RenderField(s.node(), "items"),
                                 "must only have a single schema if x-kubernetes-list-type is map"));
      return;
    }
    if (item.type() != "object") {
      errors_.Add(field::Invalid(items.Child("type"), RenderValue(item.type()),
                                 "must be object if parent array's x-kubernetes-list-type is map"));
      return;
    }
    const std::string all = RenderField(s.node(), "x-kubernetes-list-map-keys");
    const Path properties = items.Child("properties");
    std::set<std::string_view> seen;
    for (const Value& value : s.x_kubernetes_list_map_keys()) {
      const std::string_view key = value.string();
      const Value* const property = item.properties().Find(key);
      if (!property) {
        errors_.Add(field::Invalid(keys, all, "entries must all be names of item properties"));
      } else if (SchemaOf(*property).type() == "array" || SchemaOf(*property).type() == "object") {
        const Path at = properties.Key(key);
        errors_.Add(field::Invalid(at.Child("type"), RenderValue(item.type()),
                                   "must be a scalar type if parent array's x-kubernetes-list-type is map"));
      }
      if (!seen.insert(key).second)
        errors_.Add(field::Invalid(keys, all, "must not contain duplicate entries"));
    }
  }

  void CheckRule(SchemaView s, ValidationRuleView rule, const Path& path) {
    static constexpr std::string_view kReasons[] = {"FieldValueDuplicate", "FieldValueForbidden",
                                                    "FieldValueInvalid", "FieldValueRequired"};
    const auto refuse = [&](std::string_view member, std::string_view value, std::string_view why) {
      errors_.Add(field::Invalid(path.Child(member), RenderValue(value), why));
    };
    const std::string_view text = base::Trimmed(rule.rule()), message = base::Trimmed(rule.message());
    if (text.empty()) {
      errors_.Add(field::Required(path.Child("rule"), "rule is not specified"));
    } else if (!rule.message().empty() && message.empty()) {
      refuse("message", rule.message(), "must be non-empty if specified");
    } else if (HasLineBreak(message)) {
      refuse("message", rule.message(), "must not contain line breaks");
    } else if (HasLineBreak(text) && message.empty()) {
      errors_.Add(
          field::Required(path.Child("message"), "message must be specified if rule contains line breaks"));
    }
    if (!rule.message_expression().empty() && base::Trimmed(rule.message_expression()).empty())
      errors_.Add(field::Required(path.Child("messageExpression"),
                                  "messageExpression must be non-empty if specified"));
    if (rule.has_reason()) core::CheckSupported(rule.reason(), kReasons, path.Child("reason"), errors_);
    if (!rule.field_path().empty() && base::Trimmed(rule.field_path()).empty())
      refuse("fieldPath", rule.field_path(), "must be non-empty if specified");
    if (HasLineBreak(rule.field_path()))
      refuse("fieldPath", rule.field_path(), "must not contain line breaks");
    if (!rule.field_path().empty() && UnsupportedIn(s).empty() && !FindField(rule.field_path(), s, true))
      refuse("fieldPath", rule.field_path(), "must be a valid path");
  }

  const SchemaOptions& options_;
  SchemaRules::Examination* const examination_;
  ErrorList& errors_;
  ErrorList rule_errors_;
};

// With status apart, the root may say nothing that would have to be divided.
void CheckRoomForStatus(SchemaView s, const Path& path, ErrorList& errors) {
  static constexpr std::string_view kAllowed[] = {"description",
                                                  "type",
                                                  "format",
                                                  "title",
                                                  "maximum",
                                                  "exclusiveMaximum",
                                                  "minimum",
                                                  "exclusiveMinimum",
                                                  "maxLength",
                                                  "minLength",
                                                  "pattern",
                                                  "maxItems",
                                                  "minItems",
                                                  "uniqueItems",
                                                  "multipleOf",
                                                  "required",
                                                  "items",
                                                  "properties",
                                                  "externalDocs",
                                                  "example",
                                                  "x-kubernetes-preserve-unknown-fields",
                                                  "x-kubernetes-validations"};
  constexpr std::string_view kAllowedText =
      "only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength "
      "MinLength "
      "Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example "
      "XPreserveUnknownFields XValidations] fields are allowed at the root of the schema if the status "
      "subresource "
      "is enabled";
  for (const FieldDesc& field : s.node()->type->fields) {
    if (Equal(s.node()->slot(field.ordinal), Value(), *field.type)) continue;
    if (field.name == "type" && s.type() != "object") {
      const Path root = path.Child("openAPIV3Schema");
      errors.Add(
          field::Invalid(root.Child("type"), RenderValue(s.type()),
                         "only \"object\" is allowed as the type at the root of the schema if the status "
                         "subresource is enabled"));
      return;
    }
    if (std::ranges::find(kAllowed, field.name) != std::end(kAllowed)) continue;
    errors.Add(field::Invalid(path.Child("openAPIV3Schema"), field::RenderStruct(s.node()), kAllowedText));
    return;
  }
}

}  // namespace

ErrorList ValidateSchema(SchemaView schema, bool status_apart, const SchemaOptions& options,
                         const Path& path) {
  ErrorList errors;
  if (!schema) return errors;
  const Path root = path.Child("openAPIV3Schema");
  if (status_apart) CheckRoomForStatus(schema, path, errors);
  if (schema.nullable())
    errors.Add(field::Forbidden(root.Child("nullable"), "nullable cannot be true at the root"));
  std::string unsupported;
  std::unique_ptr<SchemaRules::Examination> examination;
  if (options.require_structural) {
    unsupported = UnsupportedIn(schema);
    if (unsupported.empty()) {
      ErrorList found = ValidateStructural(schema, root);
      if (found.empty() && options.rules) {
        examination = options.rules->Examine(schema, options.limit_rule_costs);
        found = examination->CheckDefaults(options.require_pruned_defaults, root);
      }
      if (!found.empty()) examination.reset();
      errors.Append(std::move(found));
    }
  }
  SchemaChecker checker(options, examination.get(), errors);
  checker.Check(schema, {.root = true}, root);
  errors.Append(checker.TakeRuleErrors());
  // The same mistakes under another name: told only when nothing else was.
  if (errors.empty() && !unsupported.empty()) errors.Add(field::Invalid(root, RenderValue(""), unsupported));
  if (examination) errors.Append(examination->CheckTotalCost(root));
  return errors;
}

bool AnySchema(SchemaView s, const std::function<bool(SchemaView)>& holds) {
  if (!s) return false;
  if (holds(s)) return true;
  for (const auto list : {s.items().schemas(), s.all_of(), s.any_of(), s.one_of()})
    for (const SchemaView child : list)
      if (AnySchema(child, holds)) return true;
  for (const SchemaView child :
       {s.items().schema(), s.not_(), s.additional_properties().schema(), s.additional_items().schema()})
    if (AnySchema(child, holds)) return true;
  for (const MapView map : {s.properties(), s.pattern_properties(), s.definitions()})
    for (const auto& [key, value] : map)
      if (AnySchema(SchemaOf(value), holds)) return true;
  for (const auto& [key, value] : s.dependencies())
    if (AnySchema(apiextensions_v1::JSONSchemaPropsOrStringArrayView(value.node()).schema(), holds))
      return true;
  return false;
}

bool HasUnknownType(SchemaView schema) {
  return AnySchema(schema, [](SchemaView s) { return !s.type().empty() && !IsKnownType(s.type()); });
}

bool HasNonAtomicSet(SchemaView schema) {
  return AnySchema(schema, [](SchemaView s) {
    const SchemaView item = s.items().schema();
    if (s.x_kubernetes_list_type() != "set" || !item) return false;
    if (item.type() == "array")
      return item.has_x_kubernetes_list_type() && item.x_kubernetes_list_type() != "atomic";
    return item.type() == "object" && item.x_kubernetes_map_type() != "atomic";
  });
}

bool HasBadListKeys(SchemaView schema) {
  return AnySchema(schema, [](SchemaView s) {
    ErrorList errors;
    CheckListKeys(s, Path(""), errors);
    return !errors.empty();
  });
}

bool IsNonStructural(SchemaView schema) {
  return schema && (!UnsupportedIn(schema).empty() || !ValidateStructural(schema, Path("")).empty());
}

}  // namespace keelson::api::apiextensions
