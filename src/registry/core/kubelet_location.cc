#include "registry/core/kubelet_location.h"

#include "api/pods/pod_spec.h"
#include "registry/decode.h"

namespace keelson::registry::core {
namespace {

using api::core_v1::NodeView;

constexpr uint16_t kDefaultKubeletPort = 10250;

std::string KnownAddresses(NodeView node) {
  std::string known;
  for (const auto address : node.status().addresses())
    known.append(known.empty() ? "{" : " {")
        .append(address.type())
        .append(" ")
        .append(address.address())
        .append("}");
  return "[" + known + "]";
}

}  // namespace

base::Task<rest::Result<api::Doc>> GetObject(const Stores& stores, api::GroupResource resource,
                                             const api::TypeDesc& type, std::string ns, std::string name,
                                             api::GroupResource asked) {
  const std::string wanted = name;
  auto found = co_await stores.Find(resource)->Get(std::move(ns), std::move(name), {});
  if (!found && found.error().code == 404) co_return base::Err(api::NotFound(asked, wanted));
  if (!found) co_return base::Err(std::move(found.error()));
  co_return DecodeStored(**found, type);
}

base::Task<rest::Result<KubeletLocation>> LocateKubelet(const Environment& environment, std::string node_name,
                                                        api::GroupResource asked) {
  auto doc = CO_TRY(co_await GetObject(*environment.stores, {"", "nodes"}, api::core_v1::kNodeType, "",
                                       std::move(node_name), asked));
  const NodeView node(doc);
  const int32_t port = node.status().daemon_endpoints().kubelet_endpoint().port();
  for (const std::string& type : environment.kubelet_preferred_address_types)
    for (const auto address : node.status().addresses())
      if (address.type() == type && !address.address().empty())
        co_return KubeletLocation{std::string(address.address()),
                                  port > 0 ? static_cast<uint16_t>(port) : kDefaultKubeletPort};
  co_return base::Err(PlainFailure("no preferred addresses found; known addresses: " + KnownAddresses(node)));
}

rest::Result<std::string> ChooseContainer(api::core_v1::PodView pod, std::string_view wanted) {
  const std::string name(pod.metadata().name());
  if (!wanted.empty()) {
    bool has = false;
    api::pods::EachContainer(pod.spec(), [&](auto container) { has = has || container.name() == wanted; });
    if (has) return std::string(wanted);
    return base::Err(api::BadRequest("container " + std::string(wanted) + " is not valid for pod " + name));
  }
  const auto containers = pod.spec().containers();
  if (containers.size() == 1) return std::string(containers[0].name());
  std::string why = "a container name must be specified for pod " + name;
  if (containers.size() > 1) {
    std::string choices;
    api::pods::EachContainer(pod.spec(), [&](auto container) {
      choices.append(choices.empty() ? "" : " ").append(container.name());
    });
    why += ", choose one of: [" + choices + "]";
  }
  return base::Err(api::BadRequest(why));
}

api::Status PlainFailure(std::string message) {
  api::Status status;
  status.code = 500;
  status.message = std::move(message);
  return status;
}

std::string HostPort(std::string_view host, uint16_t port) {
  std::string text(host);
  if (host.find(':') != host.npos) text = "[" + text + "]";
  return text + ":" + std::to_string(port);
}

}  // namespace keelson::registry::core
