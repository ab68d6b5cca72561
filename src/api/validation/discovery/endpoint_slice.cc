#include "api/validation/discovery/endpoint_slice.h"

#include <algorithm>
#include <set>

#include "api/validation/core/checks.h"
#include "api/validation/core/endpoints.h"
#include "api/validation/core/fields.h"
#include "api/validation/ip.h"
#include "api/validation/labels.h"

namespace keelson::api::discovery {
namespace {

using namespace discovery_v1;
using field::ErrorList;
using field::Path;
using field::RenderValue;

constexpr size_t kMaxTopologyLabels = 16, kMaxAddresses = 100, kMaxPorts = 20000, kMaxEndpoints = 1000,
                 kMaxHints = 8;

std::string Joined(const Messages& messages) {
  std::string out;
  for (const std::string& message : messages) {
    if (!out.empty()) out += ',';
    out += message;
  }
  return out;
}

void CheckDomainName(std::string_view name, const Path& path, ErrorList& errors) {
  if (name.empty()) return errors.Add(field::Required(path, ""));
  if (name.ends_with('.')) name.remove_suffix(1);
  if (const Messages wrong = IsDns1123Subdomain(name); !wrong.empty())
    return errors.Add(field::Invalid(path, RenderValue(name), Joined(wrong)));
  if (name.find('.') == name.npos) {
    return errors.Add(field::Invalid(path, RenderValue(name),
                                     "should be a domain with at least two segments separated by dots"));
  }
  for (std::string_view rest = name; !rest.empty();) {
    const std::string_view label = rest.substr(0, rest.find('.'));
    if (const Messages wrong = IsDns1123Label(label); !wrong.empty())
      return errors.Add(field::Invalid(path, RenderValue(label), Joined(wrong)));
    rest.remove_prefix(std::min(rest.size(), label.size() + 1));
  }
}

// Types that nobody knows are reported once, with the type.
void CheckAddress(std::string_view address, std::string_view type, const Path& all, const Path& path,
                  ErrorList& errors) {
  if (type == AddressType::kFQDN) return CheckDomainName(address, path, errors);
  const bool v4 = type == AddressType::kIPv4;
  if (!v4 && type != AddressType::kIPv6) return;
  ErrorList wrong = v4 ? ValidateIp(path, address) : ValidateCanonicalIp(path, address);
  if (!wrong.empty()) return errors.Append(std::move(wrong));
  if (ParseIp(address)->is_v4() != v4) {
    errors.Add(field::Invalid(all, RenderValue(address),
                              v4 ? "must be an IPv4 address" : "must be an IPv6 address"));
  }
  errors.Append(core::ValidateEndpointIp(address, path));
}

// Names of zones or nodes: not too many, none twice, each well formed. Whether to go on.
template <class List, class Check>
bool CheckHintNames(const List& hints, const Path& path, Check check, ErrorList& errors) {
  if (hints.size() > kMaxHints) {
    errors.Add(field::TooMany(path, hints.size(), kMaxHints));
    return false;
  }
  for (size_t i = 0; i < hints.size(); ++i) {
    const Path at = path.Index(i), name = at.Child("name");
    for (size_t j = 0; j < i; ++j) {
      if (hints[j].name() != hints[i].name()) continue;
      errors.Add(field::Duplicate(name, RenderValue(hints[i].name())));
      break;
    }
    errors.AddInvalid(name, hints[i].name(), check(hints[i].name()));
  }
  return true;
}

void CheckHints(EndpointHintsView hints, const Path& path, ErrorList& errors) {
  if (!hints) return;
  if (!CheckHintNames(hints.for_zones(), path.Child("forZones"), IsLabelValue, errors)) return;
  const auto is_node_name = [](std::string_view name) { return NameIsDnsSubdomain(name, false); };
  CheckHintNames(hints.for_nodes(), path.Child("forNodes"), is_node_name, errors);
}

void CheckEndpoint(EndpointView endpoint, std::string_view type, const Path& path, ErrorList& errors) {
  const ScalarList addresses = endpoint.addresses();
  const Path all = path.Child("addresses"), topology = path.Child("deprecatedTopology");
  if (addresses.empty()) {
    errors.Add(field::Required(all, "must contain at least 1 address"));
  } else if (addresses.size() > kMaxAddresses) {
    errors.Add(field::TooMany(all, addresses.size(), kMaxAddresses));
  }
  for (size_t i = 0; i < addresses.size(); ++i)
    CheckAddress(addresses[i].string(), type, all, all.Index(i), errors);
  if (endpoint.has_node_name()) {
    errors.AddInvalid(path.Child("nodeName"), endpoint.node_name(),
                      NameIsDnsSubdomain(endpoint.node_name(), false));
  }
  if (endpoint.deprecated_topology().size() > kMaxTopologyLabels)
    errors.Add(field::TooMany(topology, endpoint.deprecated_topology().size(), kMaxTopologyLabels));
  errors.Append(ValidateLabels(endpoint.deprecated_topology(), topology));
  if (endpoint.has_hostname()) core::CheckDnsLabel(endpoint.hostname(), path.Child("hostname"), errors);
  CheckHints(endpoint.hints(), path.Child("hints"), errors);
}

ErrorList CheckEndpoints(EndpointSliceView slice) {
  ErrorList errors;
  const Path path("endpoints");
  const auto endpoints = slice.endpoints();
  if (endpoints.size() > kMaxEndpoints) {
    errors.Add(field::TooMany(path, endpoints.size(), kMaxEndpoints));
    return errors;
  }
  for (size_t i = 0; i < endpoints.size(); ++i)
    CheckEndpoint(endpoints[i], slice.address_type(), path.Index(i), errors);
  return errors;
}

void CheckPorts(ListView<EndpointPortView> ports, ErrorList& errors) {
  constexpr std::string_view kProtocols[] = {"SCTP", "TCP", "UDP"};
  const Path path("ports");
  if (ports.size() > kMaxPorts) return errors.Add(field::TooMany(path, ports.size(), kMaxPorts));
  std::set<std::string_view> names;
  for (size_t i = 0; i < ports.size(); ++i) {
    const Path at = path.Index(i);
    const auto port = ports[i];
    if (!port.name().empty()) core::CheckDnsLabel(port.name(), at.Child("name"), errors);
    if (!names.insert(port.name()).second)
      errors.Add(field::Duplicate(at.Child("name"), RenderValue(port.name())));
    if (!port.has_protocol()) {
      errors.Add(field::Required(at.Child("protocol"), ""));
    } else {
      core::CheckSupported(port.protocol(), kProtocols, at.Child("protocol"), errors);
    }
    if (port.has_app_protocol())
      core::CheckQualifiedName(port.app_protocol(), at.Child("appProtocol"), errors);
  }
}

ErrorList CheckSlice(EndpointSliceView slice, EndpointSliceView was) {
  constexpr std::string_view kTypes[] = {AddressType::kFQDN, AddressType::kIPv4, AddressType::kIPv6};
  ErrorList errors;
  core::CheckRequiredSupported(slice.address_type(), kTypes, Path("addressType"), errors);
  CheckPorts(slice.ports(), errors);
  ErrorList wrong = CheckEndpoints(slice);
  // Compared only when it matters, since the lists can be long.
  if (!wrong.empty() && was && core::SameField(slice, was, "endpoints")) return errors;
  errors.Append(std::move(wrong));
  return errors;
}

}  // namespace

ErrorList ValidateEndpointSlice(EndpointSliceView slice) { return CheckSlice(slice, EndpointSliceView()); }

ErrorList ValidateEndpointSliceUpdate(EndpointSliceView now, EndpointSliceView was) {
  ErrorList errors = CheckSlice(now, was);
  if (now.address_type() != was.address_type())
    errors.Add(field::Invalid(Path("addressType"), RenderValue(now.address_type()), kFieldImmutable));
  return errors;
}

std::vector<std::string> WarningsForEndpointSlice(EndpointSliceView slice) {
  std::vector<std::string> warnings;
  // These controllers write addresses that need no second look.
  if (const Value* by = slice.metadata().labels().Find("endpointslice.kubernetes.io/managed-by");
      by && (by->string() == "endpointslice-controller.k8s.io" ||
             by->string() == "endpointslicemirroring-controller.k8s.io"))
    return warnings;
  const Path path("endpoints");
  size_t i = 0;
  for (const auto endpoint : slice.endpoints()) {
    const Path at = path.Index(i++), addresses = at.Child("addresses");
    size_t j = 0;
    for (const Value& address : endpoint.addresses())
      if (auto warning = WarningForIp(addresses.Index(j++), address.string()))
        warnings.push_back(std::move(*warning));
  }
  return warnings;
}

}  // namespace keelson::api::discovery
