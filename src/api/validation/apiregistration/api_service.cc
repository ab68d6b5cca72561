#include "api/validation/apiregistration/api_service.h"

#include "api/validation/core/checks.h"
#include "api/validation/quote.h"

namespace keelson::api::apiregistration {
namespace {

using field::ErrorList;
using field::Path;
using field::RenderValue;
using namespace apiregistration_v1;

void CheckName(APIServiceView service, ErrorList& errors) {
  const std::string required =
      std::string(service.spec().version()) + "." + std::string(service.spec().group());
  const Path metadata("metadata");
  const auto check = [&](std::string_view name, std::string_view member) {
    if (name.empty() || name == required || !IsPathSegmentName(name).empty()) return;
    errors.Add(field::Invalid(metadata.Child(member), RenderValue(name),
                              "must be `spec.version+\".\"+spec.group`: " + Quoted(required)));
  };
  check(service.metadata().generate_name(), "generateName");
  check(service.metadata().name(), "name");
}

void CheckGroupVersion(APIServiceSpecView spec, const Path& path, ErrorList& errors) {
  const Path group = path.Child("group");
  if (spec.group().empty() && spec.version() != "v1")
    errors.Add(field::Required(group, "only v1 may have an empty group and it better be legacy kube"));
  if (!spec.group().empty()) errors.AddInvalid(group, spec.group(), IsDns1123Subdomain(spec.group()));
  errors.AddInvalid(path.Child("version"), spec.version(), IsDns1035Label(spec.version()));
}

void CheckPriority(int64_t value, int64_t max, const Path& path, ErrorList& errors) {
  if (value > 0 && value <= max) return;
  errors.Add(
      field::Invalid(path, RenderValue(value), "must be positive and less than " + std::to_string(max)));
}

void CheckLocal(APIServiceSpecView spec, const Path& path, ErrorList& errors) {
  if (!spec.ca_bundle().empty())
    errors.Add(field::Invalid(path.Child("caBundle"),
                              RenderValue(std::to_string(spec.ca_bundle().size()) + " bytes"),
                              "local APIServices may not have a caBundle"));
  if (spec.insecure_skip_tls_verify())
    errors.Add(field::Invalid(path.Child("insecureSkipTLSVerify"), RenderValue(true),
                              "local APIServices may not have insecureSkipTLSVerify"));
}

void CheckService(APIServiceSpecView spec, const Path& path, ErrorList& errors) {
  const Path service = path.Child("service");
  core::CheckRequired(spec.service().namespace_(), service.Child("namespace"), errors);
  core::CheckRequired(spec.service().name(), service.Child("name"), errors);
  std::string wrong_port;
  for (const std::string& message : IsPortNumber(spec.service().port()))
    wrong_port.append(wrong_port.empty() ? "port is not valid: " : ", ").append(message);
  if (!wrong_port.empty())
    errors.Add(field::Invalid(service.Child("port"), RenderValue(spec.service().port()), wrong_port));
  if (spec.insecure_skip_tls_verify() && !spec.ca_bundle().empty())
    errors.Add(field::Invalid(path.Child("insecureSkipTLSVerify"), RenderValue(true),
                              "may not be true if caBundle is present"));
}

}  // namespace

ErrorList ValidateApiService(APIServiceView service) {
  ErrorList errors;
  const auto spec = service.spec();
  const Path path("spec");
  CheckName(service, errors);
  CheckGroupVersion(spec, path, errors);
  constexpr int64_t kMaxGroupPriority = 20000, kMaxVersionPriority = 1000;
  CheckPriority(spec.group_priority_minimum(), kMaxGroupPriority, path.Child("groupPriorityMinimum"), errors);
  CheckPriority(spec.version_priority(), kMaxVersionPriority, path.Child("versionPriority"), errors);
  spec.service() ? CheckService(spec, path, errors) : CheckLocal(spec, path, errors);
  return errors;
}

ErrorList ValidateApiServiceStatusUpdate(APIServiceView now) {
  static constexpr std::string_view kStatuses[] = {"True", "False", "Unknown"};
  ErrorList errors;
  const Path status("status"), conditions = status.Child("conditions");
  size_t i = 0;
  for (const auto condition : now.status().conditions()) {
    const Path at = conditions.Index(i++);
    core::CheckSupported(condition.status(), kStatuses, at.Child("status"), errors);
  }
  return errors;
}

}  // namespace keelson::api::apiregistration
