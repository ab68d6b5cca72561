// The strategies of core/v1, one file each beside this one. Status strategies serve the
// status subresource of their kind: they change status and leave the rest alone.
#pragma once

#include <chrono>
#include <memory>

#include "registry/strategy.h"

namespace keelson::registry::core {

const Strategy& Namespaces();
const Strategy& NamespaceStatus();
const Strategy& NamespaceFinalize();
const Strategy& ConfigMaps();
const Strategy& Secrets();
const Strategy& ServiceAccounts();
const Strategy& Services();
const Strategy& ServiceStatus();
const Strategy& Endpoints();
// `ttl` as --event-ttl.
std::unique_ptr<Strategy> Events(std::chrono::seconds ttl);
const Strategy& Nodes();
const Strategy& NodeStatus();
const Strategy& Pods();
const Strategy& PodStatus();
const Strategy& LimitRanges();
const Strategy& ResourceQuotas();
const Strategy& ResourceQuotaStatus();
const Strategy& PersistentVolumes();
const Strategy& PersistentVolumeStatus();
const Strategy& PersistentVolumeClaims();
const Strategy& PersistentVolumeClaimStatus();
const Strategy& PodTemplates();
const Strategy& ReplicationControllers();
const Strategy& ReplicationControllerStatus();

}  // namespace keelson::registry::core
