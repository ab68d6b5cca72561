#include "api/validation/core/pod_os.h"

#include "api/validation/core/pod_spec.h"

namespace keelson::api::core {
namespace {

using namespace core_v1;
using field::RenderValue;

bool Has(const StructView& view, std::string_view member) {
  if (!view) return false;
  const MemberRef ref = view.node()->type->FindMember(member);
  const Value& value = view.node()->slot(ref.field->ordinal);
  return value.list() ? value.list()->size > 0 : !value.absent();
}

void CheckLinux(PodSpecView spec, const Path& path, ErrorList& errors) {
  constexpr std::string_view kWhy = "windows options cannot be set for a linux pod";
  if (spec.security_context().windows_options()) {
    errors.Add(field::Forbidden(path.Child("securityContext").Child("windowsOptions"), kWhy));
  }
  ForEachContainer(spec, path, [&](auto container, const Path& at) {
    if (container.security_context().windows_options()) {
      errors.Add(field::Forbidden(at.Child("securityContext").Child("windowsOptions"), kWhy));
    }
  });
}

void CheckWindows(PodSpecView spec, const Path& path, ErrorList& errors) {
  constexpr std::string_view kWhy = "cannot be set for a windows pod";
  auto forbid = [&](bool present, const Path& at) {
    if (present) errors.Add(field::Forbidden(at, kWhy));
  };
  const Path context_path = path.Child("securityContext");
  auto context = [&](std::string_view member) {
    forbid(Has(spec.security_context(), member), context_path.Child(member));
  };
  context("appArmorProfile");
  context("seLinuxOptions");
  forbid(spec.has_host_users(), path.Child("hostUsers"));
  forbid(spec.host_pid(), path.Child("hostPID"));
  forbid(spec.host_ipc(), path.Child("hostIPC"));
  for (std::string_view member : {"seccompProfile", "fsGroup", "fsGroupChangePolicy", "sysctls"})
    context(member);
  forbid(spec.has_share_process_namespace(), path.Child("shareProcessNamespace"));
  for (std::string_view member :
       {"runAsUser", "runAsGroup", "supplementalGroups", "supplementalGroupsPolicy", "seLinuxChangePolicy"}) {
    context(member);
  }
  ForEachContainer(spec, path, [&](auto container, const Path& at) {
    const Path own = at.Child("securityContext");
    for (std::string_view member :
         {"appArmorProfile", "seLinuxOptions", "seccompProfile", "capabilities", "readOnlyRootFilesystem",
          "privileged", "allowPrivilegeEscalation", "procMount", "runAsUser", "runAsGroup"}) {
      forbid(Has(container.security_context(), member), own.Child(member));
    }
  });
}

// How a profile is written in the annotations that came before the fields.
bool MatchesAnnotation(std::string_view annotation, std::string_view type, bool docker_default) {
  if (type == "Unconfined") return annotation == "unconfined";
  if (type == "RuntimeDefault")
    return annotation == "runtime/default" || (docker_default && annotation == "docker/default");
  return type != "Localhost" || annotation.starts_with("localhost/");
}

template <class Profile>
void CheckProfile(Profile profile, const Value* annotation, std::string_view what, bool docker_default,
                  const Path& path, ErrorList& errors) {
  if (!profile || !annotation) return;
  const std::string_view text = annotation->string();
  if (!MatchesAnnotation(text, profile.type(), docker_default)) {
    errors.Add(
        field::Forbidden(path.Child("type"), std::string(what) + " type in annotation and field must match"));
  } else if (profile.type() == "Localhost" &&
             (!profile.has_localhost_profile() ||
              text.substr(text.find('/') + 1) != profile.localhost_profile())) {
    errors.Add(field::Forbidden(path.Child("localhostProfile"),
                                std::string(what) + " profile in annotation and field must match"));
  }
}

}  // namespace

void CheckPodOs(PodSpecView spec, const Path& path, ErrorList& errors) {
  const auto os = spec.os();
  if (!os) return;
  const Path at = path.Child("os");
  if (os.name().empty()) return errors.Add(field::Required(at.Child("name"), ""));
  if (os.name() == "linux") {
    CheckLinux(spec, path, errors);
  } else if (os.name() == "windows") {
    CheckWindows(spec, path, errors);
  } else {
    constexpr std::string_view kSystems[] = {"linux", "windows"};
    errors.Add(field::NotSupported(at, RenderValue(os.name()), kSystems));
  }
}

void CheckSecurityAnnotations(const PodSpecOwner& owner, PodSpecView spec, const Path& spec_path,
                              ErrorList& errors) {
  const MapView annotations = owner.metadata.annotations();
  if (annotations.empty()) return;
  const Path context = spec_path.Child("securityContext");
  CheckProfile(spec.security_context().seccomp_profile(),
               annotations.Find("seccomp.security.alpha.kubernetes.io/pod"), "seccomp", true,
               context.Child("seccompProfile"), errors);
  ForEachContainer(spec, spec_path, [&](auto container, const Path& at) {
    const Path own = at.Child("securityContext");
    const std::string key = "container.seccomp.security.alpha.kubernetes.io/" + std::string(container.name());
    CheckProfile(container.security_context().seccomp_profile(), annotations.Find(key), "seccomp", true,
                 own.Child("seccompProfile"), errors);
  });
  if (spec.os().name() == "windows") return;
  ForEachContainer(spec, spec_path, [&](auto container, const Path& at) {
    const Path own = at.Child("securityContext");
    auto profile = container.security_context().app_armor_profile();
    if (!profile) profile = spec.security_context().app_armor_profile();
    const std::string key = "container.apparmor.security.beta.kubernetes.io/" + std::string(container.name());
    CheckProfile(profile, annotations.Find(key), "apparmor", false, own.Child("appArmorProfile"), errors);
  });
}

}  // namespace keelson::api::core
