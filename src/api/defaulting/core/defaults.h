// The defaults of core/v1 that are more than a constant, one file per kind beside this
// one. Called by SetDefaults alone; each is idempotent.
#pragma once

#include "api/defaulting/entry.h"

namespace keelson::api::core {

std::span<const DefaultsEntry> Defaults();

void SetEndpointsDefaults(Doc& doc);
void SetLimitRangeDefaults(Doc& doc);
void SetNamespaceDefaults(Doc& doc);
void SetNodeDefaults(Doc& doc);
void SetPersistentVolumeClaimDefaults(Doc& doc);
void SetPersistentVolumeDefaults(Doc& doc);
void SetPodDefaults(Doc& doc);
void SetPodTemplateDefaults(Doc& doc);
void SetReplicationControllerDefaults(Doc& doc);
void SetResourceQuotaDefaults(Doc& doc);
void SetSecretDefaults(Doc& doc);
void SetServiceDefaults(Doc& doc);

}  // namespace keelson::api::core
