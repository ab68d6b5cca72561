#include "extensions/crd/openapi.h"

#include <algorithm>

#include "api/codec/json.h"
#include "api/types/doc.h"
#include "endpoints/openapi/custom.h"

namespace keelson::extensions {
namespace {

using api::MapNode;
using api::Value;
using endpoints::openapi::Dialect;

bool IsTrue(const MapNode& schema, std::string_view name) {
  const Value* v = schema.Find(name);
  return v && v->boolean();
}

// Walks the tree of a schema and makes of it what documents can say.
class Publisher {
 public:
  Publisher(Dialect dialect, api::Arena& arena) : dialect_(dialect), arena_(arena) {}

  void Schema(MapNode& s) {
    for (const std::string_view name : {"example", "externalDocs", "$schema", "id"}) s.Erase(name);
    if (dialect_ == Dialect::kV2) Simplify(s);
    if (IsTrue(s, "x-kubernetes-int-or-string") && dialect_ == Dialect::kV3) EitherOf(s);
    if (Value* properties = s.Find("properties"); properties && properties->map())
      for (auto& entry : properties->map()->entries())
        if (entry.value.map()) Schema(*entry.value.map());
    for (const std::string_view name : {"items", "additionalProperties"})
      if (Value* below = s.Find(name); below && below->map()) Schema(*below->map());
    const bool open = IsTrue(s, "x-kubernetes-preserve-unknown-fields");
    if (IsTrue(s, "x-kubernetes-embedded-resource") && !(open && dialect_ == Dialect::kV2)) Embedded(s);
  }

  MapNode& Properties(MapNode& s) {
    Value* properties = s.Find("properties");
    if (!properties || !properties->map()) {
      s.Set("properties", Value::Of(MapNode::New(nullptr, arena_)), arena_);
      properties = s.Find("properties");
    }
    return *properties->map();
  }

  // kind, apiVersion and metadata.
  void AddMetadata(MapNode& s) {
    namespace openapi = endpoints::openapi;
    MapNode& properties = Properties(s);
    const auto text = [&](std::string_view name, std::string_view description) {
      MapNode* schema = MapNode::New(nullptr, arena_);
      schema->Set("description", Value::String(description), arena_);
      schema->Set("type", Value::String("string"), arena_);
      properties.Set(name, Value::Of(schema), arena_);
    };
    text("apiVersion", openapi::kApiVersionText);
    text("kind", openapi::kKindText);
    MapNode* metadata = MapNode::New(nullptr, arena_);
    const std::string reference =
        openapi::ReferenceTo(openapi::DefinitionName("meta_v1.ObjectMeta"), dialect_);
    if (dialect_ == Dialect::kV2) {
      metadata->Set("$ref", Value::String(arena_.CopyString(reference)), arena_);
    } else {  // where nothing is read that stands beside a reference
      MapNode* target = MapNode::New(nullptr, arena_);
      target->Set("$ref", Value::String(arena_.CopyString(reference)), arena_);
      api::ListNode* all = api::ListNode::New(nullptr, arena_);
      all->Append(Value::Of(target), arena_);
      metadata->Set("allOf", Value::Of(all), arena_);
    }
    metadata->Set("description", Value::String(openapi::kMetadataText), arena_);
    properties.Set("metadata", Value::Of(metadata), arena_);
  }

 private:
  void Embedded(MapNode& s) {
    AddMetadata(s);
    Value* required = s.Find("required");
    if (!required || !required->list()) {
      s.Set("required", Value::Of(api::ListNode::New(nullptr, arena_)), arena_);
      required = s.Find("required");
    }
    for (const std::string_view name : {"kind", "apiVersion"}) {
      const auto same = [&](const Value& v) { return v.string() == name; };
      if (std::ranges::none_of(required->list()->items(), same))
        required->list()->Append(Value::String(name), arena_);
    }
  }

  void EitherOf(MapNode& s) {
    if (s.Find("anyOf") || s.Find("allOf")) return;
    api::ListNode* alternatives = api::ListNode::New(nullptr, arena_);
    for (const std::string_view type : {"integer", "string"}) {
      MapNode* alternative = MapNode::New(nullptr, arena_);
      alternative->Set("type", Value::String(type), arena_);
      alternatives->Append(Value::Of(alternative), arena_);
    }
    s.Set("anyOf", Value::Of(alternatives), arena_);
  }

  // What v2 has no words for, or its clients do not understand, is left out; defaults too, which old clients
  // took for values.
  void Simplify(MapNode& s) {
    for (const std::string_view name : {"allOf", "anyOf", "oneOf", "not", "default"}) s.Erase(name);
    const auto type_is = [&](std::string_view type) {
      const Value* v = s.Find("type");
      return v && v->string() == type;
    };
    if (Value* properties = s.Find("properties"); properties && properties->map())
      for (auto& entry : properties->map()->entries())
        if (entry.value.map() && IsTrue(*entry.value.map(), "nullable")) NotRequired(s, entry.key);
    const bool open = IsTrue(s, "x-kubernetes-preserve-unknown-fields");
    if (IsTrue(s, "nullable")) {
      for (const std::string_view name : {"nullable", "type", "items", "properties"}) s.Erase(name);
    }
    if (open)
      for (const std::string_view name : {"items", "properties"}) s.Erase(name);
    if ((type_is("array") && !s.Find("items")) || (open && type_is("object"))) s.Erase("type");
  }

  void NotRequired(MapNode& s, std::string_view name) {
    Value* required = s.Find("required");
    if (!required || !required->list()) return;
    api::ListNode& list = *required->list();
    for (size_t i = list.size; i-- > 0;)
      if (list.items()[i].string() == name) list.Erase(i);
    if (list.size == 0) s.Erase("required");
  }

  const Dialect dialect_;
  api::Arena& arena_;
};

Value KindsOf(const api::ResourceDesc& desc, api::Arena& arena) {
  MapNode* kind = MapNode::New(nullptr, arena);
  kind->Set("group", Value::String(desc.group), arena);
  kind->Set("kind", Value::String(desc.kind), arena);
  kind->Set("version", Value::String(desc.version), arena);
  api::ListNode* kinds = api::ListNode::New(nullptr, arena);
  kinds->Append(Value::Of(kind), arena);
  return Value::Of(kinds);
}

}  // namespace

void AppendOpenApi(std::string_view schema, bool preserve_unknown, const api::ResourceDesc& desc,
                   Dialect dialect, base::BufferBuilder& out) {
  api::Arena arena;
  auto tree = schema.empty() ? base::Result<Value, api::json::DecodeError>(Value())
                             : api::json::DecodeAny(schema, arena);
  MapNode* root = tree && tree->map() ? tree->map() : nullptr;
  // Clients of v2 take properties for all there are.
  const bool open = preserve_unknown || (root && IsTrue(*root, "x-kubernetes-preserve-unknown-fields"));
  if (!root || (open && dialect == Dialect::kV2)) {
    root = MapNode::New(nullptr, arena);
    root->Set("type", Value::String("object"), arena);
  } else {
    Publisher publisher(dialect, arena);
    publisher.Schema(*root);
    publisher.AddMetadata(*root);
  }
  root->Set("x-kubernetes-group-version-kind", KindsOf(desc, arena), arena);
  api::json::EncodeAny(Value::Of(root), out);
}

}  // namespace keelson::extensions
