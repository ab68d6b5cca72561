#include "api/defaulting/defaulting.h"

#include "api/defaulting/core/defaults.h"
#include "api/defaulting/schema_defaults.h"
#include "api/generated/core_v1.h"

namespace keelson::api {
namespace {

struct Entry {
  const TypeDesc* type;
  void (*set_defaults)(Doc&);
};

// Kinds that are not here have no defaults but the constants in their schema.
constexpr Entry kDefaults[] = {
    {&core_v1::kEndpointsType, core::SetEndpointsDefaults},
    {&core_v1::kLimitRangeType, core::SetLimitRangeDefaults},
    {&core_v1::kNamespaceType, core::SetNamespaceDefaults},
    {&core_v1::kNodeType, core::SetNodeDefaults},
    {&core_v1::kPersistentVolumeClaimType, core::SetPersistentVolumeClaimDefaults},
    {&core_v1::kPersistentVolumeType, core::SetPersistentVolumeDefaults},
    {&core_v1::kPodTemplateType, core::SetPodTemplateDefaults},
    {&core_v1::kPodType, core::SetPodDefaults},
    {&core_v1::kReplicationControllerType, core::SetReplicationControllerDefaults},
    {&core_v1::kResourceQuotaType, core::SetResourceQuotaDefaults},
    {&core_v1::kSecretType, core::SetSecretDefaults},
    {&core_v1::kServiceType, core::SetServiceDefaults},
};

}  // namespace

void SetDefaults(Doc& doc) {
  FillSchemaDefaults(doc.root(), doc.arena());
  for (const Entry& entry : kDefaults) {
    if (entry.type == &doc.type()) return entry.set_defaults(doc);
  }
}

}  // namespace keelson::api
