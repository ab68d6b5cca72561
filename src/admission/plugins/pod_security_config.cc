#include "admission/plugins/pod_security_config.h"

#include "admission/configuration.h"
#include "api/generated/admission_config.h"
#include "api/validation/field.h"
#include "api/validation/names.h"
#include "auth/aggregate_error.h"

namespace keelson::admission {
namespace {

namespace field = api::field;
using api::admission_config::PodSecurityConfigurationView;
using pod_security::LevelVersion;

constexpr ConfigurationKind kPodSecurityKinds[] = {
    {"pod-security.admission.config.k8s.io/v1", "PodSecurityConfiguration"},
    {"pod-security.admission.config.k8s.io/v1beta1", "PodSecurityConfiguration"},
    {"pod-security.admission.config.k8s.io/v1alpha1", "PodSecurityConfiguration"},
};

// An empty text leaves the default of `out`.
void ReadDefault(std::string_view mode, std::string_view level, std::string_view version, LevelVersion& out,
                 auth::AggregateError& errors) {
  if (!level.empty()) {
    const auto parsed = pod_security::ParseLevel(level);
    if (parsed)
      out.level = *parsed;
    else
      errors.Add(std::string(mode).append(": ").append(pod_security::kLevelsExpected));
  }
  if (!version.empty()) {
    const auto parsed = pod_security::ParseVersion(version);
    if (parsed)
      out.minor = *parsed;
    else
      errors.Add(std::string(mode).append("-version: ").append(pod_security::kVersionExpected));
  }
}

// `check`: what is wrong with a name.
template <class Check>
PodSecurityConfig::Names ReadExempt(api::ScalarList names, const field::Path& path, const Check& check,
                                    field::ErrorList& errors) {
  PodSecurityConfig::Names valid;
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string_view name = names[i].string();
    std::string wrong;
    for (const std::string& message : check(name)) wrong.append(wrong.empty() ? "" : ", ").append(message);
    if (!wrong.empty())
      errors.Add(field::Invalid(path.Index(i), field::RenderValue(name), wrong));
    else if (!valid.emplace(name).second)
      errors.Add(field::Duplicate(path.Index(i), field::RenderValue(name)));
  }
  return valid;
}

api::Messages CheckUsername(std::string_view name) {
  return name.empty() ? api::Messages{"username must not be empty"} : api::Messages();
}

}  // namespace

base::Result<PodSecurityConfig, std::string> ParsePodSecurityConfig(const std::optional<std::string>& text) {
  PodSecurityConfig config;
  if (!text || text->empty()) return config;
  const auto decoded = DecodeConfiguration(
      *text, {.type = PodSecurityConfigurationView::Type(), .kinds = kPodSecurityKinds, .strict = true});
  if (!decoded)
    return base::Err("couldn't init admission plugin \"PodSecurity\": " + decoded.error().message);
  const PodSecurityConfigurationView view(*decoded);
  const std::string failed = "failed to initialize admission plugin \"PodSecurity\": PodSecurity ";

  const auto defaults = view.defaults();
  auth::AggregateError problems;
  ReadDefault("enforce", defaults.enforce(), defaults.enforce_version(), config.defaults.enforce, problems);
  ReadDefault("audit", defaults.audit(), defaults.audit_version(), config.defaults.audit, problems);
  ReadDefault("warn", defaults.warn(), defaults.warn_version(), config.defaults.warn, problems);
  if (!problems.empty()) return base::Err(failed + "configuration error: " + problems.ToString());

  const auto exemptions = view.exemptions();
  const field::Path path("exemptions");
  field::ErrorList errors;
  const auto is_label = [](std::string_view name) { return api::NameIsDnsLabel(name, false); };
  const auto is_subdomain = [](std::string_view name) { return api::NameIsDnsSubdomain(name, false); };
  config.exempt_namespaces = ReadExempt(exemptions.namespaces(), path.Child("namespaces"), is_label, errors);
  config.exempt_runtime_classes =
      ReadExempt(exemptions.runtime_classes(), path.Child("runtimeClasses"), is_subdomain, errors);
  config.exempt_usernames =
      ReadExempt(exemptions.usernames(), path.Child("usernames"), &CheckUsername, errors);
  if (!errors.empty()) return base::Err(failed + "invalid: " + errors.Aggregate());
  return config;
}

}  // namespace keelson::admission
