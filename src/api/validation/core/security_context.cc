#include "api/validation/core/security_context.h"

#include <algorithm>
#include <set>
#include <string>

#include "api/validation/core/capabilities.h"
#include "api/validation/core/windows.h"
#include "api/validation/unversioned.h"
#include "base/ascii.h"

namespace keelson::api::core {
namespace {

using namespace core_v1;
using field::RenderValue;

constexpr size_t kMaxAppArmorProfileBytes = 4095;
constexpr size_t kMaxSysctlBytes = 253;

void CheckUser(bool present, int64_t id, const Path& path, ErrorList& errors) {
  if (present) AddMessages(path, RenderValue(id), IsUserId(id), errors);
}
void CheckGroup(bool present, int64_t id, const Path& path, ErrorList& errors) {
  if (present) AddMessages(path, RenderValue(id), IsGroupId(id), errors);
}

void CheckSeccomp(SeccompProfileView profile, const Path& path, ErrorList& errors) {
  if (!profile) return;
  constexpr std::string_view kTypes[] = {"Localhost", "RuntimeDefault", "Unconfined"};
  if (profile.type().empty()) {
    errors.Add(field::Required(path.Child("type"), "type is required when seccompProfile is set"));
  } else {
    CheckSupported(profile.type(), kTypes, path.Child("type"), errors);
  }
  const Path localhost = path.Child("localhostProfile");
  if (profile.type() != "Localhost") {
    if (profile.has_localhost_profile()) {
      errors.Add(field::Invalid(localhost, field::RenderUnversioned(profile.node()),
                                "can only be set when seccomp type is Localhost"));
    }
  } else if (!profile.has_localhost_profile()) {
    errors.Add(field::Required(localhost, "must be set when seccomp type is Localhost"));
  } else {
    CheckDescendingPath(profile.localhost_profile(), localhost, errors);
  }
}

void CheckAppArmor(AppArmorProfileView profile, const Path& path, ErrorList& errors) {
  if (!profile) return;
  const Path localhost = path.Child("localhostProfile");
  const std::string_view type = profile.type(), name = profile.localhost_profile();
  if (type == "Localhost") {
    if (!profile.has_localhost_profile() || name.empty()) {
      errors.Add(field::Required(localhost, "must be set when AppArmor type is Localhost"));
    } else if (base::Trimmed(name) != name) {
      errors.Add(field::Invalid(localhost, RenderValue(name), "must not be padded with whitespace"));
    }
    if (name.size() > kMaxAppArmorProfileBytes)
      errors.Add(field::TooLong(localhost, kMaxAppArmorProfileBytes));
  } else if (type == "RuntimeDefault" || type == "Unconfined") {
    if (profile.has_localhost_profile()) {
      errors.Add(
          field::Invalid(localhost, RenderValue(name), "can only be set when AppArmor type is Localhost"));
    }
  } else if (type.empty()) {
    errors.Add(field::Required(path.Child("type"), "type is required when appArmorProfile is set"));
  } else {
    constexpr std::string_view kTypes[] = {"Localhost", "RuntimeDefault", "Unconfined"};
    errors.Add(field::NotSupported(path.Child("type"), RenderValue(type), kTypes));
  }
}

// Segments of [a-z0-9]([-_a-z0-9]*[a-z0-9])? joined by dots or slashes.
bool IsSysctlName(std::string_view name) {
  if (name.size() > kMaxSysctlBytes) return false;
  auto alnum = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  while (true) {
    const size_t end = name.find_first_of("./");
    const std::string_view segment = name.substr(0, end);
    if (segment.empty() || !alnum(segment.front()) || !alnum(segment.back())) return false;
    if (!std::ranges::all_of(segment, [&](char c) { return alnum(c) || c == '-' || c == '_'; })) return false;
    if (end == name.npos) return true;
    name.remove_prefix(end + 1);
  }
}

// Sysctls of a namespace that the pod shares with the host are the host's.
void CheckHostSysctl(PodSpecView spec, std::string_view name, const Path& path, ErrorList& errors) {
  std::string dotted(name);
  std::ranges::replace(dotted, '/', '.');
  const bool net = dotted.starts_with("net.");
  const bool ipc = dotted.starts_with("kernel.shm") || dotted.starts_with("kernel.msg") ||
                   dotted == "kernel.sem" || dotted.starts_with("fs.mqueue.");
  if (net && spec.host_network()) {
    errors.Add(field::Invalid(path, RenderValue(name), "may not be specified when 'hostNetwork' is true"));
  } else if (ipc && spec.host_ipc()) {
    errors.Add(field::Invalid(path, RenderValue(name), "may not be specified when 'hostIPC' is true"));
  }
}

void CheckSysctls(PodSpecView spec, const Path& path, ErrorList& errors) {
  std::set<std::string_view> seen;
  size_t i = 0;
  for (auto sysctl : spec.security_context().sysctls()) {
    const Path item = path.Index(i++);
    const Path at = item.Child("name");
    const std::string_view name = sysctl.name();
    if (name.empty()) {
      errors.Add(field::Required(at, ""));
    } else if (!IsSysctlName(name)) {
      errors.Add(field::Invalid(at, RenderValue(name),
                                "must have at most 253 characters and match regex "
                                "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$"));
    } else if (seen.contains(name)) {
      errors.Add(field::Duplicate(at, RenderValue(name)));
    }
    CheckHostSysctl(spec, name, at, errors);
    seen.insert(name);
  }
}

bool AddsSysAdmin(CapabilitiesView capabilities) {
  return std::ranges::any_of(capabilities.add(),
                             [](const Value& v) { return v.string() == "CAP_SYS_ADMIN"; });
}

}  // namespace

void CheckSeccompAnnotation(std::string_view profile, const Path& path, ErrorList& errors) {
  constexpr std::string_view kLocalhost = "localhost/";
  if (profile == "runtime/default" || profile == "docker/default" || profile == "unconfined") return;
  if (profile.starts_with(kLocalhost)) {
    CheckDescendingPath(profile.substr(kLocalhost.size()), path, errors);
  } else {
    errors.Add(field::Invalid(path, RenderValue(profile), "must be a valid seccomp profile"));
  }
}

void CheckPodSecurityContext(PodSpecView spec, PodSpecView was, const Path& path, ErrorList& errors) {
  const auto context = spec.security_context();
  if (!context) return;
  CheckGroup(context.has_fs_group(), context.fs_group(), path.Child("fsGroup"), errors);
  CheckUser(context.has_run_as_user(), context.run_as_user(), path.Child("runAsUser"), errors);
  CheckGroup(context.has_run_as_group(), context.run_as_group(), path.Child("runAsGroup"), errors);
  const Path groups = path.Child("supplementalGroups");
  size_t i = 0;
  for (const Value& gid : context.supplemental_groups())
    CheckGroup(true, gid.integer(), groups.Index(i++), errors);
  if (spec.share_process_namespace() && spec.host_pid()) {
    errors.Add(field::Invalid(path.Child("shareProcessNamespace"), RenderValue(true),
                              "ShareProcessNamespace and HostPID cannot both be enabled"));
  }
  CheckSysctls(spec, path.Child("sysctls"), errors);
  if (context.has_fs_group_change_policy()) {
    constexpr std::string_view kPolicies[] = {"Always", "OnRootMismatch"};
    CheckSupported(context.fs_group_change_policy(), kPolicies, path.Child("fsGroupChangePolicy"), errors);
  }
  CheckSeccomp(context.seccomp_profile(), path.Child("seccompProfile"), errors);
  CheckWindowsOptions(context.windows_options(), path.Child("windowsOptions"), errors);
  CheckAppArmor(context.app_armor_profile(), path.Child("appArmorProfile"), errors);
  if (context.has_supplemental_groups_policy()) {
    constexpr std::string_view kPolicies[] = {"Merge", "Strict"};
    CheckSupported(context.supplemental_groups_policy(), kPolicies, path.Child("supplementalGroupsPolicy"),
                   errors);
  }
  if (context.has_se_linux_change_policy()) {
    // MountOption belongs to a feature of upstream that is off, but stays possible where a
    // policy was set before.
    constexpr std::string_view kPolicies[] = {"MountOption", "Recursive"};
    const bool both = was.security_context().has_se_linux_change_policy();
    CheckSupported(context.se_linux_change_policy(), std::span(kPolicies).subspan(both ? 0 : 1),
                   path.Child("seLinuxChangePolicy"), errors);
  }
}

void CheckSecurityContext(SecurityContextView context, bool host_users, const Path& path, ErrorList& errors) {
  if (!context) return;
  if (context.privileged() && !PrivilegedAllowed())
    errors.Add(field::Forbidden(path.Child("privileged"), "disallowed by cluster policy"));
  CheckUser(context.has_run_as_user(), context.run_as_user(), path.Child("runAsUser"), errors);
  CheckGroup(context.has_run_as_group(), context.run_as_group(), path.Child("runAsGroup"), errors);
  if (context.has_proc_mount()) {
    constexpr std::string_view kTypes[] = {"Default", "Unmasked"};
    const Path at = path.Child("procMount");
    CheckSupported(context.proc_mount(), kTypes, at, errors);
    if (host_users && context.proc_mount() == "Unmasked") {
      errors.Add(field::Invalid(at, RenderValue(context.proc_mount()),
                                "`hostUsers` must be false to use `Unmasked`"));
    }
  }
  CheckSeccomp(context.seccomp_profile(), path.Child("seccompProfile"), errors);
  if (context.has_allow_privilege_escalation() && !context.allow_privilege_escalation()) {
    auto refuse = [&](std::string_view why) {
      errors.Add(field::Invalid(path, field::RenderUnversioned(context.node()), why));
    };
    if (context.privileged())
      refuse("cannot set `allowPrivilegeEscalation` to false and `privileged` to true");
    if (AddsSysAdmin(context.capabilities())) {
      refuse("cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN");
    }
  }
  CheckAppArmor(context.app_armor_profile(), path.Child("appArmorProfile"), errors);
}

}  // namespace keelson::api::core
