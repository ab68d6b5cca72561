#include "api/validation/core/endpoints.h"

#include <algorithm>
#include <array>

#include "api/validation/core/fields.h"
#include "api/validation/ip.h"
#include "api/validation/names.h"

namespace keelson::api::core {
namespace {

using field::ErrorList;
using field::Path;
using field::RenderValue;

ErrorList ValidateAddress(core_v1::EndpointAddressView address, const Path& path) {
  ErrorList errors = ValidateIp(path.Child("ip"), address.ip());
  if (!address.hostname().empty()) {
    errors.AddInvalid(path.Child("hostname"), address.hostname(), IsDns1123Label(address.hostname()));
  }
  if (address.has_node_name()) {
    errors.AddInvalid(path.Child("nodeName"), address.node_name(),
                      NameIsDnsSubdomain(address.node_name(), false));
  }
  errors.Append(ValidateEndpointIp(address.ip(), path.Child("ip")));
  return errors;
}

ErrorList ValidatePort(core_v1::EndpointPortView port, bool require_name, const Path& path) {
  using core_v1::Protocol;
  constexpr std::array kProtocols = {Protocol::kSCTP, Protocol::kTCP, Protocol::kUDP};
  ErrorList errors;
  if (!port.name().empty()) {
    errors.AddInvalid(path.Child("name"), port.name(), IsDns1123Label(port.name()));
  } else if (require_name) {
    errors.Add(field::Required(path.Child("name"), ""));
  }
  for (const std::string& message : IsPortNumber(port.port())) {
    errors.Add(field::Invalid(path.Child("port"), RenderValue(port.port()), message));
  }
  if (port.protocol().empty()) {
    errors.Add(field::Required(path.Child("protocol"), ""));
  } else if (std::ranges::find(kProtocols, port.protocol()) == kProtocols.end()) {
    errors.Add(field::NotSupported(path.Child("protocol"), RenderValue(port.protocol()), kProtocols));
  }
  if (port.has_app_protocol()) {
    errors.AddInvalid(path.Child("appProtocol"), port.app_protocol(), IsQualifiedName(port.app_protocol()));
  }
  return errors;
}

// Calls `visit(address, path)` for the ready and then the other addresses of a subset.
template <class Visit>
void ForEachAddress(core_v1::EndpointSubsetView subset, const Path& path, Visit visit) {
  const Path ready = path.Child("addresses"), not_ready = path.Child("notReadyAddresses");
  size_t i = 0;
  for (const auto address : subset.addresses()) visit(address, ready.Index(i++));
  i = 0;
  for (const auto address : subset.not_ready_addresses()) visit(address, not_ready.Index(i++));
}

}  // namespace

ErrorList ValidateEndpoints(core_v1::EndpointsView endpoints) {
  ErrorList errors;
  const Path subsets("subsets");
  size_t i = 0;
  for (const auto subset : endpoints.subsets()) {
    const Path path = subsets.Index(i++);
    if (subset.addresses().empty() && subset.not_ready_addresses().empty()) {
      errors.Add(field::Required(path, "must specify `addresses` or `notReadyAddresses`"));
    }
    ForEachAddress(subset, path, [&](core_v1::EndpointAddressView address, const Path& at) {
      errors.Append(ValidateAddress(address, at));
    });
    const Path ports = path.Child("ports");
    size_t j = 0;
    for (const auto port : subset.ports()) {
      errors.Append(ValidatePort(port, subset.ports().size() > 1, ports.Index(j++)));
    }
  }
  return errors;
}

ErrorList ValidateEndpointsUpdate(core_v1::EndpointsView now, core_v1::EndpointsView was) {
  ErrorList errors = ValidateEndpoints(now);
  // Compared only when it matters, since the lists can be long.
  if (!errors.empty() && SameField(now, was, "subsets")) return {};
  return errors;
}

std::vector<std::string> WarningsForEndpoints(core_v1::EndpointsView endpoints) {
  // The endpoints controller writes addresses that need no second look.
  const Value* managed_by = endpoints.metadata().labels().Find("endpoints.kubernetes.io/managed-by");
  if (managed_by && managed_by->string() == "endpoint-controller") return {};
  std::vector<std::string> warnings;
  const Path subsets("subsets");
  size_t i = 0;
  for (const auto subset : endpoints.subsets()) {
    ForEachAddress(subset, subsets.Index(i++), [&](core_v1::EndpointAddressView address, const Path& at) {
      if (auto warning = WarningForIp(at.Child("ip"), address.ip())) warnings.push_back(std::move(*warning));
    });
  }
  return warnings;
}

ErrorList ValidateEndpointIp(std::string_view ip, const Path& path) {
  ErrorList errors;
  const auto refuse = [&](std::string_view why) { errors.Add(field::Invalid(path, RenderValue(ip), why)); };
  const auto address = ParseIp(ip);
  if (!address) {
    refuse("must be a valid IP address");
    return errors;
  }
  if (address->unspecified()) refuse("may not be unspecified (" + std::string(ip) + ")");
  if (address->loopback()) refuse("may not be in the loopback range (127.0.0.0/8, ::1/128)");
  if (address->link_local_unicast()) refuse("may not be in the link-local range (169.254.0.0/16, fe80::/10)");
  if (address->link_local_multicast()) {
    refuse("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
  }
  return errors;
}

}  // namespace keelson::api::core
