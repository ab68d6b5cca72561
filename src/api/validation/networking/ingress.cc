#include "api/validation/networking/ingress.h"

#include <algorithm>
#include <set>
#include <string>

#include "api/validation/core/checks.h"
#include "api/validation/ip.h"
#include "api/validation/unversioned.h"

namespace keelson::api::networking {
namespace {

using namespace networking_v1;
using core::AddMessages;
using core::CheckSupported;
using field::ErrorList;
using field::Path;
using field::RenderValue;

// What was stored before it was checked may stay.
struct IngressOptions {
  bool allow_invalid_secret_name = false;
  bool allow_invalid_wildcard_rule = false;
};

bool IsWildcard(std::string_view host) { return host.find('*') != host.npos; }

Messages SecretNameMessages(std::string_view name) {
  return name.empty() ? Messages() : NameIsDnsSubdomain(name, false);
}

void CheckHost(std::string_view host, const Path& path, ErrorList& errors) {
  errors.AddInvalid(path, host,
                    IsWildcard(host) ? IsWildcardDns1123Subdomain(host) : IsDns1123Subdomain(host));
}

void CheckResource(core_v1::TypedLocalObjectReferenceView resource, const Path& path, ErrorList& errors) {
  if (resource.has_api_group()) core::CheckDnsSubdomain(resource.api_group(), path.Child("apiGroup"), errors);
  core::CheckRequiredPathSegment(resource.kind(), path.Child("kind"), errors);
  core::CheckRequiredPathSegment(resource.name(), path.Child("name"), errors);
}

void CheckServicePort(ServiceBackendPortView port, const Path& backend, const Path& path, ErrorList& errors) {
  const bool has_name = !port.name().empty(), has_number = port.number() != 0;
  if (has_name && has_number) {
    errors.Add(field::Invalid(backend, RenderValue(""), "cannot set both port name & port number"));
  } else if (has_name) {
    errors.AddInvalid(path.Child("name"), port.name(), IsPortName(port.name()));
  } else if (has_number) {
    core::CheckPortNumber(port.number(), path.Child("number"), errors);
  } else {
    errors.Add(field::Required(backend, "port name or number is required"));
  }
}

void CheckBackend(IngressBackendView backend, const Path& path, ErrorList& errors) {
  if (backend.resource() && backend.service()) {
    errors.Add(field::Invalid(path, RenderValue(""), "cannot set both resource and service backends"));
  } else if (backend.resource()) {
    CheckResource(backend.resource(), path.Child("resource"), errors);
  } else if (backend.service()) {
    const Path service = path.Child("service"), name = service.Child("name");
    if (backend.service().name().empty()) {
      errors.Add(field::Required(name, ""));
    } else {
      errors.AddInvalid(name, backend.service().name(), NameIsDnsLabel(backend.service().name(), false));
    }
    CheckServicePort(backend.service().port(), path, service.Child("port"), errors);
  } else {
    errors.Add(field::Invalid(path, RenderValue(""), "resource or service backend is required"));
  }
}

void CheckAbsolute(std::string_view value, const Path& path, ErrorList& errors) {
  if (!value.starts_with('/'))
    errors.Add(field::Invalid(path, RenderValue(value), "must be an absolute path"));
}

void CheckExactPath(std::string_view value, const Path& path, ErrorList& errors) {
  CheckAbsolute(value, path, errors);
  for (const std::string_view sequence : {"//", "/./", "/../", "%2f", "%2F"}) {
    if (value.find(sequence) == value.npos) continue;
    errors.Add(field::Invalid(path, RenderValue(value), "must not contain '" + std::string(sequence) + "'"));
  }
  for (const std::string_view suffix : {"/..", "/."}) {
    if (!value.ends_with(suffix)) continue;
    errors.Add(field::Invalid(path, RenderValue(value), "cannot end with '" + std::string(suffix) + "'"));
  }
}

void CheckHttpPath(HTTPIngressPathView rule, const Path& path, ErrorList& errors) {
  if (!rule.has_path_type()) {
    errors.Add(field::Required(path.Child("pathType"), "pathType must be specified"));
    return;
  }
  const Path at = path.Child("path");
  if (rule.path_type() == PathType::kExact || rule.path_type() == PathType::kPrefix) {
    CheckExactPath(rule.path(), at, errors);
  } else if (rule.path_type() == PathType::kImplementationSpecific) {
    if (!rule.path().empty()) CheckAbsolute(rule.path(), at, errors);
  } else {
    constexpr std::string_view kTypes[] = {PathType::kExact, PathType::kImplementationSpecific,
                                           PathType::kPrefix};
    errors.Add(field::NotSupported(path.Child("pathType"), RenderValue(rule.path_type()), kTypes));
  }
  CheckBackend(rule.backend(), path.Child("backend"), errors);
}

void CheckRuleValue(HTTPIngressRuleValueView http, const Path& path, ErrorList& errors) {
  if (!http) return;
  const Path at = path.Child("http"), paths = at.Child("paths");
  if (http.paths().empty()) errors.Add(field::Required(paths, ""));
  size_t i = 0;
  for (const auto rule : http.paths()) CheckHttpPath(rule, paths.Index(i++), errors);
}

void CheckRules(ListView<IngressRuleView> rules, const IngressOptions& options, const Path& path,
                ErrorList& errors) {
  size_t i = 0;
  for (const auto rule : rules) {
    const Path at = path.Index(i++), host = at.Child("host");
    if (!rule.host().empty()) {
      if (ParseIp(rule.host())) {
        errors.Add(field::Invalid(host, RenderValue(rule.host()), "must be a DNS name, not an IP address"));
      }
      CheckHost(rule.host(), host, errors);
    }
    if (IsWildcard(rule.host()) && options.allow_invalid_wildcard_rule) continue;
    CheckRuleValue(rule.ingress_rule_value().http(), at, errors);
  }
}

void CheckTls(ListView<IngressTLSView> tls, const IngressOptions& options, const Path& path,
              ErrorList& errors) {
  size_t i = 0;
  for (const auto entry : tls) {
    const Path at = path.Index(i++), hosts = at.Child("hosts");
    size_t j = 0;
    for (const Value& host : entry.hosts()) CheckHost(host.string(), hosts.Index(j++), errors);
    if (options.allow_invalid_secret_name) continue;
    errors.AddInvalid(at.Child("secretName"), entry.secret_name(), SecretNameMessages(entry.secret_name()));
  }
}

void CheckSpec(IngressSpecView spec, const IngressOptions& options, ErrorList& errors) {
  const Path path("spec");
  if (spec.rules().empty() && !spec.default_backend()) {
    const std::string rendered = spec ? field::RenderUnversionedField(spec.node(), "rules") : "null";
    errors.Add(field::Invalid(path, rendered, "either `defaultBackend` or `rules` must be specified"));
  }
  if (spec.default_backend()) CheckBackend(spec.default_backend(), path.Child("defaultBackend"), errors);
  CheckRules(spec.rules(), options, path.Child("rules"), errors);
  CheckTls(spec.tls(), options, path.Child("tls"), errors);
  if (spec.has_ingress_class_name()) {
    errors.AddInvalid(path.Child("ingressClassName"), spec.ingress_class_name(),
                      NameIsDnsSubdomain(spec.ingress_class_name(), false));
  }
}

IngressOptions OptionsFor(IngressSpecView was) {
  IngressOptions options;
  for (const auto tls : was.tls())
    options.allow_invalid_secret_name |= !SecretNameMessages(tls.secret_name()).empty();
  for (const auto rule : was.rules()) {
    if (!IsWildcard(rule.host())) continue;
    ErrorList errors;
    CheckRuleValue(rule.ingress_rule_value().http(), Path("rule"), errors);
    options.allow_invalid_wildcard_rule |= !errors.empty();
  }
  return options;
}

}  // namespace

ErrorList ValidateIngress(IngressView ingress) {
  ErrorList errors;
  CheckSpec(ingress.spec(), {}, errors);
  const Value* annotation = ingress.metadata().annotations().Find(kIngressClassAnnotation);
  if (annotation && ingress.spec().has_ingress_class_name() &&
      annotation->string() != ingress.spec().ingress_class_name()) {
    const Path annotations("annotations");
    errors.Add(field::Invalid(annotations.Child(kIngressClassAnnotation), RenderValue(annotation->string()),
                              "must match `ingressClassName` when both are specified"));
  }
  return errors;
}

ErrorList ValidateIngressUpdate(IngressView now, IngressView was) {
  ErrorList errors;
  CheckSpec(now.spec(), OptionsFor(was.spec()), errors);
  return errors;
}

ErrorList ValidateIngressStatusUpdate(IngressView now, IngressView was) {
  ErrorList errors;
  const Path status("status"), balancer = status.Child("loadBalancer"), path = balancer.Child("ingress");
  std::set<std::string_view> before;
  for (const auto old : was.status().load_balancer().ingress()) before.insert(old.ip());
  size_t i = 0;
  for (const auto ingress : now.status().load_balancer().ingress()) {
    const Path at = path.Index(i++), hostname = at.Child("hostname");
    if (!ingress.ip().empty() && !before.contains(ingress.ip()))
      errors.Append(ValidateIp(at.Child("ip"), ingress.ip()));
    if (ingress.hostname().empty()) continue;
    core::CheckDnsSubdomain(ingress.hostname(), hostname, errors);
    if (ParseIp(ingress.hostname())) {
      errors.Add(
          field::Invalid(hostname, RenderValue(ingress.hostname()), "must be a DNS name, not an IP address"));
    }
  }
  return errors;
}

}  // namespace keelson::api::networking
