#include "admission/policies/patches.h"

#include "admission/json_patching.h"
#include "api/codec/json.h"
#include "api/defaulting/defaulting.h"
#include "api/managed_fields/config.h"
#include "api/managed_fields/merge.h"
#include "api/managed_fields/type_use.h"
#include "api/validation/quote.h"
#include "cel/documents.h"
#include "cel/patch_types.h"

namespace keelson::admission {
namespace {

using api::managed_fields::TypeUse;
using cel::Value;
using Outcome = base::Result<void, std::string>;

// The types of nested objects must be named after the fields they are in.
void CheckNames(const Value& value, const std::string& path, std::string& wrong) {
  if (const auto* object = value.As<cel::PatchObject>()) {
    const std::string& name = object->type()->name();
    if (name != path)
      wrong.append(wrong.empty() ? "" : "\n")
          .append("unexpected type name " + api::Quoted(name) + ", expected " + api::Quoted(path) +
                  ", which matches field name path from root Object type");
    for (const auto& [field, inner] : object->fields()) CheckNames(inner, path + "." + field, wrong);
  } else if (value.is(Value::Kind::kList)) {
    for (size_t i = 0; i < value.list().size(); ++i) CheckNames(value.list().At(i), path, wrong);
  } else if (value.is(Value::Kind::kMap)) {
    for (size_t i = 0; i < value.map().size(); ++i) CheckNames(value.map().ValueAt(i), path, wrong);
  }
}

Outcome CheckNames(const Value& value) {
  const auto* object = value.As<cel::PatchObject>();
  if (!object) return {};
  std::string wrong;
  CheckNames(value, object->type()->name(), wrong);
  if (wrong.empty()) return {};
  return base::Err("type mismatch: " + wrong);
}

// What is owned as a whole cannot be merged into.
void FindAtomics(const api::Value& tree, const TypeUse& use, const std::string& path, std::string& found) {
  const auto add = [&] { found.append(found.empty() ? "" : ", ").append(path); };
  if (const api::MapNode* map = tree.map(); map && use.is_map()) {
    if (use.atomic()) add();
    for (const auto& entry : map->entries())
      if (use.declares(entry.key))
        FindAtomics(entry.value, use.member(entry.key), path + "." + std::string(entry.key), found);
  } else if (const api::ListNode* list = tree.list(); list && use.type->kind == api::Kind::kList) {
    if (use.list() == TypeUse::List::kAtomic) add();
    for (size_t i = 0; i < list->size; ++i)
      FindAtomics(list->data[i], use.element(), path + "[" + std::to_string(i) + "]", found);
  }
}

// The operations as the text of a patch.
base::Result<std::string, std::string> PatchText(const Value& patch) {
  base::BufferBuilder text;
  text.Append("[");
  for (size_t i = 0; i < patch.list().size(); ++i) {
    const Value item = patch.list().At(i);
    const auto* operation = item.As<cel::JsonPatchObject>();
    if (!operation)
      return base::Err(
          std::string("type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch"));
    text.Append(i > 0 ? ",{\"op\":" : "{\"op\":");
    api::json::EncodeString(operation->op, text);
    text.Append(",\"path\":");
    api::json::EncodeString(operation->path, text);
    if (!operation->from.empty()) {
      text.Append(",\"from\":");
      api::json::EncodeString(operation->from, text);
    }
    if (operation->value) {
      TRY(CheckNames(*operation->value));
      api::Arena arena;
      const auto tree = cel::ToTree(*operation->value, arena);
      if (!tree)
        return base::Err("JSONPath valueExpression evaluated to a type that could not marshal to JSON: " +
                         tree.error());
      text.Append(",\"value\":");
      api::json::EncodeAny(*tree, text);
    }
    text.Append("}");
  }
  text.Append("]");
  return std::string(text.view());
}

}  // namespace

Outcome ApplyConfiguration(const Value& patch, const MatchedRequest& request, api::Doc& object) {
  if (!patch.As<cel::PatchObject>())
    return base::Err("unsupported return type from ApplyConfiguration expression: " +
                     cel::TypeOf(patch)->name());
  TRY(CheckNames(patch));
  if (const auto kind = request.kind(); !request.HasSchema())
    return base::Err(
        "error applying patch: failed to convert patch object to typed object: no corresponding type for " +
        std::string(kind.group) + "/" + std::string(kind.version) + ", Kind=" + std::string(kind.kind));
  const auto tree = cel::ToTree(patch, object.arena());
  if (!tree)
    return base::Err("error applying patch: failed to convert patch object to typed object: " + tree.error());
  std::string atomics;
  FindAtomics(*tree, TypeUse{&object.type(), nullptr}, "", atomics);
  auto config = api::managed_fields::ReadConfig(*tree, object.type(), object.arena());
  if (!config)
    return base::Err("error applying patch: failed to convert patch object to typed object: " +
                     config.error().message);
  if (!atomics.empty())
    return base::Err(
        "error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: " +
        atomics);
  api::managed_fields::MergeConfig(*object.root(), *config->root, object.arena());
  api::SetDefaults(object);
  return {};
}

Outcome ApplyPatch(const Value& patch, api::Doc& object) {
  if (!patch.is(Value::Kind::kList))
    return base::Err(std::string("type mismatch: JSONPatchType.expression should evaluate to array"));
  const auto text = TRY(PatchText(patch));
  api::Arena arena;
  const auto operations = api::JsonPatch::Parse(text, arena, nullptr);
  if (!operations) return base::Err("JSON Patch: " + operations.error().message);
  base::BufferBuilder was;
  api::json::Encode(*object.root(), was);
  auto patched = ApplyJsonPatch(*operations, was.view(), object.type(), arena);
  if (patched) {
    object = *std::move(patched);
    return {};
  }
  const PatchError& error = patched.error();
  if (error.applied) return base::Err(error.message);
  if (error.message.find("test failed") != std::string::npos) return {};
  return base::Err("JSON Patch: " + error.message);
}

}  // namespace keelson::admission
