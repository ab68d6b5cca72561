#include "auth/authz/node/references.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "api/pods/pod_spec.h"
#include "api/pods/references.h"

namespace keelson::auth::node {
namespace {

using namespace api::core_v1;

// Nothing: kubelets may not read such objects by their pods.
std::optional<Kind> KindOf(api::pods::Referent referent) {
  using api::pods::Referent;
  switch (referent) {
    case Referent::kServiceAccount: return Kind::kServiceAccount;
    case Referent::kSecret: return Kind::kSecret;
    case Referent::kConfigMap: return Kind::kConfigMap;
    case Referent::kPersistentVolumeClaim: return Kind::kClaim;
    case Referent::kResourceClaim: return Kind::kResourceClaim;
    case Referent::kClusterTrustBundle:
    case Referent::kPodCertificate:
    case Referent::kCsiDriver:
    case Referent::kEndpoints: return std::nullopt;
  }
  std::unreachable();
}

}  // namespace

std::vector<ObjectName> ReferencesOf(PodView pod) {
  std::vector<ObjectName> names;
  const std::string ns(pod.metadata().namespace_());
  names.push_back({Kind::kPod, ns, std::string(pod.metadata().name())});
  if (api::pods::IsMirror(pod)) return names;

  api::pods::EachReference(pod, [&](const api::pods::Reference& reference) {
    const std::optional<Kind> kind = KindOf(reference.referent);
    if (kind && !reference.name.empty()) names.push_back({*kind, ns, std::string(reference.name)});
    return true;
  });
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  return names;
}

std::vector<ObjectName> SecretsOf(PersistentVolumeView volume) {
  std::vector<ObjectName> secrets;
  const std::string_view claim_ns = volume.spec().claim_ref().namespace_();
  const auto add = [&](std::string_view ns, std::string_view name) {
    if (!name.empty())
      secrets.push_back({Kind::kSecret, std::string(ns.empty() ? claim_ns : ns), std::string(name)});
  };
  const auto add_ref = [&](auto ref) {
    if (ref) add(ref.namespace_(), ref.name());
  };
  const PersistentVolumeSourceView source = volume.spec().persistent_volume_source();
  if (source.azure_file()) add(source.azure_file().secret_namespace(), source.azure_file().secret_name());
  if (source.cephfs()) add_ref(source.cephfs().secret_ref());
  if (source.cinder()) add_ref(source.cinder().secret_ref());
  if (source.flex_volume()) add_ref(source.flex_volume().secret_ref());
  if (source.rbd()) add_ref(source.rbd().secret_ref());
  if (source.scale_io()) add_ref(source.scale_io().secret_ref());
  if (source.iscsi()) add_ref(source.iscsi().secret_ref());
  if (source.storageos()) add_ref(source.storageos().secret_ref());
  if (source.csi()) {
    add_ref(source.csi().node_publish_secret_ref());
    add_ref(source.csi().node_stage_secret_ref());
    add_ref(source.csi().node_expand_secret_ref());
  }
  std::ranges::sort(secrets);
  secrets.erase(std::ranges::unique(secrets).begin(), secrets.end());
  return secrets;
}

}  // namespace keelson::auth::node
