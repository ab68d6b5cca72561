// Claims for storage.
#pragma once

#include "api/generated/core_v1.h"
#include "api/validation/core/checks.h"

namespace keelson::api::core {

field::ErrorList ValidatePersistentVolumeClaim(core_v1::PersistentVolumeClaimView claim);
field::ErrorList ValidatePersistentVolumeClaimUpdate(core_v1::PersistentVolumeClaimView now,
                                                     core_v1::PersistentVolumeClaimView was);
field::ErrorList ValidatePersistentVolumeClaimStatusUpdate(core_v1::PersistentVolumeClaimView now);

// A claim that will be made from a template inside another object.
void CheckVolumeClaimTemplate(core_v1::PersistentVolumeClaimTemplateView claim, const Path& path,
                              ErrorList& errors);

// The spec of such a claim alone.
void CheckVolumeClaimSpec(core_v1::PersistentVolumeClaimSpecView spec, const Path& path, ErrorList& errors);

// Access modes of claims and volumes: known ones, and the exclusive one alone.
void CheckAccessModes(ScalarList modes, const Path& path, ErrorList& errors);

}  // namespace keelson::api::core
