#include "registry/core/pod_warnings.h"

#include <map>
#include <set>
#include <utility>

#include "api/codec/quantity.h"
#include "api/validation/core/pod_os.h"
#include "api/validation/ip.h"
#include "api/validation/names.h"
#include "registry/core/volume_path_warnings.h"

namespace keelson::registry::core {
namespace {

using namespace api::core_v1;
using api::MapView;
using api::core::ForEachContainer;
using api::field::Path;
using api::field::RenderValue;

constexpr std::string_view kNullSelector = "a null labelSelector results in matching no pod";
constexpr std::string_view kUseSeccompField =
    R"(non-functional in v1.27+; use the "seccompProfile" field instead)";

// A pod, or the template of one, and where its parts are.
struct Subject {
  PodSpecView spec;
  api::meta_v1::ObjectMetaView metadata;
  const Path& spec_path;
  const Path& annotations_path;
  bool is_template = false;
};

void Warn(const Path& path, std::string_view text, Warnings& warnings) {
  warnings.push_back(path.ToString().append(": ").append(text));
}

void WarnOfNodeLabel(const Path& path, std::string_view key, Warnings& warnings) {
  if (const auto why = DeprecatedNodeLabel(key); !why.empty())
    Warn(path, std::string(key).append(" is ").append(why), warnings);
}

void WarnOfNodeTerm(NodeSelectorTermView term, bool check_values, const Path& path, Warnings& warnings) {
  const Path expressions = path.Child("matchExpressions");
  size_t i = 0;
  for (auto expression : term.match_expressions()) {
    const Path at = expressions.Index(i++), values = at.Child("values");
    WarnOfNodeLabel(at.Child("key"), expression.key(), warnings);
    if (!check_values) continue;
    size_t j = 0;
    for (const api::Value& value : expression.values()) {
      const Path value_path = values.Index(j++);
      for (const auto& message : api::IsLabelValue(value.string()))
        Warn(value_path, std::string(value.string()) + " is invalid, " + message, warnings);
    }
  }
}

void WarnOfNodes(const Subject& pod, Warnings& warnings) {
  const Path selector = pod.spec_path.Child("nodeSelector");
  for (const auto& [key, value] : pod.spec.node_selector())
    if (const auto why = DeprecatedNodeLabel(key); !why.empty()) Warn(selector.Key(key), why, warnings);
  const auto affinity = pod.spec.affinity().node_affinity();
  const Path affinity_path = pod.spec_path.Child("affinity"), node = affinity_path.Child("nodeAffinity");
  const Path required = node.Child("requiredDuringSchedulingIgnoredDuringExecution"),
             terms = required.Child("nodeSelectorTerms"),
             preferred = node.Child("preferredDuringSchedulingIgnoredDuringExecution");
  size_t i = 0;
  for (auto term : affinity.required_during_scheduling_ignored_during_execution().node_selector_terms())
    WarnOfNodeTerm(term, false, terms.Index(i++), warnings);
  i = 0;
  for (auto term : affinity.preferred_during_scheduling_ignored_during_execution()) {
    const Path at = preferred.Index(i++);
    WarnOfNodeTerm(term.preference(), true, at.Child("preference"), warnings);
  }
  const Path constraints = pod.spec_path.Child("topologySpreadConstraints");
  i = 0;
  for (auto constraint : pod.spec.topology_spread_constraints()) {
    const Path at = constraints.Index(i++);
    WarnOfNodeLabel(at.Child("topologyKey"), constraint.topology_key(), warnings);
    if (!constraint.label_selector()) Warn(at.Child("labelSelector"), kNullSelector, warnings);
  }
}

void WarnOfAnnotations(const Subject& pod, Warnings& warnings) {
  constexpr std::pair<std::string_view, std::string_view> kDeprecated[] = {
      {"scheduler.alpha.kubernetes.io/critical-pod",
       R"(non-functional in v1.16+; use the "priorityClassName" field instead)"},
      {"security.alpha.kubernetes.io/sysctls",
       R"(non-functional in v1.11+; use the "sysctls" field instead)"},
      {"security.alpha.kubernetes.io/unsafe-sysctls",
       R"(non-functional in v1.11+; use the "sysctls" field instead)"}};
  for (const auto& [key, why] : kDeprecated)
    if (pod.metadata.annotations().Find(key)) Warn(pod.annotations_path.Key(key), why, warnings);
}

void WarnOfVolumes(const Subject& pod, Warnings& warnings) {
  constexpr std::pair<std::string_view, std::string_view> kRemoved[] = {
      {"photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"},
      {"gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"},
      {"scaleIO", "deprecated in v1.16, non-functional in v1.22+"},
      {"flocker", "deprecated in v1.22, non-functional in v1.25+"},
      {"storageos", "deprecated in v1.22, non-functional in v1.25+"},
      {"quobyte", "deprecated in v1.22, non-functional in v1.25+"},
      {"glusterfs", "deprecated in v1.25, non-functional in v1.26+"},
      {"cephfs", "deprecated in v1.28, non-functional in v1.31+"},
      {"rbd", "deprecated in v1.28, non-functional in v1.31+"}};
  const Path volumes = pod.spec_path.Child("volumes");
  size_t i = 0;
  for (auto volume : pod.spec.volumes()) {
    const Path at = volumes.Index(i++);
    const auto source = volume.volume_source();
    if (!source) continue;
    for (const auto& [member, why] : kRemoved) {
      const size_t ordinal = kVolumeSourceType.FindMember(member).field->ordinal;
      // The one name that upstream spells differently here.
      if (!source.node()->slot(ordinal).absent())
        Warn(at.Child(member == "storageos" ? "storageOS" : member), why, warnings);
    }
    if (auto claim = source.ephemeral().volume_claim_template()) {
      const Path ephemeral = at.Child("ephemeral"), claim_path = ephemeral.Child("volumeClaimTemplate");
      WarnOfClaimSpec(claim.spec(), claim_path.Child("spec"), warnings);
    }
  }
  WarnOfOverlappingPaths(pod.spec.volumes(), warnings);
}

void WarnOfLists(const Subject& pod, Warnings& warnings) {
  std::set<std::string_view> ips, secrets;
  const Path aliases = pod.spec_path.Child("hostAliases"), pulls = pod.spec_path.Child("imagePullSecrets");
  size_t i = 0;
  for (auto alias : pod.spec.host_aliases()) {
    const Path at = aliases.Index(i++);
    if (!ips.insert(alias.ip()).second)
      Warn(at.Child("ip"), "duplicate ip " + RenderValue(alias.ip()), warnings);
  }
  i = 0;
  for (auto secret : pod.spec.image_pull_secrets()) {
    const Path at = pulls.Index(i++);
    if (!secrets.insert(secret.name()).second)
      Warn(at.Child("name"), "duplicate name " + RenderValue(secret.name()), warnings);
  }
  i = 0;
  for (auto secret : pod.spec.image_pull_secrets()) {
    const Path at = pulls.Index(i++);
    if (secret.name().empty()) Warn(at.Child("name"), "invalid empty name \"\"", warnings);
  }
}

void WarnOfFraction(MapView list, std::string_view resource, const Path& list_path, Warnings& warnings) {
  const api::Value* value = list.Find(resource);
  const auto quantity = value ? api::Quantity::Parse(value->string()) : api::Quantity();
  if (!quantity || quantity->MilliValue() % 1000 == 0) return;
  Warn(list_path.Key(resource),
       "fractional byte value " + RenderValue(value->string()) + " is invalid, must be an integer", warnings);
}

template <class Container>
void WarnOfEnv(Container container, const Path& path, Warnings& warnings) {
  std::set<std::string_view> names;
  const Path env = path.Child("env");
  size_t i = 0;
  for (auto variable : container.env()) {
    const Path at = env.Index(i++);
    if (names.insert(variable.name()).second) continue;
    // Building on the value before is fine; hiding it is not.
    const std::string reference = "$(" + std::string(variable.name()) + ")";
    const bool builds_on = !variable.value_from() && variable.value() != reference &&
                           variable.value().find(reference) != std::string_view::npos;
    if (builds_on) continue;
    Warn(at,
         "hides previous definition of " + RenderValue(variable.name()) +
             ", which may be dropped when using apply",
         warnings);
  }
}

// Whether an annotation of older days says the same as the pod's own profile.
bool SameAppArmorProfile(AppArmorProfileView profile, std::string_view annotation) {
  constexpr std::string_view kLocalhost = "localhost/";
  if (!profile) return false;
  const bool named = profile.has_localhost_profile();
  if (annotation == "unconfined") return profile.type() == "Unconfined" && !named;
  if (annotation == "runtime/default") return profile.type() == "RuntimeDefault" && !named;
  return annotation.starts_with(kLocalhost) && profile.type() == "Localhost" &&
         profile.localhost_profile() == annotation.substr(kLocalhost.size());
}

template <class Container>
void WarnOfContainer(const Subject& pod, Container container, const Path& path, Warnings& warnings) {
  const MapView annotations = pod.metadata.annotations();
  const std::string name(container.name());
  const std::string seccomp = "container.seccomp.security.alpha.kubernetes.io/" + name;
  if (!container.security_context().seccomp_profile() && annotations.Find(seccomp))
    Warn(pod.annotations_path.Key(seccomp), kUseSeccompField, warnings);
  const std::string app_armor = "container.apparmor.security.beta.kubernetes.io/" + name;
  if (pod.is_template && !container.security_context().app_armor_profile()) {
    const api::Value* annotation = annotations.Find(app_armor);
    if (annotation &&
        !SameAppArmorProfile(pod.spec.security_context().app_armor_profile(), annotation->string()))
      Warn(pod.annotations_path.Key(app_armor),
           R"(deprecated since v1.30; use the "appArmorProfile" field instead)", warnings);
  }
  const Path resources = path.Child("resources"), limits = resources.Child("limits"),
             requests = resources.Child("requests");
  for (std::string_view resource : {"memory", "ephemeral-storage"}) {
    WarnOfFraction(container.resources().limits(), resource, limits, warnings);
    WarnOfFraction(container.resources().requests(), resource, requests, warnings);
  }
  WarnOfEnv(container, path, warnings);
}

std::string PortText(ContainerPortView port) {
  return "{Name:" + std::string(port.name()) + " HostPort:" + std::to_string(port.host_port()) +
         " ContainerPort:" + std::to_string(port.container_port()) +
         " Protocol:" + std::string(port.protocol()) + " HostIP:" + std::string(port.host_ip()) + "}";
}

// How a port clashes with one defined before; empty: it does not.
std::string_view Clash(ContainerPortView port, ContainerPortView other) {
  if (port.host_ip() == other.host_ip() && port.host_port() == other.host_port()) return "duplicate";
  if (port.host_port() == 0 || other.host_port() == 0) return "overlapping";
  const bool one_is_open = port.host_ip().empty() != other.host_ip().empty();
  return port.host_port() == other.host_port() && one_is_open ? "dangerously ambiguous" : "";
}

void WarnOfPorts(const Subject& pod, Warnings& warnings) {
  // Of one port; the rest is not compared, since nobody could read all that would be said of it.
  constexpr size_t kMostCompared = 100;
  using Place = std::pair<std::string, ContainerPortView>;
  std::map<std::pair<int32_t, std::string_view>, std::vector<Place>> ports;
  std::map<std::string_view, std::string> names;
  Warnings of_names;
  ForEachContainer(pod.spec, pod.spec_path, [&](auto container, const Path& path) {
    const Path list = path.Child("ports");
    size_t i = 0;
    for (auto port : container.ports()) {
      const Path at = list.Index(i++);
      if (!port.host_ip().empty() && port.host_port() == 0)
        Warn(at, "hostIP set without hostPort: " + PortText(port), warnings);
      auto& others = ports[{port.container_port(), port.protocol()}];
      for (const auto& [where, other] : others)
        if (const auto clash = Clash(port, other); !clash.empty())
          Warn(at, std::string(clash) + " port definition with " + where, warnings);
      if (others.size() < kMostCompared) others.emplace_back(at.ToString(), port);
      if (port.name().empty()) continue;
      const auto [first, added] = names.emplace(port.name(), at.ToString());
      if (!added)
        Warn(at,
             "duplicate port name " + RenderValue(port.name()) + " with " + first->second +
                 ", services and probes that select ports by name will use " + first->second,
             of_names);
    }
  });
  warnings.insert(warnings.end(), of_names.begin(), of_names.end());
}

template <class Affinity>
void WarnOfPodAffinity(Affinity affinity, const Path& path, Warnings& warnings) {
  const Path required = path.Child("requiredDuringSchedulingIgnoredDuringExecution"),
             preferred = path.Child("preferredDuringSchedulingIgnoredDuringExecution");
  size_t i = 0;
  for (auto term : affinity.required_during_scheduling_ignored_during_execution()) {
    const Path at = required.Index(i++);
    if (!term.label_selector()) Warn(at.Child("labelSelector"), kNullSelector, warnings);
  }
  i = 0;
  for (auto term : affinity.preferred_during_scheduling_ignored_during_execution()) {
    const Path at = preferred.Index(i++), inner = at.Child("podAffinityTerm");
    if (!term.pod_affinity_term().label_selector())
      Warn(inner.Child("labelSelector"), kNullSelector, warnings);
  }
}

void WarnOfAddresses(const Subject& pod, Warnings& warnings) {
  auto warn = [&](const Path& path, std::string_view ip) {
    if (auto warning = api::WarningForIp(path, ip)) warnings.push_back(std::move(*warning));
  };
  const Path dns = pod.spec_path.Child("dnsConfig"), servers = dns.Child("nameservers"),
             aliases = pod.spec_path.Child("hostAliases");
  size_t i = 0;
  for (const api::Value& server : pod.spec.dns_config().nameservers())
    warn(servers.Index(i++), server.string());
  i = 0;
  for (auto alias : pod.spec.host_aliases()) {
    const Path at = aliases.Index(i++);
    warn(at.Child("ip"), alias.ip());
  }
}

void WarnOf(const Subject& pod, Warnings& warnings) {
  WarnOfNodes(pod, warnings);
  WarnOfAnnotations(pod, warnings);
  WarnOfVolumes(pod, warnings);
  WarnOfLists(pod, warnings);
  for (std::string_view resource : {"memory", "ephemeral-storage"})
    WarnOfFraction(pod.spec.overhead(), resource, pod.spec_path.Child("overhead"), warnings);
  constexpr std::string_view kSeccomp = "seccomp.security.alpha.kubernetes.io/pod";
  if (!pod.spec.security_context().seccomp_profile() && pod.metadata.annotations().Find(kSeccomp))
    Warn(pod.annotations_path.Key(kSeccomp), kUseSeccompField, warnings);
  ForEachContainer(pod.spec, pod.spec_path, [&](auto container, const Path& path) {
    WarnOfContainer(pod, container, path, warnings);
  });
  WarnOfPorts(pod, warnings);
  if (pod.spec.termination_grace_period_seconds() < 0)
    Warn(pod.spec_path.Child("terminationGracePeriodSeconds"),
         "must be >= 0; negative values are invalid and will be treated as 1", warnings);
  const Path affinity = pod.spec_path.Child("affinity");
  WarnOfPodAffinity(pod.spec.affinity().pod_affinity(), affinity.Child("podAffinity"), warnings);
  WarnOfPodAffinity(pod.spec.affinity().pod_anti_affinity(), affinity.Child("podAntiAffinity"), warnings);
  WarnOfAddresses(pod, warnings);
}

}  // namespace

std::string_view DeprecatedNodeLabel(std::string_view label) {
  static const std::map<std::string_view, std::string_view> kLabels = {
      {"beta.kubernetes.io/arch", R"(deprecated since v1.14; use "kubernetes.io/arch" instead)"},
      {"beta.kubernetes.io/os", R"(deprecated since v1.14; use "kubernetes.io/os" instead)"},
      {"failure-domain.beta.kubernetes.io/region",
       R"(deprecated since v1.17; use "topology.kubernetes.io/region" instead)"},
      {"failure-domain.beta.kubernetes.io/zone",
       R"(deprecated since v1.17; use "topology.kubernetes.io/zone" instead)"},
      {"beta.kubernetes.io/instance-type",
       R"(deprecated since v1.17; use "node.kubernetes.io/instance-type" instead)"},
      {"app.kubernetes.io/created-by", "deprecated since v1.9"},
      {"scheduler.alpha.kubernetes.io/preferAvoidPods",
       "deprecated since v1.22; use Taints and Tolerations instead"},
      {"node-role.kubernetes.io/master", R"(use "node-role.kubernetes.io/control-plane" instead)"}};
  const auto found = kLabels.find(label);
  return found == kLabels.end() ? std::string_view() : found->second;
}

void WarnOfPod(PodView pod, Warnings& warnings) {
  const Path spec("spec"), metadata("metadata"), annotations = metadata.Child("annotations");
  WarnOf({pod.spec(), pod.metadata(), spec, annotations}, warnings);
}

void WarnOfPodTemplate(PodTemplateSpecView pod_template, const Path& path, Warnings& warnings) {
  const Path spec = path.Child("spec"), metadata = path.Child("metadata"),
             annotations = metadata.Child("annotations");
  WarnOf({pod_template.spec(), pod_template.metadata(), spec, annotations, true}, warnings);
}

void WarnOfClaimSpec(PersistentVolumeClaimSpecView spec, const Path& path, Warnings& warnings) {
  const Path resources = path.Child("resources");
  WarnOfFraction(spec.resources().requests(), "storage", resources.Child("requests"), warnings);
  WarnOfFraction(spec.resources().limits(), "storage", resources.Child("limits"), warnings);
}

void WarnOfWorkloadName(std::string_view name, Warnings& warnings) {
  std::string messages;
  for (const auto& m : api::IsDns1123Label(name)) messages += (messages.empty() ? "" : " ") + m;
  if (messages.empty()) return;
  warnings.push_back(
      "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a "
      "DNS "
      "label is recommended: [" +
      messages + "]");
}

}  // namespace keelson::registry::core
