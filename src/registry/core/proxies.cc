#include "registry/core/proxies.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "api/validation/field.h"
#include "net/http/url.h"
#include "net/http/websocket.h"
#include "registry/core/connection.h"
#include "registry/core/forwarding.h"
#include "registry/core/kubelet_location.h"
#include "registry/core/random.h"
#include "registry/core/resource_names.h"

namespace keelson::registry::core {
namespace {

using api::core_v1::EndpointsView;
using api::core_v1::PodView;
using api::core_v1::ServiceView;
using net::http::Response;

constexpr api::GroupResource kNodes{"", "nodes"}, kServices{"", "services"};

// "name", "name:port" or "scheme:name:port".
struct ProxyId {
  std::string scheme, name, port;
  bool tls() const { return scheme == "https"; }
};

std::optional<ProxyId> ParseId(std::string_view id) {
  std::vector<std::string> parts(1);
  for (char c : id) {
    if (c == ':') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  ProxyId parsed;
  switch (parts.size()) {
    case 1: parsed.name = parts[0]; break;
    case 2: parsed = {"", parts[0], parts[1]}; break;
    case 3: parsed = {parts[0], parts[1], parts[2]}; break;
    default: return std::nullopt;
  }
  const bool known = parsed.scheme.empty() || parsed.scheme == "http" || parsed.scheme == "https";
  if (parsed.name.empty() || !known) return std::nullopt;
  return parsed;
}

api::Status InvalidId(std::string_view kind, std::string_view id) {
  return api::BadRequest("invalid " + std::string(kind) + " request " + api::field::RenderValue(id));
}

std::optional<int64_t> NumberIn(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

api::Status Unavailable(std::string why) {
  api::Status status;
  status.code = 503;
  status.reason = "ServiceUnavailable";
  status.message = std::move(why);
  return status;
}

// Where a request goes, and by whose credentials.
struct Route {
  net::http::Destination destination;
  net::http::Client* client = nullptr;
};

rest::Result<Route> RouteTo(std::string host, std::string_view port, bool tls, net::http::Client* client) {
  const auto number = port.empty() ? std::optional<int64_t>(tls ? 443 : 80) : NumberIn(port);
  if (!number || *number < 1 || *number > 65535)
    return base::Err(Unavailable("error trying to reach service: dial tcp: lookup tcp/" + std::string(port) +
                                 ": unknown port"));
  return Route{{tls, std::move(host), static_cast<uint16_t>(*number), /*global_only=*/true}, client};
}

using FindRoute = base::Task<rest::Result<Route>> (*)(const Dependencies& dependencies, std::string ns,
                                                      std::string id);

base::Task<rest::Result<Route>> RouteToNode(const Dependencies& dependencies, std::string, std::string id) {
  const auto parsed = ParseId(id);
  if (!parsed) co_return base::Err(InvalidId("node", id));
  auto kubelet = CO_TRY(co_await LocateKubelet(dependencies, parsed->name, kNodes));
  if (parsed->port.empty() || parsed->port == std::to_string(kubelet.port))
    co_return Route{{true, kubelet.host, kubelet.port, /*global_only=*/true}, dependencies.kubelet_client};
  co_return RouteTo(kubelet.host, parsed->port, parsed->tls(), dependencies.insecure_client);
}

base::Task<rest::Result<Route>> RouteToPod(const Dependencies& dependencies, std::string ns, std::string id) {
  const auto parsed = ParseId(id);
  if (!parsed) co_return base::Err(InvalidId("pod", id));
  auto doc = CO_TRY(co_await GetObject(*dependencies.stores, kPods, api::core_v1::kPodType, std::move(ns),
                                       parsed->name, kPods));
  const PodView pod(doc);
  std::string port = parsed->port;
  for (const auto container : pod.spec().containers()) {
    if (!port.empty()) break;
    if (!container.ports().empty()) port = std::to_string(container.ports()[0].container_port());
  }
  const auto ips = pod.status().pod_ips();
  if (ips.empty()) co_return base::Err(api::BadRequest("address not allowed"));
  co_return RouteTo(std::string(ips[0].ip()), port, parsed->tls(), dependencies.insecure_client);
}

// The name of the service's port with that number; `port` itself when it is a name.
base::Task<rest::Result<std::string>> PortName(const Dependencies& dependencies, std::string ns,
                                               std::string name, std::string port) {
  const auto number = NumberIn(port);
  if (!number) co_return port;
  auto doc = CO_TRY(co_await GetObject(*dependencies.stores, kServices, api::core_v1::kServiceType,
                                       std::move(ns), name, kServices));
  for (const auto declared : ServiceView(doc).spec().ports())
    if (declared.port() == *number) co_return std::string(declared.name());
  co_return base::Err(
      Unavailable("no service port " + port + " found for service " + api::field::RenderValue(name)));
}

struct Endpoint {
  std::string ip, pod;
  int32_t port = 0;
};

// Those with the port, from a random one on.
std::vector<Endpoint> EndpointsWith(EndpointsView endpoints, std::string_view ns, std::string_view port) {
  std::vector<Endpoint> found;
  for (const auto subset : endpoints.subsets())
    for (const auto declared : subset.ports()) {
      if (declared.name() != port) continue;
      for (const auto address : subset.addresses()) {
        const auto pod = address.target_ref();
        if (!pod || pod.namespace_() != ns) continue;  // only to pods, and only to those of the service
        found.push_back({std::string(address.ip()), std::string(pod.name()), declared.port()});
      }
    }
  if (!found.empty())
    std::ranges::rotate(found, found.begin() + static_cast<ptrdiff_t>(RandomBelow(found.size())));
  return found;
}

base::Task<rest::Result<Route>> RouteToService(const Dependencies& dependencies, std::string ns,
                                               std::string id) {
  const auto parsed = ParseId(id);
  if (!parsed) co_return base::Err(InvalidId("service", id));
  auto port = CO_TRY(co_await PortName(dependencies, ns, parsed->name, parsed->port));
  auto doc = CO_TRY(co_await GetObject(*dependencies.stores, {"", "endpoints"}, api::core_v1::kEndpointsType,
                                       ns, parsed->name, kServices));
  const EndpointsView endpoints(doc);
  for (const Endpoint& endpoint : EndpointsWith(endpoints, ns, port)) {
    auto pod =
        co_await GetObject(*dependencies.stores, kPods, api::core_v1::kPodType, ns, endpoint.pod, kPods);
    if (!pod) continue;
    bool its_own = false;  // an address may be claimed by anybody who writes endpoints
    for (const auto ip : PodView(*pod).status().pod_ips()) its_own = its_own || ip.ip() == endpoint.ip;
    if (its_own)
      co_return RouteTo(endpoint.ip, std::to_string(endpoint.port), parsed->tls(),
                        dependencies.insecure_client);
  }
  const std::string& asked = endpoints.subsets().empty() ? parsed->name : id;
  co_return base::Err(Unavailable("no endpoints available for service " + api::field::RenderValue(asked)));
}

// Their options are of three types with the same one field.
std::string_view PathIn(const api::Doc& options) {
  return options.root()->slot(options.type().FindMember("path").field->ordinal).string();
}

// The path after the subresource, without escapes; else the parameter, which has lost them already.
std::string PlainPath(const rest::ConnectRequest& request) {
  std::string path;
  if (!request.path.empty()) {
    // A path that came this far decodes.
    path = net::http::PathUnescape(request.path).value_or(request.path);
  } else {
    path = net::http::Query::Parse(request.request->query).Get("path").value_or("");
  }
  if (!path.empty() && !path.starts_with('/')) path.insert(0, "/");
  return path;
}

class Proxy final : public Connection {
 public:
  Proxy(FindRoute find, ServingOptions options, const Dependencies& dependencies)
      : Connection(std::move(options)), find_(find), dependencies_(dependencies) {}
  bool takes_path() const override { return true; }

 private:
  void Complete(const rest::ConnectRequest& request, api::Doc& options) const override {
    api::Value& path = options.root()->slot(options.type().FindMember("path").field->ordinal);
    path = api::Value::String(options.arena().CopyString(PlainPath(request)));
  }

  base::Task<rest::Result<Response>> ConnectAdmitted(rest::ConnectRequest request,
                                                     api::Doc options) override {
    auto route = CO_TRY(co_await find_(dependencies_, request.ns, request.name));
    const net::http::Request& asked = *request.request;
    // The path has the escapes it was sent with, unless it is not the one that was sent.
    std::string path(PathIn(options));
    if (request.path.empty() || path != PlainPath(request)) {
      path = net::http::PathEscape(path);
    } else {
      path = request.path;
    }
    if (!path.empty() && !path.starts_with('/')) path.insert(0, "/");
    const std::string query = asked.query.empty() ? "" : "?" + asked.query;
    // Relative links of what is served there would else lead elsewhere.
    if (path.empty() && !net::http::IsUpgradeRequest(asked) &&
        (asked.method == "GET" || asked.method == "HEAD")) {
      Response redirect{.status = 301};
      redirect.headers.Add("location", asked.path + "/" + query);
      co_return redirect;
    }
    Forwarding forwarding{.destination = std::move(route.destination),
                          .target = (path.empty() ? "/" : path) + query};
    co_return co_await Forward(*route.client, *request.request, std::move(forwarding));
  }

  const FindRoute find_;
  const Dependencies dependencies_;
};

}  // namespace

std::unique_ptr<Serving> ServeNodeProxy(ServingOptions options, const Dependencies& dependencies) {
  return std::make_unique<Proxy>(RouteToNode, std::move(options), dependencies);
}
std::unique_ptr<Serving> ServePodProxy(ServingOptions options, const Dependencies& dependencies) {
  return std::make_unique<Proxy>(RouteToPod, std::move(options), dependencies);
}
std::unique_ptr<Serving> ServeServiceProxy(ServingOptions options, const Dependencies& dependencies) {
  return std::make_unique<Proxy>(RouteToService, std::move(options), dependencies);
}

}  // namespace keelson::registry::core
