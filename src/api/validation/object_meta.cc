#include "api/validation/object_meta.h"

#include <algorithm>
#include <set>
#include <string>

#include "api/validation/labels.h"
#include "api/validation/quote.h"
#include "api/validation/render.h"

namespace keelson::api {
namespace {

using field::ErrorList;
using field::Path;
using field::RenderValue;
using meta_v1::ObjectMetaView;
using meta_v1::OwnerReferenceView;

// The API version "group/version" or "version" without its group. More than one slash is
// no version at all.
std::string_view VersionOf(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  if (slash == api_version.npos) return api_version;
  const std::string_view version = api_version.substr(slash + 1);
  return version.find('/') == version.npos ? version : std::string_view();
}

ErrorList ValidateOwnerReference(OwnerReferenceView owner, const Path& path) {
  ErrorList errors;
  const auto require = [&](std::string_view name, std::string_view value, std::string_view why, bool given) {
    if (!given) errors.Add(field::Invalid(path.Child(name), RenderValue(value), why));
  };
  require("apiVersion", owner.api_version(), "version must not be empty",
          !VersionOf(owner.api_version()).empty());
  require("kind", owner.kind(), "must not be empty", !owner.kind().empty());
  require("name", owner.name(), "must not be empty", !owner.name().empty());
  require("uid", owner.uid(), "must not be empty", !owner.uid().empty());
  if (owner.api_version() == "v1" && owner.kind() == "Event") {
    errors.Add(field::Invalid(path, field::RenderStruct(owner.node()),
                              "/v1, Kind=Event is disallowed from being an owner"));
  }
  return errors;
}

ErrorList ValidateOwnerReferences(ObjectMetaView metadata, const Path& path) {
  ErrorList errors;
  std::string list, first_controller;
  for (OwnerReferenceView owner : metadata.owner_references()) {
    errors.Append(ValidateOwnerReference(owner, path));
    if (!owner.controller()) continue;
    const std::string controller = std::string(owner.kind()) + "/" + std::string(owner.name());
    if (first_controller.empty()) {
      first_controller = controller;
      continue;
    }
    if (errors.full()) {  // each error shows the whole list
      errors.Omit();
      continue;
    }
    if (list.empty()) list = field::RenderField(metadata.node(), "ownerReferences");
    errors.Add(field::Invalid(
        path, list,
        "Only one reference can have Controller set to true. Found \"true\" in references for " +
            first_controller + " and " + controller));
  }
  return errors;
}

ErrorList ValidateFinalizers(ObjectMetaView metadata, const Path& path) {
  ErrorList errors;
  bool orphan = false, foreground = false;
  for (const Value& finalizer : metadata.finalizers()) {
    errors.AddInvalid(path, finalizer.string(), IsQualifiedName(finalizer.string()));
    orphan |= finalizer.string() == kFinalizerOrphanDependents;
    foreground |= finalizer.string() == kFinalizerDeleteDependents;
  }
  if (orphan && foreground) {
    errors.Add(field::Invalid(path, field::RenderField(metadata.node(), "finalizers"),
                              "finalizer orphan and foregroundDeletion cannot be both set"));
  }
  return errors;
}

ErrorList ValidateManagedFields(ObjectMetaView metadata, const Path& path) {
  constexpr size_t kMaxSubresourceNameLength = 256;
  ErrorList errors;
  size_t i = 0;
  for (const auto entry : metadata.managed_fields()) {
    const Path at = path.Index(i++);
    if (entry.operation() != "Apply" && entry.operation() != "Update") {
      errors.Add(field::Invalid(at.Child("operation"), RenderValue(entry.operation()),
                                "must be `Apply` or `Update`"));
    }
    if (!entry.fields_type().empty() && entry.fields_type() != "FieldsV1") {
      errors.Add(
          field::Invalid(at.Child("fieldsType"), RenderValue(entry.fields_type()), "must be `FieldsV1`"));
    }
    errors.Append(ValidateFieldManager(entry.manager(), at.Child("manager")));
    if (entry.subresource().size() > kMaxSubresourceNameLength) {
      errors.Add(field::TooLong(at.Child("subresource"), kMaxSubresourceNameLength));
    }
  }
  return errors;
}

ErrorList ValidateNames(ObjectMetaView metadata, const NameCheck& name_check, const Path& path) {
  ErrorList errors;
  if (!metadata.generate_name().empty()) {
    errors.AddInvalid(path.Child("generateName"), metadata.generate_name(),
                      name_check(metadata.generate_name(), true));
  }
  if (metadata.name().empty()) {
    errors.Add(field::Required(path.Child("name"), "name or generateName is required"));
  } else {
    errors.AddInvalid(path.Child("name"), metadata.name(), name_check(metadata.name(), false));
  }
  return errors;
}

// What must hold of metadata at any time, names apart.
ErrorList ValidateCommon(ObjectMetaView metadata, bool namespaced, const Path& path) {
  ErrorList errors;
  if (!namespaced) {
    if (!metadata.namespace_().empty()) {
      errors.Add(field::Forbidden(path.Child("namespace"), "not allowed on this type"));
    }
  } else if (metadata.namespace_().empty()) {
    errors.Add(field::Required(path.Child("namespace"), ""));
  } else {
    errors.AddInvalid(path.Child("namespace"), metadata.namespace_(),
                      NameIsDnsLabel(metadata.namespace_(), false));
  }
  if (metadata.generation() < 0) {
    errors.Add(
        field::Invalid(path.Child("generation"), RenderValue(metadata.generation()), kMustBeNonNegative));
  }
  errors.Append(ValidateLabels(metadata.labels(), path.Child("labels")));
  errors.Append(ValidateAnnotations(metadata.annotations(), path.Child("annotations")));
  errors.Append(ValidateOwnerReferences(metadata, path.Child("ownerReferences")));
  errors.Append(ValidateFinalizers(metadata, path.Child("finalizers")));
  errors.Append(ValidateManagedFields(metadata, path.Child("managedFields")));
  return errors;
}

// An object on its way out takes no new finalizers.
ErrorList ValidateNoNewFinalizers(ObjectMetaView now, ObjectMetaView was, const Path& path) {
  std::set<std::string_view> extra;
  for (const Value& v : now.finalizers()) extra.insert(v.string());
  for (const Value& v : was.finalizers()) extra.erase(v.string());
  if (extra.empty()) return {};
  std::string list;
  for (std::string_view name : extra) {
    if (!list.empty()) list += ", ";
    AppendQuoted(name, list);
  }
  ErrorList errors;
  errors.Add(field::Forbidden(path,
                              "no new finalizers can be added if the object is being deleted, found new "
                              "finalizers []string{" +
                                  list + "}"));
  return errors;
}

// Fields that an update must leave as they are.
ErrorList ValidateUnchanged(ObjectMetaView now, ObjectMetaView was, const Path& path) {
  ErrorList errors;
  const auto keep = [&](bool same, std::string_view name) {
    if (!same)
      errors.Add(field::Invalid(path.Child(name), field::RenderField(now.node(), name), kFieldImmutable));
  };
  keep(now.name() == was.name(), "name");
  keep(now.namespace_() == was.namespace_(), "namespace");
  keep(now.uid() == was.uid(), "uid");
  keep(now.has_creation_timestamp() == was.has_creation_timestamp() &&
           now.creation_timestamp() == was.creation_timestamp(),
       "creationTimestamp");
  keep(now.has_deletion_timestamp() == was.has_deletion_timestamp() &&
           now.deletion_timestamp() == was.deletion_timestamp(),
       "deletionTimestamp");
  keep(now.has_deletion_grace_period_seconds() == was.has_deletion_grace_period_seconds() &&
           now.deletion_grace_period_seconds() == was.deletion_grace_period_seconds(),
       "deletionGracePeriodSeconds");
  return errors;
}

}  // namespace

ErrorList ValidateObjectMeta(ObjectMetaView metadata, bool namespaced, const NameCheck& name_check,
                             const Path& path) {
  ErrorList errors = ValidateNames(metadata, name_check, path);
  errors.Append(ValidateCommon(metadata, namespaced, path));
  return errors;
}

ErrorList ValidateObjectMetaUpdate(ObjectMetaView now, ObjectMetaView was, bool namespaced,
                                   const Path& path) {
  ErrorList errors = ValidateNames(now, NameIsPathSegment, path);
  errors.Append(ValidateCommon(now, namespaced, path));
  if (was.has_deletion_timestamp())
    errors.Append(ValidateNoNewFinalizers(now, was, path.Child("finalizers")));
  if (now.resource_version().empty()) {
    errors.Add(
        field::Invalid(path.Child("resourceVersion"), RenderValue(""), "must be specified for an update"));
  }
  if (now.generation() < was.generation()) {
    errors.Add(
        field::Invalid(path.Child("generation"), RenderValue(now.generation()), "must not be decremented"));
  }
  errors.Append(ValidateUnchanged(now, was, path));
  return errors;
}

ErrorList ValidateStandardFinalizer(std::string_view finalizer, const Path& path) {
  ErrorList errors;
  const bool standard = finalizer == kFinalizerKubernetes || finalizer == kFinalizerOrphanDependents ||
                        finalizer == kFinalizerDeleteDependents;
  if (!standard && finalizer.find('/') == finalizer.npos) {
    errors.Add(field::Invalid(path, RenderValue(finalizer),
                              "name is neither a standard finalizer name nor is it fully qualified"));
  }
  return errors;
}

ErrorList ValidateStandardFinalizers(ObjectMetaView metadata, const Path& path) {
  ErrorList errors;
  size_t i = 0;
  for (const Value& finalizer : metadata.finalizers()) {
    errors.Append(ValidateStandardFinalizer(finalizer.string(), path.Index(i++)));
  }
  return errors;
}

ErrorList ValidateFinalizerName(std::string_view finalizer, const Path& path) {
  ErrorList errors;
  errors.AddInvalid(path, finalizer, IsQualifiedName(finalizer));
  errors.Append(ValidateStandardFinalizer(finalizer, path));
  return errors;
}

ErrorList ValidateFieldManager(std::string_view manager, const Path& path) {
  constexpr size_t kMaxLength = 128;
  ErrorList errors;
  if (manager.size() > kMaxLength) errors.Add(field::TooLong(path, kMaxLength));
  for (size_t at = 0; at < manager.size();) {
    const Rune rune = FirstRune(manager.substr(at));
    // Bytes that are no UTF-8 read as the replacement character, which can be printed.
    if (rune.valid && !IsPrintable(rune.value)) {
      errors.Add(field::Invalid(
          path, RenderValue(manager),
          "invalid character " + CodePointName(rune.value) + " (at position " + std::to_string(at) + ")"));
    }
    at += rune.size;
  }
  return errors;
}

}  // namespace keelson::api
