// Rules of storage migrations: what is to be written anew, and how far that has come.
#pragma once

#include "api/generated/storagemigration_v1beta1.h"
#include "api/validation/field.h"

namespace keelson::api::storagemigration {

// `was` is null on creation.
field::ErrorList ValidateMigration(storagemigration_v1beta1::StorageVersionMigrationView now,
                                   storagemigration_v1beta1::StorageVersionMigrationView was);
field::ErrorList ValidateMigrationStatus(storagemigration_v1beta1::StorageVersionMigrationView now,
                                         storagemigration_v1beta1::StorageVersionMigrationView was);

}  // namespace keelson::api::storagemigration
