#include "admission/pod_security/evaluate.h"

#include <algorithm>
#include <span>

#include "admission/pod_security/wording.h"

namespace keelson::admission::pod_security {
namespace {

template <Check kCheck>
Finding ButOnWindows(const Subject& subject) {
  return IsWindows(subject) ? Finding() : kCheck(subject);
}
template <Check kCheck>
Finding ButWithOwnUsers(const Subject& subject) {
  return HasOwnUsers(subject) ? Finding() : kCheck(subject);
}

// A rule from one release on, until the next of the same id. `replaces`: the baseline rule that
// the restricted level asks this instead of.
struct Rule {
  std::string_view id;
  int since;
  Check check;
  std::string_view replaces = {};
};

// Sorted by id as their messages are, then by release.
constexpr Rule kBaseline[] = {
    {"appArmorProfile", 0, AppArmorProfile},
    {"capabilities_baseline", 0, CapabilitiesBaseline},
    {"hostNamespaces", 0, HostNamespaces},
    {"hostPathVolumes", 0, HostPathVolumes},
    {"hostPorts", 0, HostPorts},
    {"hostProbesAndHostLifecycle", 34, HostProbesAndHostLifecycle},
    {"privileged", 0, Privileged},
    {"procMount", 0, ProcMount},
    {"procMount", 35, ButWithOwnUsers<ProcMount>},
    {"seLinuxOptions", 0, SeLinuxOptions},
    {"seLinuxOptions", 31, SeLinuxOptionsSince31},
    {"seccompProfile_baseline", 0, SeccompAnnotations},
    {"seccompProfile_baseline", 19, SeccompProfileBaseline},
    {"sysctls", 0, Sysctls},
    {"sysctls", 27, SysctlsSince27},
    {"sysctls", 29, SysctlsSince29},
    {"sysctls", 32, SysctlsSince32},
    {"windowsHostProcess", 0, WindowsHostProcess},
};
constexpr Rule kRestricted[] = {
    {"allowPrivilegeEscalation", 8, AllowPrivilegeEscalation},
    {"allowPrivilegeEscalation", 25, ButOnWindows<AllowPrivilegeEscalation>},
    {"capabilities_restricted", 22, CapabilitiesRestricted, "capabilities_baseline"},
    {"capabilities_restricted", 25, ButOnWindows<CapabilitiesRestricted>, "capabilities_baseline"},
    {"procMount_restricted", 35, ProcMount, "procMount"},
    {"restrictedVolumes", 0, RestrictedVolumes, "hostPathVolumes"},
    {"runAsNonRoot", 0, RunAsNonRoot},
    {"runAsNonRoot", 35, ButWithOwnUsers<RunAsNonRoot>},
    {"runAsUser", 23, RunAsUser},
    {"runAsUser", 35, ButWithOwnUsers<RunAsUser>},
    {"seccompProfile_restricted", 19, SeccompProfileRestricted, "seccompProfile_baseline"},
    {"seccompProfile_restricted", 25, ButOnWindows<SeccompProfileRestricted>, "seccompProfile_baseline"},
};

// Calls visit(rule) for each rule that holds in the release.
template <class Visit>
void EachRule(std::span<const Rule> rules, int minor, Visit visit) {
  for (size_t i = 0; i < rules.size(); ++i) {
    if (minor != LevelVersion::kLatest && rules[i].since > minor) continue;
    const bool superseded = i + 1 < rules.size() && rules[i + 1].id == rules[i].id &&
                            (minor == LevelVersion::kLatest || rules[i + 1].since <= minor);
    if (!superseded) visit(rules[i]);
  }
}

bool IsReplaced(std::string_view id, int minor) {
  bool replaced = false;
  EachRule(kRestricted, minor, [&](const Rule& rule) { replaced |= rule.replaces == id; });
  return replaced;
}

}  // namespace

Violations Evaluate(const LevelVersion& level, const Subject& subject) {
  Violations violations;
  if (level.level == Level::kPrivileged) return violations;
  const bool restricted = level.level == Level::kRestricted;
  const auto ask = [&](const Rule& rule) {
    if (auto found = rule.check(subject)) violations.push_back(*std::move(found));
  };
  EachRule(kBaseline, level.minor, [&](const Rule& rule) {
    if (!restricted || !IsReplaced(rule.id, level.minor)) ask(rule);
  });
  if (restricted) EachRule(kRestricted, level.minor, ask);
  return violations;
}

std::string Reasons(const Violations& violations) {
  std::vector<std::string_view> reasons;
  for (const Violation& violation : violations) reasons.push_back(violation.reason);
  return Join(reasons, ", ");
}

std::string Details(const Violations& violations) {
  std::vector<std::string> details;
  for (const Violation& violation : violations)
    details.push_back(violation.detail.empty() ? violation.reason
                                               : violation.reason + " (" + violation.detail + ")");
  return Join(details, ", ");
}

}  // namespace keelson::admission::pod_security
