#include "extensions/schema/schema.h"

#include <algorithm>

#include "api/codec/json.h"
#include "api/validation/apiextensions/field_path.h"
#include "extensions/schema/merge_types.h"
#include "extensions/schema/prune.h"

namespace keelson::extensions {

using api::apiextensions_v1::JSONSchemaPropsView;

std::string_view NameOf(JsonType type) {
  switch (type) {
    case JsonType::kNone: return "";
    case JsonType::kBoolean: return "boolean";
    case JsonType::kInteger: return "integer";
    case JsonType::kNumber: return "number";
    case JsonType::kString: return "string";
    case JsonType::kArray: return "array";
    case JsonType::kObject: return "object";
  }
  return "";
}

const base::Result<base::Regex, std::string>& Pattern::Get() const {
  std::call_once(made_, [this] { compiled_ = base::Regex::Compile(text_); });
  return *compiled_;
}

const Schema* Schema::Find(std::string_view name) const {
  const auto found = std::ranges::lower_bound(properties, name, {}, &Property::name);
  return found != properties.end() && found->name == name ? found->schema : nullptr;
}

// Copies what it needs into the tree's arena: the definition may go.
class SchemaCompiler {
 public:
  explicit SchemaCompiler(SchemaTree& tree) : tree_(tree), arena_(tree.arena_) {}

  Schema* Compile(JSONSchemaPropsView from) {
    Schema* s = arena_.NewArray<Schema>(1);
    s->type = TypeOf(from.type());
    s->nullable = from.nullable();
    s->int_or_string = from.x_kubernetes_int_or_string();
    s->preserve_unknown = from.x_kubernetes_preserve_unknown_fields();
    s->embedded = s->has_embedded = from.x_kubernetes_embedded_resource();
    s->atomic_map = from.x_kubernetes_map_type() == "atomic";
    s->list_type = ListTypeOf(from.x_kubernetes_list_type());
    s->list_map_keys = Strings(from.x_kubernetes_list_map_keys());
    s->required = Strings(from.required());
    SetFormat(from, *s);
    s->items = Child(from.items().schema(), *s);
    if (const auto additional = from.additional_properties()) {
      s->additional = Child(additional.schema(), *s);
      s->has_additional = s->additional || additional.allows();
      s->additional_forbidden = !s->has_additional;
    }
    s->properties = Properties(from, *s);
    s->checks = CompileChecks(from, *s);
    s->rules = Rules(from);
    s->has_rules |= !s->rules.empty();
    s->has_list_types |= s->list_type == api::ListType::kSet || s->list_type == api::ListType::kMap;
    if (from.has_default()) {
      auto value = api::json::DecodeAny(arena_.CopyString(from.default_()), arena_);
      if (value && !value->is(api::Value::Tag::kNull)) {
        s->default_value = *value;
        s->has_defaults = true;
        Prune(s->default_value, s, nullptr);
      }
    }
    return s;
  }

 private:
  static JsonType TypeOf(std::string_view name) {
    for (const JsonType type : {JsonType::kBoolean, JsonType::kInteger, JsonType::kNumber, JsonType::kString,
                                JsonType::kArray, JsonType::kObject})
      if (NameOf(type) == name) return type;
    return JsonType::kNone;
  }
  static api::ListType ListTypeOf(std::string_view name) {
    if (name == "set") return api::ListType::kSet;
    if (name == "map") return api::ListType::kMap;
    return name == "atomic" ? api::ListType::kAtomic : api::ListType::kUnspecified;
  }

  // Formats count only where the type can have them.
  void SetFormat(JSONSchemaPropsView from, Schema& s) {
    const std::string_view name = from.format();
    if (name.empty()) return;
    if (s.int_or_string) return;
    if (s.type == JsonType::kNone || s.type == JsonType::kString) s.format = StringFormat(name);
    if (s.type == JsonType::kInteger)
      s.format = name == "int32" ? Format::kInt32 : name == "int64" ? Format::kInt64 : Format::kNone;
    if (s.type == JsonType::kNumber)
      s.format = name == "float" ? Format::kFloat : name == "double" ? Format::kDouble : Format::kNone;
    if (s.format != Format::kNone) s.format_name = arena_.CopyString(name);
  }

  const Schema* Child(JSONSchemaPropsView from, Schema& parent) {
    if (!from) return nullptr;
    const Schema* child = Compile(from);
    parent.has_defaults |= child->has_defaults;
    parent.has_embedded |= child->has_embedded;
    parent.has_list_types |= child->has_list_types;
    parent.has_rules |= child->has_rules;
    return child;
  }

