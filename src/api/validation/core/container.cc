#include "api/validation/core/container.h"

#include <cctype>
#include <set>
#include <string>

#include "api/validation/core/container_mounts.h"
#include "api/validation/core/env.h"
#include "api/validation/core/security_context.h"

namespace keelson::api::core {
namespace {

using namespace core_v1;
using field::RenderValue;

constexpr std::string_view kProtocols[] = {Protocol::kSCTP, Protocol::kTCP, Protocol::kUDP};

void CheckPorts(ListView<ContainerPortView> ports, const Path& path, ErrorList& errors) {
  std::set<std::string_view> names;
  size_t i = 0;
  for (auto port : ports) {
    const Path at = path.Index(i++);
    if (!port.name().empty()) {
      const Messages messages = IsPortName(port.name());
      errors.AddInvalid(at.Child("name"), port.name(), messages);
      if (messages.empty() && !names.insert(port.name()).second) {
        errors.Add(field::Duplicate(at.Child("name"), RenderValue(port.name())));
      }
    }
    if (port.container_port() == 0) {
      errors.Add(field::Required(at.Child("containerPort"), ""));
    } else {
      CheckPortNumber(port.container_port(), at.Child("containerPort"), errors);
    }
    if (port.host_port() != 0) CheckPortNumber(port.host_port(), at.Child("hostPort"), errors);
    CheckRequiredSupported(port.protocol(), kProtocols, at.Child("protocol"), errors);
  }
}

// No two containers that run at the same time may take the same port of the host.
void CheckHostPorts(ContainerView container, std::set<std::string>& taken, const Path& path,
                    ErrorList& errors) {
  const Path ports = path.Child("ports");
  size_t i = 0;
  for (auto port : container.ports()) {
    const Path at = ports.Index(i++);
    if (port.host_port() == 0) continue;
    std::string key = std::string(port.protocol()) + "/" + std::string(port.host_ip()) + "/" +
                      std::to_string(port.host_port());
    if (taken.contains(key)) {
      errors.Add(field::Duplicate(at.Child("hostPort"), RenderValue(key)));
    } else {
      taken.insert(std::move(key));
    }
  }
}

void CheckResizePolicy(ListView<ContainerResizePolicyView> policies, std::string_view pod_restart_policy,
                       const Path& path, ErrorList& errors) {
  constexpr std::string_view kResources[] = {"cpu", "memory"};
  constexpr std::string_view kPolicies[] = {"NotRequired", "RestartContainer"};
  std::set<std::string_view> seen;
  size_t i = 0;
  for (auto policy : policies) {
    if (!seen.insert(policy.resource_name()).second) {
      errors.Add(field::Duplicate(path.Index(i), RenderValue(policy.resource_name())));
    }
    ++i;
    CheckRequiredSupported(policy.resource_name(), kResources, path, errors);
    CheckRequiredSupported(policy.restart_policy(), kPolicies, path, errors);
    if (pod_restart_policy == RestartPolicy::kNever && policy.restart_policy() != "NotRequired") {
      errors.Add(field::Invalid(path, RenderValue(policy.restart_policy()),
                                "must be 'NotRequired' when pod `restartPolicy` is 'Never'"));
    }
  }
}

void CheckRestartRules(ContainerView container, const Path& path, ErrorList& errors) {
  constexpr size_t kMaxRules = 20, kMaxExitCodes = 255;
  constexpr std::string_view kPolicies[] = {"Always", "Never", "OnFailure"};
  constexpr std::string_view kActions[] = {"Restart", "RestartAllContainers"};
  constexpr std::string_view kOperators[] = {"In", "NotIn"};
  const auto rules = container.restart_policy_rules();
  if (container.has_restart_policy()) {
    CheckSupported(container.restart_policy(), kPolicies, path.Child("restartPolicy"), errors);
  } else if (!rules.empty()) {
    errors.Add(field::Required(path.Child("restartPolicy"),
                               "must specify restartPolicy when restart rules are used"));
  }
  const Path rules_path = path.Child("restartPolicyRules");
  if (rules.size() > kMaxRules) errors.Add(field::TooMany(rules_path, rules.size(), kMaxRules));
  size_t i = 0;
  for (auto rule : rules) {
    const Path at = rules_path.Index(i++);
    CheckSupported(rule.action(), kActions, at.Child("action"), errors);
    const auto codes = rule.exit_codes();
    const Path codes_path = at.Child("exitCodes");
    if (!codes) {
      errors.Add(field::Required(codes_path, "must be specified"));
      continue;
    }
    CheckSupported(codes.operator_(), kOperators, codes_path.Child("operator"), errors);
    if (codes.values().size() > kMaxExitCodes) {
      errors.Add(field::TooMany(codes_path.Child("values"), codes.values().size(), kMaxExitCodes));
    }
  }
}

// What holds for every sort of container. ContainerView and EphemeralContainerCommonView
// have the same fields.
template <class View>
void CheckCommon(View container, const ContainerContext& pod, const Path& path, ErrorList& errors) {
  CheckRequiredDnsLabel(container.name(), path.Child("name"), errors);
  CheckRequired(container.image(), path.Child("image"), errors);
  constexpr std::string_view kMessagePolicies[] = {TerminationMessagePolicy::kFile,
                                                   TerminationMessagePolicy::kFallbackToLogsOnError};
  CheckRequiredSupported(container.termination_message_policy(), kMessagePolicies,
                         path.Child("terminationMessagePolicy"), errors);
  CheckPorts(container.ports(), path.Child("ports"), errors);
  CheckEnv(container.env(), path.Child("env"), errors);
  CheckEnvFrom(container.env_from(), path.Child("envFrom"), errors);
  CheckMountsAndDevices(container.volume_mounts(), container.volume_devices(), pod.volumes,
                        container.security_context().privileged(), path, errors);
  CheckPullPolicy(container.image_pull_policy(), path.Child("imagePullPolicy"), errors);
  CheckContainerResources(container.resources(), pod.claims, path.Child("resources"), errors);
  CheckResizePolicy(container.resize_policy(), pod.spec.restart_policy(), path.Child("resizePolicy"), errors);
  CheckSecurityContext(container.security_context(), pod.host_users, path.Child("securityContext"), errors);
}

// An init container that ends before the others start has nothing to probe.
void ForbidProbes(ContainerView container, const Path& path, ErrorList& errors) {
  auto forbid = [&](bool present, std::string_view member) {
    if (present) {
      errors.Add(field::Forbidden(path.Child(member),
                                  "may not be set for init containers without restartPolicy=Always"));
    }
  };
  forbid(bool(container.lifecycle()), "lifecycle");
  forbid(bool(container.liveness_probe()), "livenessProbe");
  forbid(bool(container.readiness_probe()), "readinessProbe");
  forbid(bool(container.startup_probe()), "startupProbe");
}

// Ephemeral containers are for looking into a pod: they take no part in its work.
void ForbidWorkloadFields(EphemeralContainerCommonView container, const Path& path, ErrorList& errors) {
  auto forbid = [&](bool present, const Path& at) {
    if (present) errors.Add(field::Forbidden(at, "cannot be set for an Ephemeral Container"));
  };
  forbid(!container.ports().empty(), path.Child("ports"));
  forbid(!SameStruct(container.resources(), ResourceRequirementsView()), path.Child("resources"));
  forbid(!container.resize_policy().empty(), path.Child("resizePolicy"));
  forbid(container.has_restart_policy(), path.Child("restartPolicy"));
  forbid(!container.restart_policy_rules().empty(), path.Child("restartPolicyRules"));
  forbid(bool(container.liveness_probe()), path.Child("livenessProbe"));
  forbid(bool(container.readiness_probe()), path.Child("readinessProbe"));
  forbid(bool(container.startup_probe()), path.Child("startupProbe"));
  forbid(bool(container.lifecycle()), path.Child("lifecycle"));
  const Path mounts = path.Child("volumeMounts");
  size_t i = 0;
  for (auto mount : container.volume_mounts()) {
    const Path at = mounts.Index(i++);
    forbid(!mount.sub_path().empty(), at.Child("subPath"));
    forbid(!mount.sub_path_expr().empty(), at.Child("subPathExpr"));
  }
}

}  // namespace

void CheckImageTrimmed(std::string_view image, const Path& path, ErrorList& errors) {
  auto blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  if (!image.empty() && (blank(image.front()) || blank(image.back()))) {
    errors.Add(field::Invalid(path.Child("image"), RenderValue(image),
                              "must not have leading or trailing whitespace"));
  }
}

void CheckContainers(const ContainerContext& pod, const Path& path, ErrorList& errors) {
  if (pod.spec.containers().empty()) return errors.Add(field::Required(path, ""));
  std::set<std::string_view> names;
  std::set<std::string> host_ports;
  ErrorList port_conflicts;
  size_t i = 0;
  for (auto container : pod.spec.containers()) {
    const Path at = path.Index(i++);
    CheckCommon(container, pod, at, errors);
    if (!names.insert(container.name()).second) {
      errors.Add(field::Duplicate(at.Child("name"), RenderValue(container.name())));
    }
    CheckProbesAndLifecycle(container, pod.grace, pod.spec.os(), at, errors);
    CheckRestartRules(container, at, errors);
    CheckHostPorts(container, host_ports, at, port_conflicts);
  }
  errors.Append(std::move(port_conflicts));
}

void CheckInitContainers(const ContainerContext& pod, const Path& path, ErrorList& errors) {
  std::set<std::string_view> names;
  for (auto container : pod.spec.containers()) names.insert(container.name());
  size_t i = 0;
  for (auto container : pod.spec.init_containers()) {
    const Path at = path.Index(i++);
    CheckCommon(container, pod, at, errors);
    CheckRestartRules(container, at, errors);
    if (!container.name().empty() && !names.insert(container.name()).second) {
      errors.Add(field::Duplicate(at.Child("name"), RenderValue(container.name())));
    }
    // They run one by one, so each has the ports to itself.
    std::set<std::string> host_ports;
    CheckHostPorts(container, host_ports, path.Index(0), errors);
    const bool sidecar = container.restart_policy() == "Always";
    if (sidecar) {
      CheckProbesAndLifecycle(container, pod.grace, pod.spec.os(), at, errors);
      continue;
    }
    ForbidProbes(container, at, errors);
    const Path policies = at.Child("resizePolicy");
    size_t j = 0;
    for (auto policy : container.resize_policy()) {
      const Path policy_path = policies.Index(j++);
      if (policy.restart_policy() != "RestartContainer") continue;
      errors.Add(field::Invalid(policy_path.Child("restartPolicy"), RenderValue(policy.restart_policy()),
                                "must not be set to 'RestartContainer' for non-sidecar initContainers"));
    }
  }
}

void CheckEphemeralContainers(const ContainerContext& pod, const Path& path, ErrorList& errors) {
  if (pod.spec.ephemeral_containers().empty()) return;
  std::set<std::string_view> others;
  for (auto container : pod.spec.containers()) others.insert(container.name());
  for (auto container : pod.spec.init_containers()) others.insert(container.name());
  std::set<std::string_view> names = others;
  size_t i = 0;
  for (auto ephemeral : pod.spec.ephemeral_containers()) {
    const Path at = path.Index(i++);
    const auto container = ephemeral.ephemeral_container_common();
    CheckCommon(container, pod, at, errors);
    CheckImageTrimmed(container.image(), at, errors);
    if (!names.insert(container.name()).second) {
      errors.Add(field::Duplicate(at.Child("name"), RenderValue(container.name())));
    }
    const std::string_view target = ephemeral.target_container_name();
    if (!target.empty() && !others.contains(target)) {
      errors.Add(field::NotFound(at.Child("targetContainerName"), RenderValue(target)));
    }
    ForbidWorkloadFields(container, at, errors);
  }
}

}  // namespace keelson::api::core
