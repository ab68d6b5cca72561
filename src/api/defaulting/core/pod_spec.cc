#include "api/defaulting/core/image_reference.h"
#include "api/defaulting/core/pod_defaults.h"
#include "api/defaulting/core/resource_list.h"

namespace keelson::api::core {
namespace {

using namespace core_v1;

constexpr int32_t kVolumeFileMode = 0644;
constexpr int64_t kTokenExpirationSeconds = 3600;
constexpr int64_t kTerminationGracePeriodSeconds = 30;

std::string_view PullPolicyFor(std::string_view image) {
  return IsLatestImage(image) ? PullPolicy::kAlways : PullPolicy::kIfNotPresent;
}

void SetFieldRefDefaults(ObjectFieldSelectorEditor ref) {
  if (ref && ref.api_version().empty()) ref.set_api_version_static("v1");
}

void SetDownwardItemsDefaults(EditList<DownwardAPIVolumeFileEditor> items) {
  for (auto item : items) SetFieldRefDefaults(item.edit_field_ref());
}

template <class Source>
void SetDefaultMode(Source source) {
  if (!source.has_default_mode()) source.set_default_mode(kVolumeFileMode);
}

void SetProjectedDefaults(ProjectedVolumeSourceEditor projected) {
  SetDefaultMode(projected);
  for (auto source : projected.edit_sources()) {
    if (auto downward = source.edit_downward_api()) SetDownwardItemsDefaults(downward.edit_items());
    if (auto token = source.edit_service_account_token(); token && !token.has_expiration_seconds()) {
      token.set_expiration_seconds(kTokenExpirationSeconds);
    }
  }
}

bool HasSource(VolumeSourceView source) {
  if (!source) return false;
  for (const Value& v : source.node()->slots())
    if (!v.absent()) return true;
  return false;
}

void SetVolumeDefaults(VolumeEditor volume) {
  auto source = volume.mutable_volume_source();
  if (!HasSource(source)) source.mutable_empty_dir();
  if (auto image = source.edit_image(); image && image.pull_policy().empty()) {
    image.set_pull_policy_static(PullPolicyFor(image.reference()));
  }
  if (auto host_path = source.edit_host_path()) SetHostPathDefaults(host_path);
  if (auto secret = source.edit_secret()) SetDefaultMode(secret);
  if (auto config_map = source.edit_config_map()) SetDefaultMode(config_map);
  if (auto downward = source.edit_downward_api()) {
    SetDefaultMode(downward);
    SetDownwardItemsDefaults(downward.edit_items());
  }
  if (auto projected = source.edit_projected()) SetProjectedDefaults(projected);
  if (auto ephemeral = source.edit_ephemeral()) {
    if (auto claim = ephemeral.edit_volume_claim_template()) SetVolumeClaimSpecDefaults(claim.mutable_spec());
  }
}

void SetHttpGetDefaults(HTTPGetActionEditor http_get) {
  if (!http_get) return;
  if (http_get.path().empty()) http_get.set_path_static("/");
  if (http_get.scheme().empty()) http_get.set_scheme_static(URIScheme::kHTTP);
}

void SetProbeDefaults(ProbeEditor probe) {
  if (!probe) return;
  if (probe.timeout_seconds() == 0) probe.set_timeout_seconds(1);
  if (probe.period_seconds() == 0) probe.set_period_seconds(10);
  if (probe.success_threshold() == 0) probe.set_success_threshold(1);
  if (probe.failure_threshold() == 0) probe.set_failure_threshold(3);
  auto handler = probe.edit_probe_handler();
  if (handler) SetHttpGetDefaults(handler.edit_http_get());
}

void SetLifecycleDefaults(LifecycleEditor lifecycle) {
  if (!lifecycle) return;
  if (auto handler = lifecycle.edit_post_start()) SetHttpGetDefaults(handler.edit_http_get());
  if (auto handler = lifecycle.edit_pre_stop()) SetHttpGetDefaults(handler.edit_http_get());
}

// Container and EphemeralContainerCommon have the same fields.
template <class Container>
void SetContainerDefaults(Container container) {
  if (container.image_pull_policy().empty()) {
    container.set_image_pull_policy_static(PullPolicyFor(container.image()));
  }
  if (container.termination_message_path().empty()) {
    container.set_termination_message_path_static("/dev/termination-log");
  }
  if (container.termination_message_policy().empty()) {
    container.set_termination_message_policy_static(TerminationMessagePolicy::kFile);
  }
  for (auto port : container.edit_ports()) {
    if (port.protocol().empty()) port.set_protocol_static(Protocol::kTCP);
  }
  for (auto env : container.edit_env()) {
    if (auto from = env.edit_value_from()) SetFieldRefDefaults(from.edit_field_ref());
  }
  RoundUpResourceLists(container.edit_resources().node(), container.arena());
  SetProbeDefaults(container.edit_liveness_probe());
  SetProbeDefaults(container.edit_readiness_probe());
  SetProbeDefaults(container.edit_startup_probe());
  SetLifecycleDefaults(container.edit_lifecycle());
}

}  // namespace

void SetHostPathDefaults(HostPathVolumeSourceEditor host_path) {
  if (!host_path.has_type()) host_path.set_type_static("");
}

void SetVolumeClaimSpecDefaults(PersistentVolumeClaimSpecEditor spec) {
  if (!spec.has_volume_mode()) spec.set_volume_mode_static(PersistentVolumeMode::kFilesystem);
  RoundUpResourceLists(spec.edit_resources().node(), spec.arena());
}

void SetPodSpecDefaults(PodSpecEditor spec) {
  if (spec.dns_policy().empty()) spec.set_dns_policy_static(DNSPolicy::kClusterFirst);
  if (spec.restart_policy().empty()) spec.set_restart_policy_static(RestartPolicy::kAlways);
  spec.mutable_security_context();
  if (!spec.has_termination_grace_period_seconds()) {
    spec.set_termination_grace_period_seconds(kTerminationGracePeriodSeconds);
  }
  if (spec.scheduler_name().empty()) spec.set_scheduler_name_static("default-scheduler");
  // The older of two names for one thing: whichever is given stands for both.
  if (spec.service_account_name().empty()) {
    spec.set_service_account_name_static(spec.service_account());
  }
  spec.set_service_account_static(spec.service_account_name());

  for (auto volume : spec.edit_volumes()) SetVolumeDefaults(volume);
  for (auto container : spec.edit_init_containers()) SetContainerDefaults(container);
  for (auto container : spec.edit_containers()) SetContainerDefaults(container);
  for (auto container : spec.edit_ephemeral_containers()) {
    SetContainerDefaults(container.mutable_ephemeral_container_common());
  }
  RoundUpResourceLists(spec.node(), spec.arena());  // overhead
  RoundUpResourceLists(spec.edit_resources().node(), spec.arena());
}

}  // namespace keelson::api::core
