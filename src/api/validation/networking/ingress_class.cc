#include "api/validation/networking/ingress_class.h"

#include "api/validation/core/checks.h"
#include "api/validation/domain_path.h"

namespace keelson::api::networking {
namespace {

using namespace networking_v1;
using field::ErrorList;
using field::Path;
using field::RenderValue;

constexpr size_t kMaxControllerLength = 250;

void CheckParameters(IngressClassParametersReferenceView parameters, const Path& path, ErrorList& errors) {
  if (!parameters) return;
  if (parameters.has_api_group())
    core::CheckDnsSubdomain(parameters.api_group(), path.Child("apiGroup"), errors);
  core::CheckRequiredPathSegment(parameters.kind(), path.Child("kind"), errors);
  core::CheckRequiredPathSegment(parameters.name(), path.Child("name"), errors);
  if (!parameters.has_scope()) return errors.Add(field::Required(path.Child("scope"), ""));

  const Path ns = path.Child("namespace");
  if (parameters.scope() == "Namespace") {
    if (!parameters.has_namespace()) {
      errors.Add(field::Required(ns, "`parameters.scope` is set to 'Namespace'"));
    } else {
      errors.AddInvalid(ns, parameters.namespace_(), NameIsDnsLabel(parameters.namespace_(), false));
    }
  } else if (parameters.scope() == "Cluster") {
    if (parameters.has_namespace())
      errors.Add(field::Forbidden(ns, "`parameters.scope` is set to 'Cluster'"));
  } else {
    constexpr std::string_view kScopes[] = {"Cluster", "Namespace"};
    errors.Add(field::NotSupported(path.Child("scope"), RenderValue(parameters.scope()), kScopes));
  }
}

}  // namespace

ErrorList ValidateIngressClass(IngressClassView ingress_class) {
  ErrorList errors;
  const auto spec = ingress_class.spec();
  const Path path("spec"), controller = path.Child("controller");
  if (spec.controller().size() > kMaxControllerLength)
    errors.Add(field::TooLong(controller, kMaxControllerLength));
  CheckDomainPrefixedPath(spec.controller(), controller, errors);
  CheckParameters(spec.parameters(), path.Child("parameters"), errors);
  return errors;
}

ErrorList ValidateIngressClassUpdate(IngressClassView now, IngressClassView was) {
  ErrorList errors;
  if (now.spec().controller() != was.spec().controller()) {
    const Path path("spec");
    errors.Add(
        field::Invalid(path.Child("controller"), RenderValue(now.spec().controller()), kFieldImmutable));
  }
  errors.Append(ValidateIngressClass(now));
  return errors;
}

}  // namespace keelson::api::networking
