// Rules of object metadata that hold for every kind.
#pragma once

#include <functional>
#include <string_view>

#include "api/generated/meta_v1.h"
#include "api/types/view.h"
#include "api/validation/field.h"
#include "api/validation/names.h"

namespace keelson::api {

// What is wrong with a name of the kind; see NameIsDnsSubdomain and its siblings.
using NameCheck = std::function<Messages(std::string_view name, bool prefix)>;

// On creation, when a name has been generated already. `namespaced`: whether the kind
// lives in namespaces.
field::ErrorList ValidateObjectMeta(meta_v1::ObjectMetaView metadata, bool namespaced,
                                    const NameCheck& name_check, const field::Path& path);

// On update: all that must hold of `now`, and what must not have changed since `was`.
// Each mistake is reported once; upstream repeats those that several of its passes see.
field::ErrorList ValidateObjectMetaUpdate(meta_v1::ObjectMetaView now, meta_v1::ObjectMetaView was,
                                          bool namespaced, const field::Path& path);

// A finalizer without a domain must be one that the system knows. Not asked of every kind.
field::ErrorList ValidateStandardFinalizers(meta_v1::ObjectMetaView metadata, const field::Path& path);
field::ErrorList ValidateStandardFinalizer(std::string_view finalizer, const field::Path& path);
// Any name of a finalizer, in metadata or in a namespace's spec.
field::ErrorList ValidateFinalizerName(std::string_view finalizer, const field::Path& path);

constexpr std::string_view kFinalizerOrphanDependents = "orphan";
constexpr std::string_view kFinalizerDeleteDependents = "foregroundDeletion";
constexpr std::string_view kFinalizerKubernetes = "kubernetes";

// A field manager's name: its length, and no characters that cannot be printed.
field::ErrorList ValidateFieldManager(std::string_view manager, const field::Path& path);

}  // namespace keelson::api
