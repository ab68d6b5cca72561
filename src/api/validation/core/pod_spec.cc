#include "api/validation/core/pod_spec.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>

#include "api/pods/pod_spec.h"
#include "api/validation/core/container.h"
#include "api/validation/core/pod_os.h"
#include "api/validation/core/resources.h"
#include "api/validation/core/scheduling.h"
#include "api/validation/core/security_context.h"
#include "api/validation/core/volume.h"
#include "api/validation/core/windows.h"
#include "api/validation/ip.h"
#include "api/validation/labels.h"
#include "api/validation/render.h"
#include "api/validation/unversioned.h"

namespace keelson::api::core {
namespace {

using namespace core_v1;
using field::RenderValue;

constexpr size_t kMaxNameservers = 3;
constexpr size_t kMaxSearchPaths = 32;
constexpr size_t kMaxSearchChars = 2048;
constexpr size_t kMaxHostnameOverride = 64;

NameSet CheckResourceClaims(PodSpecView spec, const Path& path, ErrorList& errors) {
  NameSet names;
  size_t i = 0;
  for (auto claim : spec.resource_claims()) {
    const Path at = path.Index(i++);
    if (claim.name().empty()) {
      errors.Add(field::Required(at.Child("name"), ""));
    } else if (!names.insert(claim.name()).second) {
      errors.Add(field::Duplicate(at.Child("name"), RenderValue(claim.name())));
    } else {
      CheckDnsLabel(claim.name(), at.Child("name"), errors);
    }
    const bool by_name = claim.has_resource_claim_name(),
               by_template = claim.has_resource_claim_template_name();
    if (by_name == by_template) {
      errors.Add(field::Invalid(
          at, field::RenderUnversioned(claim.node()),
          by_name ? "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
                  : "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"));
    }
    auto reference = [&](bool present, std::string_view name, std::string_view member) {
      if (present) errors.AddInvalid(at.Child(member), name, NameIsDnsSubdomain(name, false));
    };
    reference(by_name, claim.resource_claim_name(), "resourceClaimName");
    reference(by_template, claim.resource_claim_template_name(), "resourceClaimTemplateName");
  }
  return names;
}

// On the host's network a port of the container is a port of the host.
void CheckHostNetworkPorts(PodSpecView spec, bool is_pod, const Path& path, ErrorList& errors) {
  if (!spec.host_network()) return;
  const Path containers = path.Child("containers");
  size_t i = 0;
  for (auto container : spec.containers()) {
    const Path at = containers.Index(i++);
    const Path ports = at.Child("ports");
    size_t j = 0;
    for (auto port : container.ports()) {
      const Path port_path = ports.Index(j++);
      // A template may leave it out: the pod's own defaults fill it in.
      if ((!is_pod && port.host_port() == 0) || port.host_port() == port.container_port()) continue;
      errors.Add(field::Invalid(port_path.Child("hostPort"), RenderValue(port.host_port()),
                                "must match `containerPort` when `hostNetwork` is true"));
    }
  }
}

void CheckDnsConfig(PodSpecView spec, const Path& path, ErrorList& errors) {
  const auto config = spec.dns_config();
  if (spec.dns_policy() == DNSPolicy::kNone) {
    if (!config)
      return errors.Add(field::Required(path, "must provide `dnsConfig` when `dnsPolicy` is None"));
    if (config.nameservers().empty()) {
      return errors.Add(field::Required(path.Child("nameservers"),
                                        "must provide at least one DNS nameserver when `dnsPolicy` is None"));
    }
  }
  if (!config) return;
  const Path nameservers = path.Child("nameservers"), searches = path.Child("searches"),
             options = path.Child("options");
  if (config.nameservers().size() > kMaxNameservers) {
    errors.Add(field::Invalid(nameservers, field::RenderField(config.node(), "nameservers"),
                              "must not have more than 3 nameservers"));
  }
  size_t i = 0;
  for (const Value& server : config.nameservers())
    errors.Append(ValidateIp(nameservers.Index(i++), server.string()));
  size_t chars = 0;
  for (const Value& search : config.searches()) chars += search.string().size() + 1;
  if (config.searches().size() > kMaxSearchPaths) {
    errors.Add(field::Invalid(searches, field::RenderField(config.node(), "searches"),
                              "must not have more than 32 search paths"));
  }
  if (chars > kMaxSearchChars + 1) {  // no blank after the last
    errors.Add(
        field::Invalid(searches, field::RenderField(config.node(), "searches"),
                       "must not have more than 2048 characters (including spaces) in the search list"));
  }
  i = 0;
  for (const Value& value : config.searches()) {
    const Path at = searches.Index(i++);
    std::string_view search = value.string();
    if (search == ".") continue;
    if (search.ends_with('.')) search.remove_suffix(1);
    errors.AddInvalid(at, search, IsDns1123SubdomainWithUnderscore(search));
  }
  i = 0;
  for (auto option : config.options()) {
    const Path at = options.Index(i++);
    if (option.name().empty()) errors.Add(field::Required(at, "must not be empty"));
  }
}

void CheckGates(PodSpecView spec, const Path& path, ErrorList& errors) {
  const Path readiness = path.Child("readinessGates"), scheduling = path.Child("schedulingGates");
  size_t i = 0;
  for (auto gate : spec.readiness_gates()) {
    const Path at = readiness.Index(i++);
    CheckQualifiedName(gate.condition_type(), at.Child("conditionType"), errors);
  }
  std::set<std::string_view> seen;
  i = 0;
  for (auto gate : spec.scheduling_gates()) {
    const Path at = scheduling.Index(i++);
    CheckQualifiedName(gate.name(), at, errors);
    if (!seen.insert(gate.name()).second) errors.Add(field::Duplicate(at, RenderValue(gate.name())));
  }
}

void CheckSchedulingGroup(PodSchedulingGroupView group, const Path& path, ErrorList& errors) {
  if (!group) return;
  const Path name = path.Child("podGroupName");
  if (!group.has_pod_group_name())
    return errors.Add(field::Invalid(name, "null", "must specify one of: `podGroupName`"));
  errors.AddInvalid(name, group.pod_group_name(), NameIsDnsSubdomain(group.pod_group_name(), false));
}

void CheckHostAliases(ListView<HostAliasView> aliases, const Path& path, ErrorList& errors) {
  size_t i = 0;
  for (auto alias : aliases) {
    const Path at = path.Index(i++);
    errors.Append(ValidateIp(at.Child("ip"), alias.ip()));
    const Path names = at.Child("hostnames");
    size_t j = 0;
    for (const Value& name : alias.hostnames()) CheckDnsSubdomain(name.string(), names.Index(j++), errors);
  }
}

// A pod in a user namespace of its own shares no other namespace with the host.
void CheckHostUsers(PodSpecView spec, const Path& path, ErrorList& errors) {
  if (!spec.has_host_users() || spec.host_users()) return;
  constexpr std::string_view kWhy = "when `hostUsers` is false";
  if (spec.host_network()) errors.Add(field::Forbidden(path.Child("hostNetwork"), kWhy));
  if (spec.host_pid()) errors.Add(field::Forbidden(path.Child("HostPID"), kWhy));
  if (spec.host_ipc()) errors.Add(field::Forbidden(path.Child("HostIPC"), kWhy));
  ForEachContainer(spec, path, [&](auto container, const Path& at) {
    if (!container.volume_devices().empty()) errors.Add(field::Forbidden(at.Child("volumeDevices"), kWhy));
  });
}

void CheckHostname(PodSpecView spec, const Path& path, ErrorList& errors) {
  if (!spec.hostname().empty()) CheckDnsLabel(spec.hostname(), path.Child("hostname"), errors);
  if (!spec.subdomain().empty()) CheckDnsLabel(spec.subdomain(), path.Child("subdomain"), errors);
}

void CheckHostnameOverride(PodSpecView spec, const Path& path, ErrorList& errors) {
  if (!spec.has_hostname_override()) return;
  const Path at = path.Child("hostnameOverride");
  if (spec.set_hostname_as_fqdn()) {
    errors.Add(field::Forbidden(at, "may not be specified when setHostnameAsFQDN is true"));
  }
  if (spec.host_network()) errors.Add(field::Forbidden(at, "may not be specified when hostNetwork is true"));
  if (spec.hostname_override().size() > kMaxHostnameOverride)
    errors.Add(field::TooLong(at, kMaxHostnameOverride));
  CheckDnsSubdomain(spec.hostname_override(), at, errors);
}

// Files that give environment variables must lie in volumes of the pod's own.
void CheckFileKeyVolumes(PodSpecView spec, const Path& path, ErrorList& errors) {
  std::map<std::string_view, VolumeView> volumes;
  ForEachContainer(spec, path, [&](auto container, const Path& container_path) {
    const Path env = container_path.Child("env");
    size_t i = 0;
    for (auto var : container.env()) {
      const Path at = env.Index(i++);
      const auto ref = var.value_from().file_key_ref();
      if (!ref) continue;
      const Path from = at.Child("valueFrom"), file = from.Child("fileKeyRef"),
                 name = file.Child("volumeName");
      if (volumes.empty())
        for (auto volume : spec.volumes()) volumes.insert_or_assign(volume.name(), volume);
      const auto volume = volumes.find(ref.volume_name());
      if (volume == volumes.end()) {
        errors.Add(field::NotFound(name, RenderValue(ref.volume_name())));
      } else if (!volume->second.volume_source().empty_dir()) {
        errors.Add(field::Invalid(name, RenderValue(ref.volume_name()),
                                  "referenced volume must be of type emptyDir"));
      }
    }
  });
}

void CheckNames(PodSpecView spec, const Path& path, ErrorList& errors) {
  auto name = [&](std::string_view value, std::string_view member) {
    if (!value.empty()) errors.AddInvalid(path.Child(member), value, NameIsDnsSubdomain(value, false));
  };
  name(spec.service_account_name(), "serviceAccountName");
  name(spec.node_name(), "nodeName");
}

void CheckPolicies(PodSpecView spec, const Path& path, ErrorList& errors) {
  constexpr std::string_view kRestart[] = {RestartPolicy::kAlways, RestartPolicy::kOnFailure,
                                           RestartPolicy::kNever};
  constexpr std::string_view kDns[] = {DNSPolicy::kClusterFirstWithHostNet, DNSPolicy::kClusterFirst,
                                       DNSPolicy::kDefault, DNSPolicy::kNone};
  CheckRequiredSupported(spec.restart_policy(), kRestart, path.Child("restartPolicy"), errors);
  CheckRequiredSupported(spec.dns_policy(), kDns, path.Child("dnsPolicy"), errors);
}

void CheckPriority(PodSpecView spec, const Path& path, ErrorList& errors) {
  const std::string_view priority_class = spec.priority_class_name();
  if (!priority_class.empty()) {
    errors.AddInvalid(path.Child("priorityClassName"), priority_class,
                      NameIsDnsSubdomain(priority_class, false));
  }
  if (spec.has_runtime_class_name()) {
    errors.AddInvalid(path.Child("runtimeClassName"), spec.runtime_class_name(),
                      NameIsDnsSubdomain(spec.runtime_class_name(), false));
  }
  if (spec.has_preemption_policy()) {
    constexpr std::string_view kPolicies[] = {PreemptionPolicy::kPreemptLowerPriority,
                                              PreemptionPolicy::kNever};
    CheckRequiredSupported(spec.preemption_policy(), kPolicies, path.Child("preemptionPolicy"), errors);
  }
}

bool IsInt32(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text.empty() || text.size() > 10 || text.find_first_not_of("0123456789") != text.npos) return false;
  return std::stoll(std::string(text)) <= int64_t{std::numeric_limits<int32_t>::max()};
}

}  // namespace

