#include "registry/networking/resources.h"

#include "registry/networking/strategies.h"

namespace keelson::registry::networking {

Group Resources() {
  static const ResourceRow rows[] = {
      {.plural = "ingresses", .strategy = Ingresses, .subresources = {{"status", IngressStatus}}},
      {.plural = "ingressclasses", .strategy = IngressClasses},
      {.plural = "networkpolicies", .strategy = NetworkPolicies},
      {.plural = "servicecidrs", .strategy = ServiceCidrs, .subresources = {{"status", ServiceCidrStatus}}},
      {.plural = "ipaddresses", .strategy = IpAddresses},
      {.plural = "servicecidrs", .version = "v1beta1"},
      {.plural = "ipaddresses", .version = "v1beta1"},
  };
  return {"networking.k8s.io", rows};
}

}  // namespace keelson::registry::networking
