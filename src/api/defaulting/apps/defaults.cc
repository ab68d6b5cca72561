#include "api/defaulting/apps/defaults.h"

#include "api/defaulting/apps/workloads.h"
#include "api/generated/apps_v1.h"

namespace keelson::api::apps {

std::span<const DefaultsEntry> Defaults() {
  static constexpr DefaultsEntry entries[] = {
      {&apps_v1::kDaemonSetType, SetDaemonSetDefaults},
      {&apps_v1::kDeploymentType, SetDeploymentDefaults},
      {&apps_v1::kReplicaSetType, SetReplicaSetDefaults},
      {&apps_v1::kStatefulSetType, SetStatefulSetDefaults},
  };
  return entries;
}

}  // namespace keelson::api::apps
