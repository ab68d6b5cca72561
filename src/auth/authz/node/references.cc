#include "auth/authz/node/references.h"

#include <algorithm>

namespace keelson::auth::node {
namespace {

using namespace api::core_v1;

constexpr std::string_view kMirrorAnnotation = "kubernetes.io/config.mirror";

// Collects names in the pod's namespace; an empty name is none.
class Collector {
 public:
  Collector(std::string_view ns, std::vector<ObjectName>& out) : ns_(ns), out_(out) {}

  void Add(Kind kind, std::string_view name) {
    if (!name.empty()) out_.push_back({kind, std::string(ns_), std::string(name)});
  }

  template <class Container>
  void AddContainer(Container container) {
    for (const EnvFromSourceView source : container.env_from()) {
      if (source.secret_ref()) Add(Kind::kSecret, source.secret_ref().local_object_reference().name());
      if (source.config_map_ref())
        Add(Kind::kConfigMap, source.config_map_ref().local_object_reference().name());
    }
    for (const EnvVarView variable : container.env()) {
      const EnvVarSourceView from = variable.value_from();
      if (!from) continue;
      if (from.secret_key_ref()) Add(Kind::kSecret, from.secret_key_ref().local_object_reference().name());
      if (from.config_map_key_ref())
        Add(Kind::kConfigMap, from.config_map_key_ref().local_object_reference().name());
    }
  }

  void AddVolume(VolumeSourceView volume) {
    if (volume.azure_file()) Add(Kind::kSecret, volume.azure_file().secret_name());
    if (volume.cephfs()) Add(Kind::kSecret, volume.cephfs().secret_ref().name());
    if (volume.cinder()) Add(Kind::kSecret, volume.cinder().secret_ref().name());
    if (volume.flex_volume()) Add(Kind::kSecret, volume.flex_volume().secret_ref().name());
    if (volume.rbd()) Add(Kind::kSecret, volume.rbd().secret_ref().name());
    if (volume.secret()) Add(Kind::kSecret, volume.secret().secret_name());
    if (volume.scale_io()) Add(Kind::kSecret, volume.scale_io().secret_ref().name());
    if (volume.iscsi()) Add(Kind::kSecret, volume.iscsi().secret_ref().name());
    if (volume.storageos()) Add(Kind::kSecret, volume.storageos().secret_ref().name());
    if (volume.csi()) Add(Kind::kSecret, volume.csi().node_publish_secret_ref().name());
    if (volume.config_map()) Add(Kind::kConfigMap, volume.config_map().local_object_reference().name());
    if (!volume.projected()) return;
    for (const VolumeProjectionView source : volume.projected().sources()) {
      if (source.secret()) Add(Kind::kSecret, source.secret().local_object_reference().name());
      if (source.config_map()) Add(Kind::kConfigMap, source.config_map().local_object_reference().name());
    }
  }

 private:
  const std::string_view ns_;
  std::vector<ObjectName>& out_;
};

// A claim of its own is named in the pod's status, or is not needed; nothing: not made yet.
std::string_view ClaimName(PodView pod, PodResourceClaimView claim) {
  if (!claim.resource_claim_name().empty()) return claim.resource_claim_name();
  for (const PodResourceClaimStatusView status : pod.status().resource_claim_statuses())
    if (status.name() == claim.name()) return status.resource_claim_name();
  return {};
}

}  // namespace

std::vector<ObjectName> ReferencesOf(PodView pod) {
  std::vector<ObjectName> names;
  const auto metadata = pod.metadata();
  const std::string_view ns = metadata.namespace_();
  names.push_back({Kind::kPod, std::string(ns), std::string(metadata.name())});
  if (metadata.annotations().Find(kMirrorAnnotation)) return names;

  Collector collector(ns, names);
  const PodSpecView spec = pod.spec();
  collector.Add(Kind::kServiceAccount, spec.service_account_name());
  for (const LocalObjectReferenceView secret : spec.image_pull_secrets())
    collector.Add(Kind::kSecret, secret.name());
  for (const ContainerView container : spec.init_containers()) collector.AddContainer(container);
  for (const ContainerView container : spec.containers()) collector.AddContainer(container);
  for (const EphemeralContainerView container : spec.ephemeral_containers())
    collector.AddContainer(container.ephemeral_container_common());
  for (const VolumeView volume : spec.volumes()) {
    const VolumeSourceView source = volume.volume_source();
    collector.AddVolume(source);
    if (source.persistent_volume_claim())
      collector.Add(Kind::kClaim, source.persistent_volume_claim().claim_name());
    else if (source.ephemeral())
      collector.Add(Kind::kClaim, std::string(metadata.name()) + "-" + std::string(volume.name()));
  }
  for (const PodResourceClaimView claim : spec.resource_claims())
    collector.Add(Kind::kResourceClaim, ClaimName(pod, claim));
  collector.Add(Kind::kResourceClaim, pod.status().extended_resource_claim_status().resource_claim_name());
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
