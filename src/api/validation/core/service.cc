#include "api/validation/core/service.h"

#include <set>
#include <string>
#include <utility>

#include "api/validation/core/checks.h"
#include "api/validation/core/endpoints.h"
#include "api/validation/core/service_addresses.h"
#include "api/validation/ip.h"
#include "api/validation/labels.h"
#include "base/ascii.h"

namespace keelson::api::core {
namespace {

using namespace core_v1;
using field::RenderValue;

constexpr std::string_view kOnlyForLoadBalancers = "may only be used when `type` is 'LoadBalancer'";
constexpr int32_t kMaxClientIpTimeoutSeconds = 86400;

// Ranges that clients must come from; blanks around them are part of the API.
void CheckSourceRanges(ServiceView service, ServiceView was, ErrorList& errors) {
  constexpr std::string_view kAnnotation = "service.beta.kubernetes.io/load-balancer-source-ranges";
  const bool load_balancer = service.spec().type() == ServiceType::kLoadBalancer;
  const ScalarList ranges = service.spec().load_balancer_source_ranges();
  if (!ranges.empty()) {
    const Path spec("spec"), path = spec.Child("LoadBalancerSourceRanges");
    if (!load_balancer) errors.Add(field::Forbidden(path, kOnlyForLoadBalancers));
    std::set<std::string_view> before;
    for (const Value& old : was.spec().load_balancer_source_ranges())
      before.insert(base::Trimmed(old.string()));
    size_t i = 0;
    for (const Value& range : ranges) {
      const Path at = path.Index(i++);
      if (!before.contains(base::Trimmed(range.string())))
        errors.Append(ValidateCidr(at, base::Trimmed(range.string())));
    }
    return;
  }
  const Value* annotation = service.metadata().annotations().Find(kAnnotation);
  if (!annotation) return;
  const Path metadata("metadata"), annotations = metadata.Child("annotations"),
                                   path = annotations.Key(kAnnotation);
  if (!load_balancer) errors.Add(field::Forbidden(path, kOnlyForLoadBalancers));
  const Value* old = was.metadata().annotations().Find(kAnnotation);
  std::string_view rest = base::Trimmed(annotation->string());
  if (rest.empty() || (old && old->string() == annotation->string())) return;
  while (true) {
    const size_t comma = rest.find(',');
    errors.Append(ValidateCidr(path, base::Trimmed(rest.substr(0, comma))));
    if (comma == rest.npos) return;
    rest.remove_prefix(comma + 1);
  }
}

void CheckType(ServiceView service, const Path& path, ErrorList& errors) {
  const auto spec = service.spec();
  const std::string_view type = spec.type();
  const Path ips = path.Child("clusterIPs");
  if (IsHeadless(service) && (type == ServiceType::kLoadBalancer || type == ServiceType::kNodePort)) {
    errors.Add(field::Invalid(ips.Index(0), RenderValue(spec.cluster_ips()[0].string()),
                              "may not be set to 'None' for " + std::string(type) + " services"));
  }
  if (type != ServiceType::kExternalName) return;
  constexpr std::string_view kWhy = "may not be set for ExternalName services";
  if (!spec.cluster_ips().empty()) errors.Add(field::Forbidden(ips, kWhy));
  if (!spec.ip_families().empty()) errors.Add(field::Forbidden(path.Child("ipFamilies"), kWhy));
  if (spec.has_ip_family_policy()) errors.Add(field::Forbidden(path.Child("ipFamilyPolicy"), kWhy));
  std::string_view name = spec.external_name();
  if (name.ends_with('.')) name.remove_suffix(1);
  if (name.empty()) {
    errors.Add(field::Required(path.Child("externalName"), ""));
  } else {
    CheckDnsSubdomain(name, path.Child("externalName"), errors);
  }
}

void CheckPort(ServicePortView port, bool require_name, std::set<std::string_view>& names, const Path& path,
               ErrorList& errors) {
  constexpr std::string_view kProtocols[] = {Protocol::kSCTP, Protocol::kTCP, Protocol::kUDP};
  if (require_name && port.name().empty()) {
    errors.Add(field::Required(path.Child("name"), ""));
  } else if (!port.name().empty()) {
    CheckDnsLabel(port.name(), path.Child("name"), errors);
    if (!names.insert(port.name()).second)
      errors.Add(field::Duplicate(path.Child("name"), RenderValue(port.name())));
  }
  CheckPortNumber(port.port(), path.Child("port"), errors);
  CheckRequiredSupported(port.protocol(), kProtocols, path.Child("protocol"), errors);
  CheckPortNumberOrName(port.target_port(), path.Child("targetPort"), errors);
  if (port.has_app_protocol()) CheckQualifiedName(port.app_protocol(), path.Child("appProtocol"), errors);
}

// No port of the service and no port of a node twice for one protocol.
void CheckUniquePorts(ServiceSpecView spec, const Path& path, ErrorList& errors) {
  std::set<std::pair<std::string_view, int32_t>> node_ports, ports;
  size_t i = 0;
  if (spec.type() == ServiceType::kClusterIP) {
    for (auto port : spec.ports()) {
      const Path at = path.Index(i++);
      if (port.node_port() == 0) continue;
      errors.Add(field::Forbidden(at.Child("nodePort"), "may not be used when `type` is 'ClusterIP'"));
    }
  }
  i = 0;
  for (auto port : spec.ports()) {
    const Path at = path.Index(i++);
    if (port.node_port() == 0 || node_ports.emplace(port.protocol(), port.node_port()).second) continue;
    errors.Add(field::Duplicate(at.Child("nodePort"), RenderValue(port.node_port())));
  }
  i = 0;
  for (auto port : spec.ports()) {
    const Path at = path.Index(i++);
    if (ports.emplace(port.protocol(), port.port()).second) continue;
    // Upstream prints the port with everything but protocol and number left empty.
    errors.Add(field::Duplicate(at, "{\"Name\":\"\",\"Protocol\":" + RenderValue(port.protocol()) +
                                        ",\"AppProtocol\":null,\"Port\":" + RenderValue(port.port()) +
                                        ",\"TargetPort\":0,\"NodePort\":0}"));
  }
}

void CheckSessionAffinity(ServiceSpecView spec, const Path& path, ErrorList& errors) {
  constexpr std::string_view kTypes[] = {ServiceAffinity::kClientIP, ServiceAffinity::kNone};
  CheckRequiredSupported(spec.session_affinity(), kTypes, path.Child("sessionAffinity"), errors);
  const auto config = spec.session_affinity_config();
  const Path config_path = path.Child("sessionAffinityConfig");
  if (spec.session_affinity() == ServiceAffinity::kNone) {
    if (config) errors.Add(field::Forbidden(config_path, "must not be set when session affinity is None"));
    return;
  }
  if (spec.session_affinity() != ServiceAffinity::kClientIP) return;
  constexpr std::string_view kWhen = "when session affinity type is ClientIP";
  const Path client_ip = config_path.Child("clientIP"), timeout = client_ip.Child("timeoutSeconds");
  if (!config) return errors.Add(field::Required(config_path, kWhen));
  if (!config.client_ip()) return errors.Add(field::Required(client_ip, kWhen));
  if (!config.client_ip().has_timeout_seconds()) return errors.Add(field::Required(timeout, kWhen));
  const int32_t seconds = config.client_ip().timeout_seconds();
  if (seconds <= 0 || seconds > kMaxClientIpTimeoutSeconds) {
    errors.Add(field::Invalid(timeout, RenderValue(seconds), "must be greater than 0 and less than 86400"));
  }
}

void CheckLoadBalancerClass(ServiceSpecView spec, const Path& path, ErrorList& errors) {
  if (!spec.has_load_balancer_class()) return;
  const Path at = path.Child("loadBalancerClass");
  if (spec.type() == ServiceType::kLoadBalancer) {
    CheckQualifiedName(spec.load_balancer_class(), at, errors);
  } else {
    errors.Add(field::Forbidden(at, kOnlyForLoadBalancers));
  }
}

void CheckTrafficPolicies(ServiceView service, const Path& path, ErrorList& errors) {
  constexpr std::string_view kPolicies[] = {"Cluster", "Local"};
  const auto spec = service.spec();
  const Path external = path.Child("externalTrafficPolicy"), health = path.Child("healthCheckNodePort"),
             internal = path.Child("internalTrafficPolicy");
  if (IsExternallyAccessible(service)) {
    CheckRequiredSupported(spec.external_traffic_policy(), kPolicies, external, errors);
  } else if (!spec.external_traffic_policy().empty()) {
    errors.Add(field::Invalid(external, RenderValue(spec.external_traffic_policy()),
                              "may only be set for externally-accessible services"));
  }
  const int32_t port = spec.health_check_node_port();
  if (!NeedsHealthCheck(service)) {
    if (port != 0) {
      errors.Add(field::Invalid(
          health, RenderValue(port),
          "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"));
    }
  } else if (port != 0) {
    CheckPortNumber(port, health, errors);
  }
  if (spec.has_internal_traffic_policy()) {
    CheckSupported(spec.internal_traffic_policy(), kPolicies, internal, errors);
  } else if (spec.type() == ServiceType::kClusterIP || spec.type() == ServiceType::kNodePort ||
             spec.type() == ServiceType::kLoadBalancer) {
    errors.Add(field::Required(internal, ""));
  }
  if (spec.has_traffic_distribution()) {
    constexpr std::string_view kDistributions[] = {"PreferClose", "PreferSameZone", "PreferSameNode"};
    CheckSupported(spec.traffic_distribution(), kDistributions, path.Child("trafficDistribution"), errors);
  }
}

void CheckExternalIps(ServiceSpecView spec, ServiceSpecView was, const Path& path, ErrorList& errors) {
  std::set<std::string_view> before;
  for (const Value& old : was.external_ips()) before.insert(old.string());
  size_t i = 0;
  for (const Value& ip : spec.external_ips()) {
    const Path at = path.Index(i++);
    ErrorList wrong;
    if (!before.contains(ip.string())) wrong = ValidateIp(at, ip.string());
    errors.Append(wrong.empty() ? ValidateEndpointIp(ip.string(), at) : std::move(wrong));
  }
}

void CheckTopologyAnnotations(ServiceView service, ErrorList& errors) {
  constexpr std::string_view kHints = "service.kubernetes.io/topology-aware-hints";
  constexpr std::string_view kMode = "service.kubernetes.io/topology-mode";
  const Value* hints = service.metadata().annotations().Find(kHints);
  const Value* mode = service.metadata().annotations().Find(kMode);
  if (!hints || !mode || hints->string() == mode->string()) return;
  const Path metadata("metadata"), annotations = metadata.Child("annotations");
  errors.Add(field::Invalid(annotations.Key(kMode), RenderValue(mode->string()),
                            "must match annotations[" + std::string(kHints) + "] when both are specified"));
}

// `was` is null on creation.
void CheckService(ServiceView service, ServiceView was, ErrorList& errors) {
  const auto spec = service.spec();
  const Path path("spec"), ports = path.Child("ports");
  CheckTopologyAnnotations(service, errors);
  if (spec.ports().empty() && !IsHeadless(service) && spec.type() != ServiceType::kExternalName) {
    errors.Add(field::Required(ports, ""));
  }
  CheckType(service, path, errors);
  std::set<std::string_view> names;
  size_t i = 0;
  for (auto port : spec.ports()) CheckPort(port, spec.ports().size() > 1, names, ports.Index(i++), errors);
  errors.Append(ValidateLabels(spec.selector(), path.Child("selector")));
  CheckSessionAffinity(spec, path, errors);
  CheckClusterIps(service, was, path, errors);
  CheckExternalIps(spec, was.spec(), path.Child("externalIPs"), errors);
  constexpr std::string_view kTypes[] = {ServiceType::kClusterIP, ServiceType::kExternalName,
                                         ServiceType::kLoadBalancer, ServiceType::kNodePort};
  CheckRequiredSupported(spec.type(), kTypes, path.Child("type"), errors);
  CheckUniquePorts(spec, ports, errors);
  CheckSourceRanges(service, was, errors);
  const bool load_balancer = spec.type() == ServiceType::kLoadBalancer;
  if (spec.has_allocate_load_balancer_node_ports() && !load_balancer) {
    errors.Add(field::Forbidden(path.Child("allocateLoadBalancerNodePorts"), kOnlyForLoadBalancers));
  }
  if (load_balancer && !spec.has_allocate_load_balancer_node_ports()) {
    errors.Add(field::Required(Path("allocateLoadBalancerNodePorts"), ""));
  }
  CheckLoadBalancerClass(spec, path, errors);
  CheckTrafficPolicies(service, path, errors);
}

}  // namespace

bool IsHeadless(ServiceView service) {
  const ScalarList ips = service.spec().cluster_ips();
  return ips.size() == 1 && ips[0].string() == "None";
}

bool IsExternallyAccessible(ServiceView service) {
  const std::string_view type = service.spec().type();
  return type == ServiceType::kLoadBalancer || type == ServiceType::kNodePort ||
         (type == ServiceType::kClusterIP && !service.spec().external_ips().empty());
}

bool NeedsHealthCheck(ServiceView service) {
  return service.spec().type() == ServiceType::kLoadBalancer &&
         service.spec().external_traffic_policy() == ServiceExternalTrafficPolicy::kLocal;
}

field::ErrorList ValidateService(ServiceView service) {
  ErrorList errors;
  CheckService(service, ServiceView(), errors);
  return errors;
}

field::ErrorList ValidateServiceUpdate(ServiceView now, ServiceView was) {
  ErrorList errors;
  const Path path("spec");
  CheckClusterIpUpdate(now, was, path, errors);
  const auto after = now.spec(), before = was.spec();
  const bool both_balance =
      after.type() == ServiceType::kLoadBalancer && before.type() == ServiceType::kLoadBalancer;
  const bool same_class = after.has_load_balancer_class() == before.has_load_balancer_class() &&
                          after.load_balancer_class() == before.load_balancer_class();
  if (both_balance && !same_class) {
    const std::string rendered =
        after.has_load_balancer_class() ? RenderValue(after.load_balancer_class()) : "null";
    errors.Add(field::Invalid(path.Child("loadBalancerClass"), rendered, "may not change once set"));
  }
  if (NeedsHealthCheck(now) && NeedsHealthCheck(was) &&
      after.health_check_node_port() != before.health_check_node_port()) {
    errors.Add(field::Forbidden(path.Child("healthCheckNodePort"), kFieldImmutable));
  }
  CheckService(now, was, errors);
  return errors;
}

field::ErrorList ValidateServiceStatusUpdate(ServiceView now, ServiceView was) {
  ErrorList errors;
  const Path status("status"), balancer = status.Child("loadBalancer"), path = balancer.Child("ingress");
  const auto ingresses = now.status().load_balancer().ingress();
  if (now.spec().type() != ServiceType::kLoadBalancer) {
    if (!ingresses.empty())
      errors.Add(field::Forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'"));
    return errors;
  }
  std::set<std::string_view> before;
  for (auto old : was.status().load_balancer().ingress()) before.insert(old.ip());
  size_t i = 0;
  for (auto ingress : ingresses) {
    const Path at = path.Index(i++);
    if (!ingress.ip().empty() && !before.contains(ingress.ip()))
      errors.Append(ValidateIp(at.Child("ip"), ingress.ip()));
    const Path mode = at.Child("ipMode");
    if (!ingress.has_ip_mode()) {
      if (!ingress.ip().empty()) errors.Add(field::Required(mode, "must be specified when `ip` is set"));
    } else if (ingress.ip().empty()) {
      errors.Add(field::Forbidden(mode, "may not be specified when `ip` is not set"));
    } else {
      constexpr std::string_view kModes[] = {"Proxy", "VIP"};
      CheckSupported(ingress.ip_mode(), kModes, mode, errors);
    }
    if (ingress.hostname().empty()) continue;
    CheckDnsSubdomain(ingress.hostname(), at.Child("hostname"), errors);
    if (ParseIp(ingress.hostname())) {
      errors.Add(field::Invalid(at.Child("hostname"), RenderValue(ingress.hostname()),
                                "must be a DNS name, not an IP address"));
    }
  }
  return errors;
}

}  // namespace keelson::api::core
