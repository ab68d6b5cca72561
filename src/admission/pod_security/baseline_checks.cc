#include <algorithm>
#include <span>

#include "admission/pod_security/checks.h"
#include "admission/pod_security/wording.h"
#include "api/validation/quote.h"

namespace keelson::admission::pod_security {
namespace {

using api::Value;

bool Contains(std::span<const std::string_view> all, std::string_view one) {
  return std::ranges::find(all, one) != all.end();
}

std::string Annotation(std::string_view key, std::string_view value) {
  return std::string(key) + "=" + api::Quoted(value);
}

// In the order in which they became safe.
constexpr std::string_view kSafeSysctls[] = {"kernel.shm_rmid_forced",
                                             "net.ipv4.ip_local_port_range",
                                             "net.ipv4.tcp_syncookies",
                                             "net.ipv4.ping_group_range",
                                             "net.ipv4.ip_unprivileged_port_start",  // until here since ever
                                             "net.ipv4.ip_local_reserved_ports",     // 1.27
                                             "net.ipv4.tcp_keepalive_time",
                                             "net.ipv4.tcp_fin_timeout",
                                             "net.ipv4.tcp_keepalive_intvl",
                                             "net.ipv4.tcp_keepalive_probes",  // 1.29
                                             "net.ipv4.tcp_rmem",
                                             "net.ipv4.tcp_wmem"};  // 1.32

Finding CheckSysctls(const Subject& subject, std::span<const std::string_view> safe) {
  Names forbidden;
  for (auto sysctl : subject.spec.security_context().sysctls())
    if (!Contains(safe, sysctl.name())) forbidden.push_back(sysctl.name());
  if (forbidden.empty()) return {};
  return Violation{"forbidden sysctls", Join(forbidden, ", ")};
}

Finding CheckSeLinux(const Subject& subject, std::span<const std::string_view> types) {
  Values bad_types;
  bool user = false, role = false;
  const auto bad = [&](api::core_v1::SELinuxOptionsView options) {
    const bool bad_type = !Contains(types, options.type());
    if (bad_type) bad_types.emplace(options.type());
    user |= !options.user().empty();
    role |= !options.role().empty();
    return bad_type || !options.user().empty() || !options.role().empty();
  };
  const bool pod = bad(subject.spec.security_context().se_linux_options());
  Names containers;
  EachContainer(subject.spec, [&](auto container) {
    if (bad(container.security_context().se_linux_options())) containers.push_back(container.name());
  });
  if (!pod && containers.empty()) return {};
  std::vector<std::string> data;
  if (!bad_types.empty())
    data.push_back(std::string(Plural("type", "types", bad_types.size())) + " " + Quoted(bad_types));
  if (user) data.emplace_back("user may not be set");
  if (role) data.emplace_back("role may not be set");
  return Violation{
      "seLinuxOptions",
      Setters(pod, containers) + " set forbidden securityContext.seLinuxOptions: " + Join(data, "; ")};
}

// Who sets a profile that does not confine, and of which types.
struct Unconfined {
  Values types;
  bool pod = false;
  Names containers;
};
template <class ProfileOf>
Unconfined FindUnconfined(const Subject& subject, ProfileOf profile_of) {
  Unconfined found;
  const auto bad = [&](auto context) {
    const auto profile = profile_of(context);
    if (!profile || IsConfined(profile.type())) return false;
    found.types.emplace(profile.type());
    return true;
  };
  found.pod = bad(subject.spec.security_context());
  EachContainer(subject.spec, [&](auto container) {
    if (bad(container.security_context())) found.containers.push_back(container.name());
  });
  return found;
}

// A probe's or lifecycle handler's host.
template <class Handler>
bool AddHosts(Handler handler, Values& hosts) {
  const std::string_view http = handler.http_get().host(), tcp = handler.tcp_socket().host();
  if (!http.empty()) hosts.emplace(http);
  if (!tcp.empty()) hosts.emplace(tcp);
  return !http.empty() || !tcp.empty();
}

}  // namespace

Finding AppArmorProfile(const Subject& subject) {
  constexpr std::string_view kPrefix = "container.apparmor.security.beta.kubernetes.io/";
  const auto [types, pod, containers] =
      FindUnconfined(subject, [](auto context) { return context.app_armor_profile(); });
  std::vector<std::string> annotations;
  for (const auto& [key, value] : subject.metadata.annotations()) {
    const std::string_view profile = value.string();
    if (key.starts_with(kPrefix) && !profile.empty() && profile != "runtime/default" &&
        !profile.starts_with("localhost/"))
      annotations.push_back(Annotation(key, profile));
  }
  if (!pod && containers.empty() && annotations.empty()) return {};
  std::ranges::sort(annotations);
  std::vector<std::string> values(types.begin(), types.end());
  values.insert(values.end(), annotations.begin(), annotations.end());
  std::string setters = Setters(pod, containers);
  if (!annotations.empty())
    setters.append(setters.empty() ? "" : " and ")
        .append(Plural("annotation", "annotations", annotations.size()));
  return Violation{
      std::string(Plural("forbidden AppArmor profile", "forbidden AppArmor profiles", values.size())),
      setters + " must not set AppArmor profile type to " + Quoted(values)};
}

Finding CapabilitiesBaseline(const Subject& subject) {
  constexpr std::string_view kDefault[] = {"AUDIT_WRITE", "CHOWN",  "DAC_OVERRIDE",     "FOWNER",  "FSETID",
                                           "KILL",        "MKNOD",  "NET_BIND_SERVICE", "SETFCAP", "SETGID",
                                           "SETPCAP",     "SETUID", "SYS_CHROOT"};
  Names containers;
  Values added;
  EachContainer(subject.spec, [&](auto container) {
    bool bad = false;
    for (const Value& capability : container.security_context().capabilities().add()) {
      if (Contains(kDefault, capability.string())) continue;
      added.emplace(capability.string());
      bad = true;
    }
    if (bad) containers.push_back(container.name());
  });
  if (containers.empty()) return {};
  return Violation{"non-default capabilities", Containers(containers) + " must not include " + Quoted(added) +
                                                   " in securityContext.capabilities.add"};
}

Finding HostNamespaces(const Subject& subject) {
  Names shared;
  if (subject.spec.host_network()) shared.emplace_back("hostNetwork=true");
  if (subject.spec.host_pid()) shared.emplace_back("hostPID=true");
  if (subject.spec.host_ipc()) shared.emplace_back("hostIPC=true");
  if (shared.empty()) return {};
  return Violation{"host namespaces", Join(shared, ", ")};
}

Finding HostPathVolumes(const Subject& subject) {
  Names volumes;
  for (auto volume : subject.spec.volumes())
    if (volume.volume_source().host_path()) volumes.push_back(volume.name());
  if (volumes.empty()) return {};
  return Violation{"hostPath volumes",
                   std::string(Plural("volume", "volumes", volumes.size())) + " " + Quoted(volumes)};
}

Finding HostPorts(const Subject& subject) {
  Names containers;
  Values ports;
  EachContainer(subject.spec, [&](auto container) {
    bool bad = false;
    for (auto port : container.ports()) {
      if (port.host_port() == 0) continue;
      ports.insert(std::to_string(port.host_port()));
      bad = true;
    }
    if (bad) containers.push_back(container.name());
  });
  if (containers.empty()) return {};
  std::string detail = Containers(containers) + " ";
  detail.append(Plural("uses", "use", containers.size())).append(" ");
  detail.append(Plural("hostPort", "hostPorts", ports.size())).append(" ");
  return Violation{"hostPort", detail + Join(ports, ", ")};
}

Finding HostProbesAndHostLifecycle(const Subject& subject) {
  std::set<std::string_view> bad;
  Values hosts;
  EachContainer(subject.spec, [&](auto container) {
    bool any = false;
    for (auto probe : {container.liveness_probe(), container.readiness_probe(), container.startup_probe()})
      any |= AddHosts(probe.probe_handler(), hosts);
    for (auto handler : {container.lifecycle().post_start(), container.lifecycle().pre_stop()})
      any |= AddHosts(handler, hosts);
    if (any) bad.insert(container.name());
  });
  if (bad.empty()) return {};
  const Names containers(bad.begin(), bad.end());
  std::string detail = Containers(containers) + " ";
  detail.append(Plural("uses", "use", containers.size())).append(" ");
  detail.append(Plural("probe or lifecycle host", "probe or lifecycle hosts", hosts.size())).append(" ");
  return Violation{"probe or lifecycle host", detail + Quoted(hosts)};
}

Finding Privileged(const Subject& subject) {
  Names containers;
  EachContainer(subject.spec, [&](auto container) {
    if (container.security_context().privileged()) containers.push_back(container.name());
  });
  if (containers.empty()) return {};
  return Violation{"privileged", Containers(containers) + " must not set securityContext.privileged=true"};
}

Finding ProcMount(const Subject& subject) {
  Names containers;
  Values types;
  EachContainer(subject.spec, [&](auto container) {
    const auto context = container.security_context();
    if (!context.has_proc_mount() || context.proc_mount() == "Default") return;
    containers.push_back(container.name());
    types.emplace(context.proc_mount());
  });
  if (containers.empty()) return {};
  return Violation{"procMount",
                   Containers(containers) + " must not set securityContext.procMount to " + Quoted(types)};
}

Finding SeLinuxOptions(const Subject& subject) {
  static constexpr std::string_view kTypes[] = {"", "container_t", "container_init_t", "container_kvm_t"};
  return CheckSeLinux(subject, kTypes);
}

Finding SeLinuxOptionsSince31(const Subject& subject) {
  static constexpr std::string_view kTypes[] = {"", "container_t", "container_init_t", "container_kvm_t",
                                                "container_engine_t"};
  return CheckSeLinux(subject, kTypes);
}

Finding SeccompAnnotations(const Subject& subject) {
  constexpr std::string_view kPod = "seccomp.security.alpha.kubernetes.io/pod";
  constexpr std::string_view kContainer = "container.seccomp.security.alpha.kubernetes.io/";
  Values forbidden;
  const auto check = [&](std::string_view key) {
    const Value* const value = subject.metadata.annotations().Find(key);
    if (!value) return;
    const std::string_view profile = value->string();
    if (profile != "runtime/default" && profile != "docker/default" && !profile.starts_with("localhost/"))
      forbidden.insert(Annotation(key, profile));
  };
  check(kPod);
  EachContainer(subject.spec,
                [&](auto container) { check(std::string(kContainer).append(container.name())); });
  if (forbidden.empty()) return {};
  return Violation{"seccompProfile", "forbidden " +
                                         std::string(Plural("annotation", "annotations", forbidden.size())) +
                                         " " + Join(forbidden, ", ")};
}

Finding SeccompProfileBaseline(const Subject& subject) {
  const auto [types, pod, containers] =
      FindUnconfined(subject, [](auto context) { return context.seccomp_profile(); });
  if (!pod && containers.empty()) return {};
  return Violation{
      "seccompProfile",
      Setters(pod, containers) + " must not set securityContext.seccompProfile.type to " + Quoted(types)};
}

Finding Sysctls(const Subject& subject) { return CheckSysctls(subject, std::span(kSafeSysctls).first(5)); }
Finding SysctlsSince27(const Subject& subject) {
  return CheckSysctls(subject, std::span(kSafeSysctls).first(6));
}
Finding SysctlsSince29(const Subject& subject) {
  return CheckSysctls(subject, std::span(kSafeSysctls).first(10));
}
Finding SysctlsSince32(const Subject& subject) { return CheckSysctls(subject, kSafeSysctls); }

Finding WindowsHostProcess(const Subject& subject) {
  const bool pod = subject.spec.security_context().windows_options().host_process();
  Names containers;
  EachContainer(subject.spec, [&](auto container) {
    if (container.security_context().windows_options().host_process()) containers.push_back(container.name());
  });
  if (!pod && containers.empty()) return {};
  return Violation{"hostProcess", Setters(pod, containers) +
                                      " must not set securityContext.windowsOptions.hostProcess=true"};
}

}  // namespace keelson::admission::pod_security
