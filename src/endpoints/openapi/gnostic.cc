#include "endpoints/openapi/gnostic.h"

#include <bit>
#include <span>
#include <string>

#include "api/codec/json.h"
#include "api/codec/yaml.h"
#include "endpoints/wire.h"

namespace keelson::endpoints::openapi {
namespace {

using api::MapNode;
using api::Value;
using Bytes = base::BufferBuilder;

// How a member of a JSON object is written as a field of a message.
enum class FieldKind : uint8_t { kString, kStrings, kBool, kInt, kDouble, kMessage, kMessages, kAny, kAnys };

struct Field {
  std::string_view member;
  uint32_t number;
  FieldKind kind;
  void (*message)(const Value& value, Bytes& out) = nullptr;  // kMessage, kMessages: its inside
};

void AppendMessage(uint32_t number, void (*message)(const Value&, Bytes&), const Value& value, Bytes& out) {
  Bytes inside;
  message(value, inside);
  wire::AppendBytes(number, inside.view(), out);
}

// {yaml=2}: values of any kind go as text.
void Any(const Value& value, Bytes& out) {
  constexpr uint32_t kYaml = 2;
  Bytes json;
  api::json::EncodeAny(value, json);
  wire::AppendBytes(kYaml, api::yaml::FromJson(json.view()), out);
}

// {name=1, value=2}, of whatever the value is.
void Named(std::string_view name, void (*message)(const Value&, Bytes&), const Value& value, Bytes& out) {
  wire::AppendBytes(1, name, out);
  AppendMessage(2, message, value, out);
}

// What is of another type than expected, as in a document that others wrote, is empty.
std::span<const Value> Items(const Value& value) {
  return value.list() ? std::span<const Value>(value.list()->items()) : std::span<const Value>();
}
std::span<const MapNode::Entry> Entries(const Value& value) {
  return value.map() ? std::span<const MapNode::Entry>(value.map()->entries())
                     : std::span<const MapNode::Entry>();
}
std::string_view StringAt(const Value& value, std::string_view member) {
  const Value* const found = value.map() ? value.map()->Find(member) : nullptr;
  return found ? found->string() : std::string_view();
}

// Zero is what a number is that is absent.
void AppendDouble(uint32_t number, double value, Bytes& out) {
  constexpr uint32_t kFixed64 = 1;
  if (value == 0) return;
  wire::AppendVarint(number << 3 | kFixed64, out);
  uint64_t bits = std::bit_cast<uint64_t>(value);
  for (int i = 0; i < 8; ++i, bits >>= 8) out.Append(static_cast<char>(bits));
}

void AppendField(const Field& field, const Value& value, Bytes& out) {
  switch (field.kind) {
    case FieldKind::kString: return wire::AppendBytes(field.number, value.string(), out);
    case FieldKind::kBool: return wire::AppendInt(field.number, value.boolean(), out);
    case FieldKind::kInt:
      if (value.integer() != 0) wire::AppendInt(field.number, value.integer(), out);
      return;
    case FieldKind::kDouble: return AppendDouble(field.number, value.real(), out);
    case FieldKind::kMessage: return AppendMessage(field.number, field.message, value, out);
    case FieldKind::kAny: return AppendMessage(field.number, Any, value, out);
    case FieldKind::kStrings:
      for (const Value& item : Items(value)) wire::AppendBytes(field.number, item.string(), out);
      return;
    case FieldKind::kMessages:
      for (const Value& item : Items(value)) AppendMessage(field.number, field.message, item, out);
      return;
    case FieldKind::kAnys:
      for (const Value& item : Items(value)) AppendMessage(field.number, Any, item, out);
      return;
  }
}

// The members in order of the fields, then what is left over: vendor extensions.
void AppendFields(const Value& object, std::span<const Field> fields, uint32_t extensions, Bytes& out) {
  if (!object.map()) return;
  for (const Field& field : fields)
    if (const Value* value = object.map()->Find(field.member)) AppendField(field, *value, out);
  for (const MapNode::Entry& entry : Entries(object)) {
    if (!entry.key.starts_with("x-")) continue;
    Bytes named;
    Named(entry.key, Any, entry.value, named);
    wire::AppendBytes(extensions, named.view(), out);
  }
}

void Schema(const Value& value, Bytes& out);

void NamedSchemas(const Value& value, Bytes& out) {
  for (const MapNode::Entry& entry : Entries(value)) {
    Bytes named;
    Named(entry.key, Schema, entry.value, named);
    wire::AppendBytes(1, named.view(), out);
  }
}
void SchemaAsFirst(const Value& value, Bytes& out) { AppendMessage(1, Schema, value, out); }
// AdditionalPropertiesItem {schema=1, boolean=2}.
void AdditionalProperties(const Value& value, Bytes& out) {
  value.map() ? SchemaAsFirst(value, out) : wire::AppendInt(2, value.boolean(), out);
}
void TypeItem(const Value& value, Bytes& out) { wire::AppendBytes(1, value.string(), out); }

void Schema(const Value& value, Bytes& out) {
  static constexpr Field fields[] = {
      {"$ref", 1, FieldKind::kString},
      {"format", 2, FieldKind::kString},
      {"description", 4, FieldKind::kString},
      {"default", 5, FieldKind::kAny},
      {"multipleOf", 6, FieldKind::kDouble},
      {"maximum", 7, FieldKind::kDouble},
      {"exclusiveMaximum", 8, FieldKind::kBool},
      {"minimum", 9, FieldKind::kDouble},
      {"exclusiveMinimum", 10, FieldKind::kBool},
      {"maxLength", 11, FieldKind::kInt},
      {"minLength", 12, FieldKind::kInt},
      {"pattern", 13, FieldKind::kString},
      {"maxItems", 14, FieldKind::kInt},
      {"minItems", 15, FieldKind::kInt},
      {"uniqueItems", 16, FieldKind::kBool},
      {"maxProperties", 17, FieldKind::kInt},
      {"minProperties", 18, FieldKind::kInt},
      {"required", 19, FieldKind::kStrings},
      {"enum", 20, FieldKind::kAnys},
      {"additionalProperties", 21, FieldKind::kMessage, AdditionalProperties},
      {"type", 22, FieldKind::kMessage, TypeItem},
      {"items", 23, FieldKind::kMessage, SchemaAsFirst},
      {"properties", 25, FieldKind::kMessage, NamedSchemas},
  };
  AppendFields(value, fields, 31, out);
}

void QueryParameter(const Value& value, Bytes& out) {
  static constexpr Field fields[] = {
      {"required", 1, FieldKind::kBool},      {"in", 2, FieldKind::kString},
      {"description", 3, FieldKind::kString}, {"name", 4, FieldKind::kString},
      {"type", 6, FieldKind::kString},        {"uniqueItems", 20, FieldKind::kBool}};
  AppendFields(value, fields, 23, out);
}
void PathParameter(const Value& value, Bytes& out) {
  static constexpr Field fields[] = {
      {"required", 1, FieldKind::kBool},      {"in", 2, FieldKind::kString},
      {"description", 3, FieldKind::kString}, {"name", 4, FieldKind::kString},
      {"type", 5, FieldKind::kString},        {"uniqueItems", 19, FieldKind::kBool}};
  AppendFields(value, fields, 22, out);
}
void BodyParameter(const Value& value, Bytes& out) {
  static constexpr Field fields[] = {{"description", 1, FieldKind::kString},
                                     {"name", 2, FieldKind::kString},
                                     {"in", 3, FieldKind::kString},
                                     {"required", 4, FieldKind::kBool},
                                     {"schema", 5, FieldKind::kMessage, Schema}};
  AppendFields(value, fields, 6, out);
}

// NonBodyParameter {query=3, path=4}.
void NonBodyParameter(const Value& value, Bytes& out) {
  const bool path = StringAt(value, "in") == "path";
  AppendMessage(path ? 4 : 3, path ? PathParameter : QueryParameter, value, out);
}
// Parameter {body=1, non_body=2}.
void Parameter(const Value& value, Bytes& out) {
  const bool body = StringAt(value, "in") == "body";
  AppendMessage(body ? 1 : 2, body ? BodyParameter : NonBodyParameter, value, out);
}
void JsonReference(const Value& value, Bytes& out) {
  static constexpr Field fields[] = {{"$ref", 1, FieldKind::kString}};
  AppendFields(value, fields, 0, out);
}
// ParametersItem {parameter=1, json_reference=2}.
void ParametersItem(const Value& value, Bytes& out) {
  const bool reference = !StringAt(value, "$ref").empty();
  AppendMessage(reference ? 2 : 1, reference ? JsonReference : Parameter, value, out);
}

// SecurityDefinitionsItem {api_key_security=2}.
void ApiKeySecurity(const Value& value, Bytes& out) {
  static constexpr Field fields[] = {{"type", 1, FieldKind::kString},
                                     {"name", 2, FieldKind::kString},
                                     {"in", 3, FieldKind::kString},
                                     {"description", 4, FieldKind::kString}};
  AppendFields(value, fields, 5, out);
}
void SecurityDefinition(const Value& value, Bytes& out) { AppendMessage(2, ApiKeySecurity, value, out); }
void SecurityDefinitions(const Value& value, Bytes& out) {
  for (const MapNode::Entry& entry : Entries(value)) {
    Bytes named;
    Named(entry.key, SecurityDefinition, entry.value, named);
    wire::AppendBytes(1, named.view(), out);
  }
}
// StringArray {value=1}.
void StringArray(const Value& value, Bytes& out) {
  for (const Value& item : Items(value)) wire::AppendBytes(1, item.string(), out);
}
// SecurityRequirement {additional_properties=1}, of what each scheme is asked for.
void SecurityRequirement(const Value& value, Bytes& out) {
  for (const MapNode::Entry& entry : Entries(value)) {
    Bytes named;
    Named(entry.key, StringArray, entry.value, named);
    wire::AppendBytes(1, named.view(), out);
  }
}
void SecurityRequirements(const Value& value, Bytes& out) {
  constexpr uint32_t kSecurityOfDocument = 12;
  for (const Value& item : Items(value)) AppendMessage(kSecurityOfDocument, SecurityRequirement, item, out);
}

void Response(const Value& value, Bytes& out) {
  static constexpr Field fields[] = {{"description", 1, FieldKind::kString},
                                     {"schema", 2, FieldKind::kMessage, SchemaAsFirst}};
  AppendFields(value, fields, 5, out);
}
void ResponseValue(const Value& value, Bytes& out) { AppendMessage(1, Response, value, out); }
void Responses(const Value& value, Bytes& out) {
  for (const MapNode::Entry& entry : Entries(value)) {
    Bytes named;
    Named(entry.key, ResponseValue, entry.value, named);
    wire::AppendBytes(1, named.view(), out);
  }
}

void Operation(const Value& value, Bytes& out) {
  static constexpr Field fields[] = {{"tags", 1, FieldKind::kStrings},
                                     {"description", 3, FieldKind::kString},
                                     {"operationId", 5, FieldKind::kString},
                                     {"produces", 6, FieldKind::kStrings},
                                     {"consumes", 7, FieldKind::kStrings},
                                     {"parameters", 8, FieldKind::kMessages, ParametersItem},
                                     {"responses", 9, FieldKind::kMessage, Responses},
                                     {"schemes", 10, FieldKind::kStrings}};
  AppendFields(value, fields, 13, out);
}

void PathItem(const Value& value, Bytes& out) {
  static constexpr Field fields[] = {{"get", 2, FieldKind::kMessage, Operation},
                                     {"put", 3, FieldKind::kMessage, Operation},
                                     {"post", 4, FieldKind::kMessage, Operation},
                                     {"delete", 5, FieldKind::kMessage, Operation},
                                     {"options", 6, FieldKind::kMessage, Operation},
                                     {"head", 7, FieldKind::kMessage, Operation},
                                     {"patch", 8, FieldKind::kMessage, Operation},
                                     {"parameters", 9, FieldKind::kMessages, ParametersItem}};
  AppendFields(value, fields, 10, out);
}

// Appends {name, value} as field `number`.
void AppendNamed(uint32_t number, std::string_view name, std::string_view json,
                 void (*message)(const Value&, Bytes&), Bytes& out) {
  api::Arena arena;
  const auto tree = api::json::DecodeAny(json, arena);
  if (!tree || !tree->map()) return;
  Bytes named;
  Named(name, message, *tree, named);
  wire::AppendBytes(number, named.view(), out);
}

// Appends what is inside the message of a constant.
void AppendJson(std::string_view json, void (*message)(const Value&, Bytes&), Bytes& out) {
  api::Arena arena;
  if (const auto tree = api::json::DecodeAny(json, arena)) message(*tree, out);
}

}  // namespace

base::Slice EncodeGnostic(const Document& document) {
  // Of Document, and of its Paths, Definitions and ParameterDefinitions.
  constexpr uint32_t kSwagger = 1, kInfo = 2, kPaths = 8, kDefinitions = 9, kParameters = 10;
  constexpr uint32_t kSecuritySchemes = 13;
  constexpr uint32_t kInfoTitle = 1, kInfoVersion = 2, kPath = 2, kDefinition = 1, kParameter = 1;
  Bytes info, paths, definitions, parameters, security, out;
  wire::AppendBytes(kInfoTitle, kTitle, info);
  wire::AppendBytes(kInfoVersion, kApiVersion, info);
  SharedParameters shared;
  document.ForEachPath(shared, [&](std::string_view name, std::string_view json) {
    AppendNamed(kPath, name, json, PathItem, paths);
  });
  shared.ForEach([&](std::string_view name, std::string_view json) {
    AppendNamed(kParameter, name, json, Parameter, parameters);
  });
  document.ForEachSchema([&](std::string_view name, std::string_view json) {
    AppendNamed(kDefinition, name, json, Schema, definitions);
  });
  wire::AppendBytes(kSwagger, "2.0", out);
  wire::AppendBytes(kInfo, info.view(), out);
  wire::AppendBytes(kPaths, paths.view(), out);
  wire::AppendBytes(kDefinitions, definitions.view(), out);
  wire::AppendBytes(kParameters, parameters.view(), out);
  AppendJson(kSecurity, SecurityRequirements, out);
  AppendJson(kSecurityDefinitions, SecurityDefinitions, security);
  wire::AppendBytes(kSecuritySchemes, security.view(), out);
  return out.Take();
}

}  // namespace keelson::endpoints::openapi
