// The managers of a Scale: those of the object it stands for that own the number of
// replicas, in the words of a Scale.
#pragma once

#include <string_view>

#include "api/managed_fields/field_set.h"
#include "api/types/doc.h"

namespace keelson::api::managed_fields {

// Sets the managers of `scale`, which stands for `object`. `replicas`: where the object has the number of
// replicas; null: spec.replicas.
void ManagersToScale(const Doc& object, Doc& scale, const FieldSet* replicas = nullptr);

// Sets the managers of `object`, of `api_version`, after `scale` was written: who owns the
// replicas there owns them here, and who lost them there loses them.
void ManagersToObject(const Doc& scale, std::string_view api_version, Doc& object,
                      const FieldSet* replicas = nullptr);

}  // namespace keelson::api::managed_fields