void CheckPodSpec(PodSpecView spec, const PodSpecOwner& owner, const Path& path, ErrorList& errors) {
  GracePeriod grace;
  if (spec.has_termination_grace_period_seconds()) {
    grace = spec.termination_grace_period_seconds();
  } else {
    errors.Add(field::Required(path.Child("terminationGracePeriodSeconds"), ""));
  }
  const VolumesByName volumes = CheckVolumes(spec, owner.name, owner.is_pod, path.Child("volumes"), errors);
  const NameSet claims = CheckResourceClaims(spec, path.Child("resourceClaims"), errors);
  const bool host_users = !spec.has_host_users() || spec.host_users();
  const ContainerContext context{spec, volumes, claims, grace, host_users};
  CheckContainers(context, path.Child("containers"), errors);
  CheckInitContainers(context, path.Child("initContainers"), errors);
  CheckEphemeralContainers(context, path.Child("ephemeralContainers"), errors);
  CheckPodResources(spec, claims, path, errors);
  CheckHostNetworkPorts(spec, owner.is_pod, path, errors);
  CheckPolicies(spec, path, errors);
  errors.Append(ValidateLabels(spec.node_selector(), path.Child("nodeSelector")));
  CheckPodSecurityContext(spec, owner.was, path.Child("securityContext"), errors);
  CheckAffinity(spec.affinity(), path.Child("affinity"), errors);
  CheckDnsConfig(spec, path.Child("dnsConfig"), errors);
  CheckGates(spec, path, errors);
  CheckTopologySpread(spec.topology_spread_constraints(), path.Child("topologySpreadConstraints"), errors);
  CheckHostProcesses(spec, path, errors);
  CheckHostUsers(spec, path, errors);
  CheckHostnameOverride(spec, path, errors);
  CheckNames(spec, path, errors);
  if (spec.has_active_deadline_seconds()) {
    CheckInRange(spec.active_deadline_seconds(), 1, std::numeric_limits<int32_t>::max(),
                 path.Child("activeDeadlineSeconds"), errors);
  }
  CheckHostname(spec, path, errors);
  CheckTolerations(spec.tolerations(), path.Child("tolerations"), errors);
  CheckHostAliases(spec.host_aliases(), path.Child("hostAliases"), errors);
  CheckPriority(spec, path, errors);
  CheckOverhead(spec.overhead(), path.Child("overhead"), errors);
  CheckPodOs(spec, path, errors);
  CheckSchedulingGroup(spec.scheduling_group(), path.Child("schedulingGroup"), errors);
  CheckFileKeyVolumes(spec, path, errors);
}

