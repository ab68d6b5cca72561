#include "extensions/crd/custom_strategy.h"

#include <algorithm>
#include <set>

#include "api/meta/object_meta.h"
#include "api/types/builtin_types.h"
#include "api/validation/names.h"
#include "api/validation/object_meta.h"
#include "api/validation/quote.h"
#include "extensions/crd/custom_scaling.h"
#include "extensions/schema/list_types.h"
#include "extensions/schema/validate.h"

namespace keelson::extensions {
namespace {

using api::MapNode;
using api::Value;
using api::field::Error;
using api::field::ErrorList;
using api::field::ErrorType;
using registry::WriteContext;

constexpr std::string_view kStatus = "status";

const MapNode& Content(const api::Doc& doc) {
  static const MapNode kNone{nullptr};
  const MapNode* content = api::ContentOf(*doc.root());
  return content ? *content : kNone;
}

// Upstream looks at rules only once an object is otherwise in order.
bool Blocks(const Error& error) {
  switch (error.type) {
    case ErrorType::kNotSupported:
    case ErrorType::kRequired:
    case ErrorType::kTooLong:
    case ErrorType::kTooMany:
    case ErrorType::kTypeInvalid: return true;
    default: return false;
  }
}

std::vector<std::string> FinalizerWarnings(const api::Doc& now, const api::Doc* was) {
  std::set<std::string> added;
  for (const Value& v : api::MetadataOf(now).finalizers()) added.emplace(v.string());
  if (was)
    for (const Value& v : api::MetadataOf(*was).finalizers()) added.erase(std::string(v.string()));
  std::vector<std::string> warnings;
  for (const std::string& finalizer : added) {
    const std::string start = "metadata.finalizers: " + api::Quoted(finalizer) + ": ";
    for (const std::string& why : api::IsQualifiedName(finalizer)) warnings.push_back(start + why);
    const bool standard = finalizer == api::kFinalizerOrphanDependents ||
                          finalizer == api::kFinalizerDeleteDependents ||
                          finalizer == api::kFinalizerKubernetes;
    if (finalizer.find('/') != finalizer.npos || standard) continue;
    warnings.push_back(
        start + (finalizer.find('.') != finalizer.npos
                     ? "prefer a domain-qualified finalizer name including a path (/) to avoid accidental "
                       "conflicts with other finalizer writers"
                     : "prefer a domain-qualified finalizer name to avoid accidental conflicts with other "
                       "finalizer writers"));
  }
  return warnings;
}

void SetOrErase(MapNode& content, std::string_view name, const Value* value, api::Arena& arena) {
  if (value) {
    content.Set(arena.CopyString(name), api::DeepCopy(*value, arena), arena);
  } else {
    content.Erase(name);
  }
}

}  // namespace

const CustomResource::Version& CustomStrategy::VersionOf(const WriteContext& context,
                                                         const api::Doc& doc) const {
  if (resource_.converter())
    if (const CustomResource::Version* const own = resource_.Find(doc.type())) return *own;
  // The server itself, and whoever comes by way of a Scale, write what is stored.
  const bool own = context.api_version.group == resource_.group();
  const CustomResource::Version* found = own ? resource_.Find(context.api_version.version) : nullptr;
  return found ? *found : resource_.storage_version();
}

std::vector<std::string> CustomStrategy::ValidateName(std::string_view name, bool prefix) const {
  return api::NameIsDnsSubdomain(name, prefix);
}

void CustomStrategy::PrepareForCreate(const WriteContext& context, api::Doc& doc) const {
  if (VersionOf(context, doc).has_status)
    if (MapNode* content = api::ContentOf(*doc.root()).map()) content->Erase(kStatus);
  api::MutableMetadataOf(doc).set_generation(1);
}

ErrorList CustomStrategy::CheckKind(const api::Doc& doc) const {
  ErrorList errors;
  const std::string_view kind = doc.root()->slot(0).string();
  if (kind != resource_.kind())
    errors.Add(api::field::Invalid(api::field::Path("kind"), api::Quoted(kind),
                                   "must be " + std::string(resource_.kind())));
  return errors;
}

void CustomStrategy::CheckRules(const WriteContext& context, const CustomResource::Version& version,
                                const api::Doc& now, const api::Doc* was, ErrorList& errors) {
  if (!version.type->schema().has_rules) return;
  if (std::ranges::any_of(errors, Blocks))
    return errors.Add({.type = ErrorType::kInvalid,
                       .field = "<nil>",
                       .bad_value = "null",
                       .has_value = true,
                       .detail = "some validation rules were not checked because the object was invalid; "
                                 "correct the existing errors to complete validation"});
  if (const RuleChecker* rules = version.type->rules())
    errors.Append(rules->Check(*now.root(), was ? was->root() : nullptr, context.warnings));
}

ErrorList CustomStrategy::Validate(const WriteContext& context, const api::Doc& doc) const {
  if (ErrorList errors = CheckKind(doc); !errors.empty()) return errors;
  const CustomResource::Version& version = VersionOf(context, doc);
  const Schema& schema = version.type->schema();
  api::Arena arena;
  ErrorList errors = ValidateValue(WholeTree(*doc.root(), schema, arena), schema, "", nullptr);
  if (version.scaling) errors.Append(version.scaling->Validate(*doc.root(), true));
  errors.Append(ValidateEmbedded(Content(doc), schema));
  errors.Append(ValidateListTypes(Content(doc), schema));
  CheckRules(context, version, doc, nullptr, errors);
  return errors;
}

std::vector<std::string> CustomStrategy::WarningsOnCreate(const WriteContext&, const api::Doc& doc) const {
  return FinalizerWarnings(doc, nullptr);
}

void CustomStrategy::PrepareForUpdate(const WriteContext& context, api::Doc& now, const api::Doc& was) const {
  if (VersionOf(context, now).has_status) {
    MapNode& content = api::MutableContentOf(*now.root(), now.arena());
    SetOrErase(content, kStatus, Content(was).Find(kStatus), now.arena());
  }
  const Value before = was.root()->slot(was.type().fields.size() - 1);
  const MapNode& after = Content(now);
  const bool same = before.map() ? api::Equal(Value::Of(const_cast<MapNode*>(&after)), before, api::kAnyType)
                                 : after.size == 0;
  if (!same) api::MutableMetadataOf(now).set_generation(api::MetadataOf(was).generation() + 1);
}

ErrorList CustomStrategy::ValidateUpdate(const WriteContext& context, const api::Doc& now,
                                         const api::Doc& was) const {
  if (ErrorList errors = CheckKind(now); !errors.empty()) return errors;
  const CustomResource::Version& version = VersionOf(context, now);
  const Schema& schema = version.type->schema();
  api::Arena arena;
  const Value old = WholeTree(*was.root(), schema, arena);
  ErrorList errors = ValidateValue(WholeTree(*now.root(), schema, arena), schema, "", &old);
  if (version.scaling) errors.Append(version.scaling->Validate(*now.root(), true));
  errors.Append(ValidateEmbedded(Content(now), schema));
  // What was let in before stays.
  ErrorList lists = ValidateListTypes(Content(now), schema);
  if (!lists.empty() && ValidateListTypes(Content(was), schema).empty()) errors.Append(std::move(lists));
  CheckRules(context, version, now, &was, errors);
  return errors;
}

std::vector<std::string> CustomStrategy::WarningsOnUpdate(const WriteContext&, const api::Doc& now,
                                                          const api::Doc& was) const {
  return FinalizerWarnings(now, &was);
}

void CustomStrategy::Canonicalize(api::Doc& doc) const {
  if (resource_.converter()) return;  // that is done where it is stored
  const std::string version =
      std::string(resource_.group()) + "/" + std::string(resource_.storage_version().name);
  if (doc.root()->slot(1).string() != version)
    doc.root()->slot(1) = Value::String(doc.arena().CopyString(version));
}

void CustomStatusStrategy::PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const {
  static const uint32_t kManagedFields =
      api::meta_v1::kObjectMetaType.FindMember("managedFields").field->ordinal;
  constexpr size_t kMetadata = 2;  // ordinal
  api::Arena& arena = now.arena();
  api::StructNode& root = *now.root();
  const Value managers = api::MutableMetadataOf(now).node()->slot(kManagedFields);
  const Value status = [&] {
    const Value* given = Content(now).Find(kStatus);
    return given ? *given : Value();
  }();
  root.slot(kMetadata) = api::DeepCopy(was.root()->slot(kMetadata), arena);
  api::MutableMetadataOf(now).node()->slot(kManagedFields) = managers;
  api::ContentOf(root) = api::DeepCopy(was.root()->slot(was.type().fields.size() - 1), arena);
  SetOrErase(api::MutableContentOf(root, arena), kStatus, status.absent() ? nullptr : &status, arena);
}

ErrorList CustomStatusStrategy::ValidateUpdate(const WriteContext& context, const api::Doc& now,
                                               const api::Doc& was) const {
  const CustomResource::Version& version = VersionOf(context, now);
  const Schema& schema = version.type->schema();
  ErrorList errors;
  const Value* status = Content(now).Find(kStatus);
  const Schema* of_status = schema.Find(kStatus);
  if (status && of_status)
    errors.Append(ValidateValue(*status, *of_status, kStatus, Content(was).Find(kStatus)));
  if (version.scaling) errors.Append(version.scaling->Validate(*now.root(), false));
  ErrorList lists = ValidateListTypes(Content(now), schema);
  if (!lists.empty() && ValidateListTypes(Content(was), schema).empty()) errors.Append(std::move(lists));
  CheckRules(context, version, now, &was, errors);
  return errors;
}

}  // namespace keelson::extensions
