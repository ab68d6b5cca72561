#include "api/validation/networking/ingress_class.h"

#include <algorithm>

#include "api/validation/core/checks.h"

namespace keelson::api::networking {
namespace {

using namespace networking_v1;
using field::ErrorList;
using field::Path;
using field::RenderValue;

constexpr size_t kMaxControllerLength = 250;

bool IsHttpPath(std::string_view path) {
  constexpr std::string_view kPunctuation = "/-._~%!$&'()*+,;=:";
  return std::ranges::all_of(path, [&](char c) {
    const bool alphanumeric = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return alphanumeric || kPunctuation.find(c) != kPunctuation.npos;
  });
}

void CheckDomainPrefixedPath(std::string_view value, const Path& path, ErrorList& errors) {
  if (value.empty()) return errors.Add(field::Required(path, ""));
  const size_t slash = value.find('/');
  if (slash == value.npos || slash == 0 || slash + 1 == value.size()) {
    return errors.Add(
        field::Invalid(path, RenderValue(value), "must be a domain-prefixed path (such as \"acme.io/foo\")"));
  }
  const std::string_view host = value.substr(0, slash), rest = value.substr(slash + 1);
  core::CheckDnsSubdomain(host, path, errors);
  if (IsHttpPath(rest)) return;
  errors.Add(field::Invalid(
      path, RenderValue(rest),
      RegexMessage("Invalid path", "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+", std::span<const std::string_view>())));
}

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
