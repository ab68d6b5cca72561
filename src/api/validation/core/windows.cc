#include "api/validation/core/windows.h"

#include <algorithm>
#include <optional>
#include <string>

#include "api/validation/core/capabilities.h"
#include "api/validation/core/pod_os.h"
#include "base/utf8.h"

namespace keelson::api::core {
namespace {

using namespace core_v1;
using field::RenderValue;

constexpr size_t kMaxCredentialKiB = 64;
constexpr size_t kMaxDomainBytes = 256;
constexpr size_t kMaxUserBytes = 104;
constexpr size_t kMaxNetBiosCharacters = 15;
constexpr size_t kMaxLabelBytes = 63;

bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

bool IsNetBiosName(std::string_view domain) {
  return !domain.empty() && domain[0] != '.' && base::CountRunes(domain) <= kMaxNetBiosCharacters &&
         domain.find_first_of("\\/:*?\"<>|") == domain.npos;
}

bool IsDnsName(std::string_view domain) {
  const auto alnum = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  while (true) {
    const size_t end = domain.find('.');
    const std::string_view label = domain.substr(0, end);
    if (label.empty() || label.size() > kMaxLabelBytes || !alnum(label.front()) || !alnum(label.back()) ||
        !std::ranges::all_of(label, [&](char c) { return alnum(c) || c == '-'; })) {
      return false;
    }
    if (end == domain.npos) return true;
    domain.remove_prefix(end + 1);
  }
}

// [DOMAIN\]USER
void CheckUserName(std::string_view name, const Path& path, ErrorList& errors) {
  const auto refuse = [&](std::string why) {
    errors.Add(field::Invalid(path, RenderValue(name), "runAsUserName" + std::move(why)));
  };
  if (name.empty()) return refuse(" cannot be an empty string");
  if (std::ranges::any_of(name, IsControl)) return refuse(" cannot contain control characters");
  const size_t slash = name.find('\\');
  if (slash != name.rfind('\\')) return refuse(" cannot contain more than one backslash");
  const bool has_domain = slash != name.npos;
  const std::string_view domain = has_domain ? name.substr(0, slash) : std::string_view();
  const std::string_view user = has_domain ? name.substr(slash + 1) : name;
  if (domain.size() >= kMaxDomainBytes)
    refuse("'s Domain length must be under " + std::to_string(kMaxDomainBytes) + " characters");
  if (has_domain && !IsNetBiosName(domain) && !IsDnsName(domain))
    refuse("'s Domain doesn't match the NetBios nor the DNS format");
  if (user.empty()) refuse("'s User cannot be empty");
  if (user.size() > kMaxUserBytes)
    refuse("'s User length must not be longer than " + std::to_string(kMaxUserBytes) + " characters");
  if (!user.empty() && user.find_first_not_of(". ") == user.npos)
    refuse("'s User cannot contain only periods or spaces");
  if (user.find_first_of("\"/\\:;|=,+*?<>@[]") != user.npos)
    refuse("'s User cannot contain the following characters: \"/\\:;|=,+*?<>@[]");
}

std::optional<bool> HostProcess(WindowsSecurityContextOptionsView options) {
  return options.has_host_process() ? std::optional(options.host_process()) : std::nullopt;
}

// Most pods have none, and are done with here.
bool HasWindowsOptions(PodSpecView spec) {
  const auto has = [](auto context) { return static_cast<bool>(context.windows_options()); };
  if (has(spec.security_context())) return true;
  for (auto container : spec.containers())
    if (has(container.security_context())) return true;
  for (auto container : spec.init_containers())
    if (has(container.security_context())) return true;
  for (auto container : spec.ephemeral_containers())
    if (has(container.ephemeral_container_common().security_context())) return true;
  return false;
}

}  // namespace

void CheckWindowsOptions(WindowsSecurityContextOptionsView options, const Path& path, ErrorList& errors) {
  if (!options) return;
  if (options.has_gmsa_credential_spec_name()) {
    errors.AddInvalid(path.Child("gmsaCredentialSpecName"), options.gmsa_credential_spec_name(),
                      NameIsDnsSubdomain(options.gmsa_credential_spec_name(), false));
  }
  if (options.has_gmsa_credential_spec()) {
    const std::string_view spec = options.gmsa_credential_spec();
    const Path at = path.Child("gmsaCredentialSpec");
    if (spec.empty()) {
      errors.Add(field::Invalid(at, RenderValue(spec), "gmsaCredentialSpec cannot be an empty string"));
    } else if (spec.size() > kMaxCredentialKiB * 1024) {
      errors.Add(field::Invalid(
          at, RenderValue(spec),
          "gmsaCredentialSpec size must be under " + std::to_string(kMaxCredentialKiB) + " KiB"));
    }
  }
  if (options.has_run_as_user_name())
    CheckUserName(options.run_as_user_name(), path.Child("runAsUserName"), errors);
}

void CheckHostProcesses(PodSpecView spec, const Path& path, ErrorList& errors) {
  if (!HasWindowsOptions(spec)) return;
  const std::optional<bool> all = HostProcess(spec.security_context().windows_options());
  size_t containers = 0, processes = 0;
  ForEachContainer(spec, path, [&](auto container, const Path& at) {
    ++containers;
    const std::optional<bool> own = HostProcess(container.security_context().windows_options());
    if (all && own && *all != *own) {
      errors.Add(field::Invalid(
          at.Child("securityContext").Child("windowsOptions").Child("hostProcess"), RenderValue(*own),
          std::string("pod hostProcess value must be identical if both are specified, was ") +
              (*all ? "true" : "false")));
    }
    if (own.value_or(all.value_or(false))) ++processes;
  });
  if (processes == 0) return;
  if (processes != containers) {
    errors.Add(field::Invalid(
        path, RenderValue(""),
        "If pod contains any hostProcess containers then all containers must be HostProcess containers"));
  }
  if (!spec.host_network()) {
    errors.Add(field::Invalid(path.Child("hostNetwork"), RenderValue(false),
                              "hostNetwork must be true if pod contains any hostProcess containers"));
  }
  if (!PrivilegedAllowed())
    errors.Add(field::Forbidden(path, "hostProcess containers are disallowed by cluster policy"));
}

}  // namespace keelson::api::core
