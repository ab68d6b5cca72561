#include "api/pods/references.h"

#include <string>

#include "api/pods/pod_spec.h"

namespace keelson::api::pods {
namespace {

using namespace core_v1;

class Walk {
 public:
  Walk(PodView pod, const VisitReference& visit) : pod_(pod), spec_(pod.spec()), visit_(visit) {}

  bool Run() {
    SeePodItself();
    EachContainer(spec_, [&](auto container) { SeeContainer(container); });
    for (const VolumeView volume : spec_.volumes()) SeeVolume(volume);
    for (const PodResourceClaimView claim : spec_.resource_claims())
      See(Referent::kResourceClaim, Place::kSpec, ClaimName(claim));
    if (const auto extended = pod_.status().extended_resource_claim_status())
      See(Referent::kResourceClaim, Place::kStatus, extended.resource_claim_name());
    return !ended_;
  }

 private:
  void See(Referent referent, Place place, std::string_view name) {
    ended_ = ended_ || !visit_({referent, place, name});
  }

  // `reference`: a view that holds a name, directly or in a LocalObjectReference.
  void SeeNamed(Referent referent, Place place, auto reference) {
    if (!reference) return;
    if constexpr (requires { reference.local_object_reference(); })
      See(referent, place, reference.local_object_reference().name());
    else
      See(referent, place, reference.name());
  }

  void SeePodItself() {
    if (!spec_.service_account_name().empty())
      See(Referent::kServiceAccount, Place::kSpec, spec_.service_account_name());
    for (const LocalObjectReferenceView secret : spec_.image_pull_secrets())
      SeeNamed(Referent::kSecret, Place::kSpec, secret);
  }

  void SeeContainer(auto container) {
    for (const EnvFromSourceView source : container.env_from()) {
      SeeNamed(Referent::kSecret, Place::kContainer, source.secret_ref());
      SeeNamed(Referent::kConfigMap, Place::kContainer, source.config_map_ref());
    }
    for (const EnvVarView variable : container.env()) {
      SeeNamed(Referent::kSecret, Place::kContainer, variable.value_from().secret_key_ref());
      SeeNamed(Referent::kConfigMap, Place::kContainer, variable.value_from().config_map_key_ref());
    }
  }

  void SeeVolume(VolumeView volume) {
    const VolumeSourceView source = volume.volume_source();
    SeeSecrets(source);
    SeeNamed(Referent::kConfigMap, Place::kVolume, source.config_map());
    if (const auto claim = source.persistent_volume_claim())
      See(Referent::kPersistentVolumeClaim, Place::kVolume, claim.claim_name());
    if (source.ephemeral())
      See(Referent::kPersistentVolumeClaim, Place::kVolume,
          std::string(pod_.metadata().name()) + "-" + std::string(volume.name()));
    if (source.csi()) See(Referent::kCsiDriver, Place::kVolume, source.csi().driver());
    if (source.glusterfs()) See(Referent::kEndpoints, Place::kVolume, source.glusterfs().endpoints());
    for (const VolumeProjectionView projection : source.projected().sources()) SeeProjection(projection);
  }

  void SeeSecrets(VolumeSourceView source) {
    if (source.secret()) See(Referent::kSecret, Place::kVolume, source.secret().secret_name());
    if (source.azure_file()) See(Referent::kSecret, Place::kVolume, source.azure_file().secret_name());
    for (const LocalObjectReferenceView secret :
         {source.cephfs().secret_ref(), source.cinder().secret_ref(), source.flex_volume().secret_ref(),
          source.rbd().secret_ref(), source.scale_io().secret_ref(), source.iscsi().secret_ref(),
          source.storageos().secret_ref(), source.csi().node_publish_secret_ref()})
      SeeNamed(Referent::kSecret, Place::kVolume, secret);
  }

  void SeeProjection(VolumeProjectionView source) {
    SeeNamed(Referent::kSecret, Place::kProjection, source.secret());
    SeeNamed(Referent::kConfigMap, Place::kProjection, source.config_map());
    SeeNamed(Referent::kClusterTrustBundle, Place::kProjection, source.cluster_trust_bundle());
    if (source.service_account_token())
      See(Referent::kServiceAccount, Place::kProjection, spec_.service_account_name());
    if (const auto certificate = source.pod_certificate())
      See(Referent::kPodCertificate, Place::kProjection, certificate.signer_name());
  }

  // A claim that is made from a template has its name in the status, once it is made.
  std::string_view ClaimName(PodResourceClaimView claim) const {
    if (!claim.resource_claim_name().empty()) return claim.resource_claim_name();
    for (const PodResourceClaimStatusView status : pod_.status().resource_claim_statuses())
      if (status.name() == claim.name()) return status.resource_claim_name();
    return {};
  }

  const PodView pod_;
  const PodSpecView spec_;
  const VisitReference& visit_;
  bool ended_ = false;
};

}  // namespace

bool EachReference(PodView pod, const VisitReference& visit) { return Walk(pod, visit).Run(); }

bool NamesAny(PodView pod, Referent referent) {
  return !EachReference(pod,
                        [referent](const Reference& r) { return r.referent != referent || r.name.empty(); });
}

}  // namespace keelson::api::pods