void CheckPodAnnotations(const PodSpecOwner& owner, PodSpecView spec, const Path& path, ErrorList& errors) {
  const MapView annotations = owner.metadata.annotations();
  constexpr std::string_view kDeletionCost = "controller.kubernetes.io/pod-deletion-cost";
  constexpr std::string_view kSeccompPod = "seccomp.security.alpha.kubernetes.io/pod";
  constexpr std::string_view kSeccompContainer = "container.seccomp.security.alpha.kubernetes.io/";
  constexpr std::string_view kAppArmor = "container.apparmor.security.beta.kubernetes.io/";
  if (const Value* mirror = annotations.Find(pods::kMirrorAnnotation); mirror && spec.node_name().empty()) {
    errors.Add(field::Invalid(path.Key(pods::kMirrorAnnotation), RenderValue(mirror->string()),
                              "must set spec.nodeName if mirror pod annotation is set"));
  }
  if (const Value* cost = annotations.Find(kDeletionCost); cost && !IsInt32(cost->string())) {
    errors.Add(
        field::Invalid(path.Key(kDeletionCost), RenderValue(cost->string()), "must be a 32bit integer"));
  }
  if (const Value* profile = annotations.Find(kSeccompPod)) {
    CheckSeccompAnnotation(profile->string(), path.Child(kSeccompPod), errors);
  }
  for (const auto& [key, value] : annotations) {
    if (key.starts_with(kSeccompContainer)) {
      CheckSeccompAnnotation(value.string(), path.Child(key), errors);
    } else if (key.starts_with(kAppArmor)) {
      const std::string_view name = key.substr(kAppArmor.size());
      bool known = false;
      ForEachContainer(spec, path, [&](auto container, const Path&) { known |= container.name() == name; });
      if (!known) errors.Add(field::Invalid(path.Key(key), RenderValue(name), "container not found"));
      const std::string_view profile = value.string();
      if (!profile.empty() && profile != "runtime/default" && profile != "unconfined" &&
          !profile.starts_with("localhost/")) {
        errors.Add(field::Invalid(path.Key(key), RenderValue(profile),
                                  "invalid AppArmor profile name: " + RenderValue(profile)));
      }
    }
  }
}

field::ErrorList ValidatePodTemplateSpec(PodTemplateSpecView pod_template, const Path& path) {
  ErrorList errors;
  const auto metadata = pod_template.metadata();
  const PodSpecOwner owner{.name = {}, .metadata = metadata, .is_pod = false};
  errors.Append(ValidateLabels(metadata.labels(), path.Child("labels")));
  errors.Append(ValidateAnnotations(metadata.annotations(), path.Child("annotations")));
  CheckPodAnnotations(owner, pod_template.spec(), path.Child("annotations"), errors);
  const Path spec_path = path.Child("spec");
  CheckPodSpec(pod_template.spec(), owner, spec_path, errors);
  CheckSecurityAnnotations(owner, pod_template.spec(), spec_path, errors);
  if (!pod_template.spec().ephemeral_containers().empty()) {
    errors.Add(field::Forbidden(spec_path.Child("ephemeralContainers"),
                                "ephemeral containers not allowed in pod template"));
  }
  return errors;
}

}  // namespace keelson::api::core