  std::span<const Property> Properties(JSONSchemaPropsView from, Schema& s) {
    Property* properties = arena_.NewArray<Property>(from.properties().size());
    size_t n = 0;
    for (const auto& entry : from.properties())
      properties[n++] = {arena_.CopyString(entry.key), Child(JSONSchemaPropsView(entry.value.node()), s)};
    return {properties, n};
  }

  std::span<const std::string_view> Strings(api::ScalarList list) {
    auto* texts = arena_.NewArray<std::string_view>(list.size());
    for (size_t i = 0; i < list.size(); ++i) texts[i] = arena_.CopyString(list[i].string());
    return {texts, list.size()};
  }

  template <class List>
  std::span<const Schema* const> Junctors(const List& list, Schema& s) {
    auto** schemas = arena_.NewArray<const Schema*>(list.size());
    // What these say of defaults or rules does not count; none may say anything.
    Schema none;
    size_t n = 0;
    for (const JSONSchemaPropsView one : list) schemas[n++] = Child(one, none);
    (void)s;
    return {schemas, n};
  }

  const Checks* CompileChecks(JSONSchemaPropsView from, Schema& s) {
    const bool any = from.has_maximum() || from.has_minimum() || from.has_multiple_of() ||
                     from.has_max_length() || from.has_min_length() || from.has_max_items() ||
                     from.has_min_items() || from.has_max_properties() || from.has_min_properties() ||
                     from.unique_items() || !from.pattern().empty() || !from.enum_().empty() ||
                     !from.all_of().empty() || !from.any_of().empty() || !from.one_of().empty() ||
                     from.not_();
    if (!any) return nullptr;
    Checks* c = new (arena_.Allocate(sizeof(Checks), alignof(Checks))) Checks();
    const auto set = [](bool given, auto value, auto& to) {
      if (given) to = value;
    };
    set(from.has_maximum(), from.maximum(), c->maximum);
    set(from.has_minimum(), from.minimum(), c->minimum);
    set(from.has_multiple_of(), from.multiple_of(), c->multiple_of);
    set(from.has_max_length(), from.max_length(), c->max_length);
    set(from.has_min_length(), from.min_length(), c->min_length);
    set(from.has_max_items(), from.max_items(), c->max_items);
    set(from.has_min_items(), from.min_items(), c->min_items);
    set(from.has_max_properties(), from.max_properties(), c->max_properties);
    set(from.has_min_properties(), from.min_properties(), c->min_properties);
    c->exclusive_maximum = from.exclusive_maximum();
    c->exclusive_minimum = from.exclusive_minimum();
    c->unique_items = from.unique_items();
    if (!from.pattern().empty()) c->pattern = &tree_.patterns_.emplace_back(from.pattern());
    auto* values = arena_.NewArray<api::Value>(from.enum_().size());
    for (size_t i = 0; i < from.enum_().size(); ++i) {
      auto value = api::json::DecodeAny(arena_.CopyString(from.enum_()[i].string()), arena_);
      values[i] = value ? *value : api::Value::Null();
    }
    c->values = {values, from.enum_().size()};
    c->all_of = Junctors(from.all_of(), s);
    c->any_of = Junctors(from.any_of(), s);
    c->one_of = Junctors(from.one_of(), s);
    Schema none;
    c->not_of = Child(from.not_(), none);
    return c;
  }

  std::span<const Rule> Rules(JSONSchemaPropsView from) {
    const auto list = from.x_kubernetes_validations();
    Rule* rules = static_cast<Rule*>(arena_.Allocate(list.size() * sizeof(Rule), alignof(Rule)));
    size_t n = 0;
    for (const auto rule : list) {
      Rule* r = new (&rules[n++]) Rule();
      r->rule = arena_.CopyString(rule.rule());
      r->message = arena_.CopyString(rule.message());
      r->message_expression = arena_.CopyString(rule.message_expression());
      r->reason = arena_.CopyString(rule.reason());
      if (const auto found = api::apiextensions::FindField(rule.field_path(), from, /*allow_brackets=*/true))
        r->field_path = arena_.CopyString(found->text);
      if (rule.has_optional_old_self()) r->optional_old_self = rule.optional_old_self();
    }
    return {rules, n};
  }

  SchemaTree& tree_;
  api::Arena& arena_;
};

SchemaTree::SchemaTree(JSONSchemaPropsView schema, bool preserve_unknown) {
  has_schema_ = static_cast<bool>(schema);
  Schema* root = has_schema_ ? SchemaCompiler(*this).Compile(schema) : arena_.NewArray<Schema>(1);
  root->preserve_unknown |= preserve_unknown;
  root_ = root;
  merge_type_ = MergeTypeOf(*root_, has_schema_, arena_);
}

size_t SchemaTree::memory_bytes() const {
  return arena_.allocated_bytes() + patterns_.size() * sizeof(Pattern);
}

}  // namespace keelson::extensions
