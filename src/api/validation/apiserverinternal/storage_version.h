// Rules of storage versions.
#pragma once

#include "api/generated/apiserverinternal_v1alpha1.h"
#include "api/validation/field.h"
#include "api/validation/names.h"

namespace keelson::api::apiserverinternal {

// "<group>.<resource>".
Messages NameOfStorageVersion(std::string_view name, bool prefix);
field::ErrorList ValidateStorageVersion(apiserverinternal_v1alpha1::StorageVersionView version);

}  // namespace keelson::api::apiserverinternal
