#include "api/defaulting/core/defaults.h"

#include "api/generated/core_v1.h"

namespace keelson::api::core {

std::span<const DefaultsEntry> Defaults() {
  static constexpr DefaultsEntry entries[] = {
      {&core_v1::kEndpointsType, SetEndpointsDefaults},
      {&core_v1::kLimitRangeType, SetLimitRangeDefaults},
      {&core_v1::kNamespaceType, SetNamespaceDefaults},
      {&core_v1::kNodeType, SetNodeDefaults},
      {&core_v1::kPersistentVolumeClaimType, SetPersistentVolumeClaimDefaults},
      {&core_v1::kPersistentVolumeType, SetPersistentVolumeDefaults},
      {&core_v1::kPodTemplateType, SetPodTemplateDefaults},
      {&core_v1::kPodType, SetPodDefaults},
      {&core_v1::kReplicationControllerType, SetReplicationControllerDefaults},
      {&core_v1::kResourceQuotaType, SetResourceQuotaDefaults},
      {&core_v1::kSecretType, SetSecretDefaults},
      {&core_v1::kServiceType, SetServiceDefaults},
  };
  return entries;
}

}  // namespace keelson::api::core
