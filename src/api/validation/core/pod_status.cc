#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "api/validation/core/checks.h"
#include "api/validation/core/container_status.h"
#include "api/validation/core/pod.h"
#include "api/validation/ip.h"
#include "api/validation/unversioned.h"

namespace keelson::api::core {
namespace {

using namespace core_v1;
using field::RenderValue;

// Whether a container that ended with `exit_code` is started again.
bool ShouldRestart(ContainerView container, PodSpecView spec, int32_t exit_code) {
  for (auto rule : container.restart_policy_rules()) {
    const auto codes = rule.exit_codes();
    if (!codes) continue;
    const bool listed =
        std::ranges::any_of(codes.values(), [&](const Value& v) { return v.integer() == exit_code; });
    const bool matches = codes.operator_() == "In" ? listed : codes.operator_() == "NotIn" && !listed;
    if (matches) return rule.action() == "Restart";
  }
  const std::string_view policy =
      container.has_restart_policy() ? container.restart_policy() : spec.restart_policy();
  if (policy == "OnFailure") return exit_code != 0;
  return policy == "Always";
}

bool AnyRestartsAll(ListView<ContainerView> containers) {
  for (auto container : containers)
    for (auto rule : container.restart_policy_rules())
      if (rule.action() == "RestartAllContainers") return true;
  return false;
}

// A container that has ended for good does not come back. `may_restart(name, exit code)`.
template <class MayRestart>
void CheckTransitions(ListView<ContainerStatusView> now, ListView<ContainerStatusView> was, const Path& path,
                      ErrorList& errors, MayRestart may_restart) {
  size_t i = 0;
  for (auto old : was) {
    const Path at = path.Index(i++);
    const auto terminated = old.state().terminated();
    if (!terminated) continue;
    for (auto status : now) {
      if (status.name() != old.name() || status.state().terminated()) continue;
      if (!may_restart(old.name(), terminated.exit_code())) {
        errors.Add(field::Forbidden(at.Child("state"), "may not be transitioned to non-terminated state"));
      }
      break;
    }
  }
}

void CheckAllTransitions(PodView now, PodView was, const Path& path, ErrorList& errors) {
  const auto spec = was.spec();
  const bool restarts_all = AnyRestartsAll(spec.containers()) || AnyRestartsAll(spec.init_containers());
  auto by_policy = [&](ListView<ContainerView> containers) {
    return [&spec, containers, restarts_all](std::string_view name, int32_t exit_code) {
      if (restarts_all) return true;
      for (auto container : containers)
        if (container.name() == name) return ShouldRestart(container, spec, exit_code);
      return false;
    };
  };
  CheckTransitions(now.status().container_statuses(), was.status().container_statuses(),
                   path.Child("containerStatuses"), errors, by_policy(spec.containers()));
  CheckTransitions(now.status().init_container_statuses(), was.status().init_container_statuses(),
                   path.Child("initContainerStatuses"), errors, by_policy(spec.init_containers()));
  CheckTransitions(now.status().ephemeral_container_statuses(), was.status().ephemeral_container_statuses(),
                   path.Child("ephemeralContainerStatuses"), errors,
                   [](std::string_view, int32_t) { return false; });
}

void CheckConditions(ListView<PodConditionView> conditions, const Path& path, ErrorList& errors) {
  size_t i = 0;
  for (auto condition : conditions) {
    const Path at = path.Index(i++);
    if (condition.observed_generation() < 0) {
      errors.Add(field::Invalid(at.Child("observedGeneration"), RenderValue(condition.observed_generation()),
                                "must be a non-negative integer"));
    }
    const std::string_view type = condition.type();
    if (type == "PodScheduled" || type == "Ready" || type == "Initialized") continue;
    CheckQualifiedName(type, at.Child("Type"), errors);
  }
}

// At most one address of each family; those that were there already are not checked again.
template <class Ips>
void CheckIps(PodStatusView status, std::string_view member, Ips now, Ips was, const Path& path,
              ErrorList& errors) {
  std::vector<bool> families;
  size_t i = 0;
  for (auto entry : now) {
    const Path at = path.Index(i++);
    bool existed = false;
    for (auto old : was) existed |= old.ip() == entry.ip();
    if (!existed) errors.Append(ValidateIp(at, entry.ip()));
    if (auto ip = ParseIp(entry.ip())) families.push_back(ip->is_v4());
  }
  if (now.size() > 1 && (now.size() > 2 || families.size() != 2 || families[0] == families[1])) {
    errors.Add(field::Invalid(path, field::RenderUnversionedField(status.node(), member),
                              "may specify no more than one IP for each IP family"));
  }
}

}  // namespace

field::ErrorList ValidatePodStatusUpdate(PodView now, PodView was) {
  ErrorList errors;
  const Path path("status");
  const auto status = now.status(), old = was.status();
  CheckConditions(status.conditions(), path.Child("conditions"), errors);
  const std::string_view nominated = status.nominated_node_name();
  if (!nominated.empty() && nominated != old.nominated_node_name()) {
    const Path at = path.Child("nominatedNodeName");
    errors.AddInvalid(at, nominated, NameIsDnsSubdomain(nominated, false));
    if (!was.spec().node_name().empty()) {
      errors.Add(field::Forbidden(at, "may not be set on pods that are already bound to a node"));
    }
  }
  if (status.observed_generation() < 0) {
    errors.Add(field::Invalid(path.Child("observedGeneration"), RenderValue(status.observed_generation()),
                              "must be a non-negative integer"));
  }
  if (status.qos_class() != old.qos_class()) {
    errors.Add(field::Invalid(path.Child("qosClass"), RenderValue(status.qos_class()), kFieldImmutable));
  }
  CheckAllTransitions(now, was, path, errors);
  CheckClaimStatuses(now, path, errors);
  CheckIps(status, "podIPs", status.pod_ips(), old.pod_ips(), path.Child("podIPs"), errors);
  if (!status.host_ips().empty()) {
    const Path host_ips = path.Child("hostIPs"), first = host_ips.Index(0);
    if (status.host_ip() != status.host_ips()[0].ip()) {
      errors.Add(field::Invalid(first.Child("ip"), RenderValue(status.host_ips()[0].ip()),
                                "must be equal to `hostIP`"));
    }
    CheckIps(status, "hostIPs", status.host_ips(), old.host_ips(), host_ips, errors);
  }
  CheckContainerUsers(now, path, errors);
  CheckAllocatedResources(now, path, errors);
  return errors;
}

}  // namespace keelson::api::core
