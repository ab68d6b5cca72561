// What pods and volumes refer to, as far as kubelets need it.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "api/generated/core_v1.h"

namespace keelson::auth::node {

enum class Kind : uint8_t {
  kPod,
  kServiceAccount,
  kSecret,
  kConfigMap,
  kClaim,          // of a volume
  kResourceClaim,  // of devices
  kVolume,
  kAttachment,
  kSlice,
  kCertificateRequest,
};
inline constexpr size_t kKinds = static_cast<size_t>(Kind::kCertificateRequest) + 1;

struct ObjectName {
  Kind kind = Kind::kPod;
  std::string ns, name;

  auto operator<=>(const ObjectName&) const = default;
};

// All that a pod needs, each once, itself first. A mirror pod needs nothing: its node makes it, and must not
// gain by that.
std::vector<ObjectName> ReferencesOf(api::core_v1::PodView pod);

// The secrets that a kubelet needs to mount the volume. Requires: it has a claimRef.
std::vector<ObjectName> SecretsOf(api::core_v1::PersistentVolumeView volume);

}  // namespace keelson::auth::node
