// The rules that make up the levels of pod security, each for itself.
#pragma once

#include <optional>
#include <string>

#include "api/generated/core_v1.h"

namespace keelson::admission::pod_security {

// A pod, or what a workload's template would make of one.
struct Subject {
  api::meta_v1::ObjectMetaView metadata;
  api::core_v1::PodSpecView spec;
};

struct Violation {
  std::string reason, detail;
};
// Nullopt: nothing against it.
using Finding = std::optional<Violation>;
using Check = Finding (*)(const Subject& subject);

// --- baseline
Finding AppArmorProfile(const Subject& subject);
Finding CapabilitiesBaseline(const Subject& subject);
Finding HostNamespaces(const Subject& subject);
Finding HostPathVolumes(const Subject& subject);
Finding HostPorts(const Subject& subject);
Finding HostProbesAndHostLifecycle(const Subject& subject);
Finding Privileged(const Subject& subject);
Finding ProcMount(const Subject& subject);
Finding SeLinuxOptions(const Subject& subject);
Finding SeLinuxOptionsSince31(const Subject& subject);
Finding SeccompAnnotations(const Subject& subject);  // before there was a field
Finding SeccompProfileBaseline(const Subject& subject);
Finding Sysctls(const Subject& subject);
Finding SysctlsSince27(const Subject& subject);
Finding SysctlsSince29(const Subject& subject);
Finding SysctlsSince32(const Subject& subject);
Finding WindowsHostProcess(const Subject& subject);

// --- restricted
Finding AllowPrivilegeEscalation(const Subject& subject);
Finding CapabilitiesRestricted(const Subject& subject);
Finding RestrictedVolumes(const Subject& subject);
Finding RunAsNonRoot(const Subject& subject);
Finding RunAsUser(const Subject& subject);
Finding SeccompProfileRestricted(const Subject& subject);

}  // namespace keelson::admission::pod_security
