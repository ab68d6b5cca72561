#include <algorithm>

#include "admission/pod_security/checks.h"
#include "admission/pod_security/wording.h"

namespace keelson::admission::pod_security {
namespace {

using api::FieldDesc;
using api::Value;

// The source of a volume by its name in JSON; a volume has one at most.
std::string_view SourceOf(api::core_v1::VolumeView volume) {
  const auto source = volume.volume_source();
  if (!source) return {};
  for (const FieldDesc& field : source.node()->type->fields)
    if (!source.node()->slot(field.ordinal).absent()) return field.name;
  return {};
}

}  // namespace

Finding AllowPrivilegeEscalation(const Subject& subject) {
  Names containers;
  EachContainer(subject.spec, [&](auto container) {
    const auto context = container.security_context();
    if (!context.has_allow_privilege_escalation() || context.allow_privilege_escalation())
      containers.push_back(container.name());
  });
  if (containers.empty()) return {};
  return Violation{"allowPrivilegeEscalation != false",
                   Containers(containers) + " must set securityContext.allowPrivilegeEscalation=false"};
}

Finding CapabilitiesRestricted(const Subject& subject) {
  Names keeping, adding;
  Values added;
  EachContainer(subject.spec, [&](auto container) {
    const auto capabilities = container.security_context().capabilities();
    const auto dropped = capabilities.drop();
    if (std::ranges::none_of(dropped, [](const Value& v) { return v.string() == "ALL"; }))
      keeping.push_back(container.name());
    bool bad = false;
    for (const Value& capability : capabilities.add()) {
      if (capability.string() == "NET_BIND_SERVICE") continue;
      added.emplace(capability.string());
      bad = true;
    }
    if (bad) adding.push_back(container.name());
  });
  if (keeping.empty() && adding.empty()) return {};
  std::vector<std::string> details;
  if (!keeping.empty())
    details.push_back(Containers(keeping) + " must set securityContext.capabilities.drop=[\"ALL\"]");
  if (!adding.empty())
    details.push_back(Containers(adding) + " must not include " + Quoted(added) +
                      " in securityContext.capabilities.add");
  return Violation{"unrestricted capabilities", Join(details, "; ")};
}

Finding RestrictedVolumes(const Subject& subject) {
  constexpr std::string_view kAllowed[] = {"configMap", "csi",   "downwardAPI",           "emptyDir",
                                           "ephemeral", "image", "persistentVolumeClaim", "projected",
                                           "secret"};
  Names volumes;
  Values types;
  for (auto volume : subject.spec.volumes()) {
    const std::string_view type = SourceOf(volume);
    if (std::ranges::find(kAllowed, type) != std::end(kAllowed)) continue;
    volumes.push_back(volume.name());
    types.emplace(type.empty() ? "unknown" : type);
  }
  if (volumes.empty()) return {};
  std::string detail(Plural("volume", "volumes", volumes.size()));
  detail.append(" ").append(Quoted(volumes)).append(" ");
  detail.append(Plural("uses", "use", volumes.size())).append(" ");
  detail.append(Plural("restricted volume type", "restricted volume types", types.size())).append(" ");
  return Violation{"restricted volume types", detail + Quoted(types)};
}

Finding RunAsNonRoot(const Subject& subject) {
  const auto pod = subject.spec.security_context();
  Names root, silent;
  EachContainer(subject.spec, [&](auto container) {
    const auto context = container.security_context();
    if (!context.has_run_as_non_root()) {
      if (!pod.run_as_non_root()) silent.push_back(container.name());
    } else if (!context.run_as_non_root()) {
      root.push_back(container.name());
    }
  });
  const bool pod_as_root = pod.has_run_as_non_root() && !pod.run_as_non_root();
  if (pod_as_root || !root.empty())
    return Violation{"runAsNonRoot != true",
                     Setters(pod_as_root, root) + " must not set securityContext.runAsNonRoot=false"};
  if (silent.empty()) return {};
  return Violation{"runAsNonRoot != true",
                   "pod or " + Containers(silent) + " must set securityContext.runAsNonRoot=true"};
}

Finding RunAsUser(const Subject& subject) {
  const auto is_root = [](auto context) { return context.has_run_as_user() && context.run_as_user() == 0; };
  const bool pod = is_root(subject.spec.security_context());
  Names containers;
  EachContainer(subject.spec, [&](auto container) {
    if (is_root(container.security_context())) containers.push_back(container.name());
  });
  if (!pod && containers.empty()) return {};
  return Violation{"runAsUser=0", Setters(pod, containers) + " must not set runAsUser=0"};
}

Finding SeccompProfileRestricted(const Subject& subject) {
  if (auto bad = SeccompProfileBaseline(subject)) return bad;
  if (subject.spec.security_context().seccomp_profile()) return {};
  Names silent;
  EachContainer(subject.spec, [&](auto container) {
    if (!container.security_context().seccomp_profile()) silent.push_back(container.name());
  });
  if (silent.empty()) return {};
  return Violation{"seccompProfile", "pod or " + Containers(silent) +
                                         " must set securityContext.seccompProfile.type to "
                                         "\"RuntimeDefault\" or \"Localhost\""};
}

}  // namespace keelson::admission::pod_security
