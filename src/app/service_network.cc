#include "app/service_network.h"

#include <algorithm>

#include "api/codec/protobuf.h"
#include "api/generated/core_v1.h"
#include "api/generated/networking_v1.h"
#include "api/meta/object_meta.h"
#include "api/meta/status.h"
#include "app/kubernetes_endpoints.h"
#include "app/server_user.h"
#include "base/clock.h"
#include "registry/decode.h"

namespace keelson::app {
namespace {

using namespace api::core_v1;
using api::networking_v1::ServiceCIDREditor;
using api::networking_v1::ServiceCIDRView;
using registry::rest::UpdatedObject;
using registry::rest::WriteRequest;
using Done = base::Result<void, std::string>;
using Applied = base::Result<storage::Update, std::shared_ptr<const api::Status>>;

constexpr api::GroupResource kServiceCidrs{"networking.k8s.io", "servicecidrs"};
constexpr std::chrono::seconds kServerLease{15};

// What is stored below keys of its own, outside of any resource that is served.
const api::ResourceDesc kAllocations{.version = "v1",
                                     .plural = "servicenodeportallocations",
                                     .kind = "RangeAllocation",
                                     .namespaced = false,
                                     .storage_prefix = "/ranges",
                                     .type = &kRangeAllocationType};
const api::ResourceDesc kServerLeases{.version = "v1",
                                      .plural = "apiserverleases",
                                      .kind = "Endpoints",
                                      .namespaced = false,
                                      .storage_prefix = "/masterleases",
                                      .type = &kEndpointsType};

base::Result<std::vector<api::Cidr>, std::string> ParseRanges(std::string_view text) {
  std::vector<api::Cidr> ranges;
  for (;;) {
    const std::string_view range = text.substr(0, text.find(','));
    const auto cidr = api::ParseCidr(range);
    if (!cidr) return base::Err("invalid CIDR address: " + std::string(range));
    ranges.push_back(*cidr);
    if (range.size() == text.size()) break;
    text.remove_prefix(range.size() + 1);
  }
  if (ranges.size() > 2 || (ranges.size() == 2 && ranges[0].is_v4() == ranges[1].is_v4()))
    return base::Err(std::string("--service-cluster-ip-range takes at most one range of each IP family"));
  return ranges;
}

registry::core::IpFamilies FamiliesOf(const std::vector<api::Cidr>& ranges) {
  return {.primary_v4 = ranges[0].is_v4(), .dual = ranges.size() == 2};
}

Done Failed(std::string_view what, const api::Status& status) {
  return base::Err(std::string(what) + ": " + status.message);
}

// The first address of the block after the network's own.
std::string FirstAddress(const api::Cidr& range) {
  api::IpAddress ip = range.network();
  ip.bytes.back() |= 1;
  return ip.ToString();
}

api::Doc MakeService(const api::Cidr& range, uint16_t port) {
  api::Doc doc(ServiceView::Type());
  ServiceEditor service(doc);
  service.set_kind_static("Service");
  service.set_api_version_static("v1");
  auto metadata = service.mutable_metadata();
  metadata.set_name_static(kKubernetes);
  metadata.set_namespace("default");
  metadata.put_labels("provider", "kubernetes");
  metadata.put_labels("component", "apiserver");
  auto spec = service.mutable_spec();
  spec.set_cluster_ip(FirstAddress(range));
  spec.set_ip_family_policy_static(IPFamilyPolicy::kSingleStack);
  spec.set_session_affinity_static(ServiceAffinity::kNone);
  spec.set_type_static(ServiceType::kClusterIP);
  auto https = spec.add_ports();
  https.set_name_static("https");
  https.set_protocol_static(Protocol::kTCP);
  https.set_port(443);
  https.set_target_port(api::Value::Int(port));
  return doc;
}

api::Doc MakeServiceCidr(const std::vector<api::Cidr>& ranges) {
  api::Doc doc(ServiceCIDRView::Type());
  ServiceCIDREditor cidr(doc);
  cidr.set_kind_static("ServiceCIDR");
  cidr.set_api_version_static("networking.k8s.io/v1");
  cidr.mutable_metadata().set_name_static(kKubernetes);
  for (const api::Cidr& range : ranges) cidr.mutable_spec().add_cidrs(range.ToString());
  return doc;
}

bool IsMadeOf(ServiceCIDRView cidr, const std::vector<api::Cidr>& ranges) {
  return std::ranges::equal(cidr.spec().cidrs(), ranges, [](const api::Value& text, const api::Cidr& range) {
    return text.string() == range.ToString();
  });
}

// The lease of a server: an Endpoints object with its address. Written anew each time, so
// that its lifetime starts anew.
api::Doc MakeServerLease(std::string_view address, int64_t generation) {
  api::Doc doc(EndpointsView::Type());
  EndpointsEditor lease(doc);
  lease.set_kind_static("Endpoints");
  lease.set_api_version_static("v1");
  lease.mutable_metadata().set_generation(generation);
  lease.add_subsets().add_addresses().set_ip(address);
  return doc;
}

}  // namespace

ServiceNetwork::ServiceNetwork(std::vector<api::Cidr> ranges, registry::core::PortRange ports,
                               std::unique_ptr<storage::Cacher> allocations,
                               std::unique_ptr<storage::Cacher> leases)
    : ranges_(std::move(ranges)),
      allocations_(std::move(allocations)),
      leases_(std::move(leases)),
      ports_(*allocations_, ports),
      allocator_(stores_, ServerUser(), FamiliesOf(ranges_), ports_),
      repair_(stores_, ServerUser(), ports_) {}

base::Result<std::unique_ptr<ServiceNetwork>, std::string> ServiceNetwork::Open(storage::Backend& backend,
                                                                                const Config& config) {
  auto ranges = TRY(ParseRanges(config.service_cluster_ip_range));
  const auto ports = registry::core::ParsePortRange(config.service_node_port_range);
  if (!ports) return base::Err("not a range of ports: " + config.service_node_port_range);
  const storage::CacherOptions options{.registry_prefix = config.etcd_prefix};
  auto allocations = storage::Cacher::Start(kAllocations, backend, options);
  if (!allocations) return base::Err("cannot load node ports: " + allocations.error().detail);
  auto leases = storage::Cacher::Start(kServerLeases, backend, options);
  if (!leases) return base::Err("cannot load the leases of servers: " + leases.error().detail);
  return std::unique_ptr<ServiceNetwork>(
      new ServiceNetwork(std::move(ranges), *ports, *std::move(allocations), *std::move(leases)));
}

base::Task<Done> ServiceNetwork::EnsureDefaultRange() {
  registry::Store& cidrs = *stores_.Find(kServiceCidrs, "");
  if (!co_await cidrs.Get("", std::string(kKubernetes), {})) {
    WriteRequest request{.user = &ServerUser()};
    const auto created = co_await cidrs.Create(std::move(request), MakeServiceCidr(ranges_));
    if (!created && created.error().reason != "AlreadyExists")
      co_return Failed("cannot create the default ServiceCIDR", created.error());
  } else {
    // One family may become two; other differences are for the cluster's owner to settle.
    WriteRequest request{.user = &ServerUser()};
    UpdatedObject updated{
        .make = [this](const api::Doc& current) -> base::Task<registry::rest::Result<api::Doc>> {
          api::Doc doc = current.Clone();
          const auto cidrs = ServiceCIDRView(current).spec().cidrs();
          if (ranges_.size() == 2 && cidrs.size() == 1 && cidrs[0].string() == ranges_[0].ToString())
            ServiceCIDREditor(doc).mutable_spec().add_cidrs(ranges_[1].ToString());
          co_return doc;
        }};
    const auto written =
        co_await cidrs.Update(std::move(request), std::string(kKubernetes), std::move(updated));
    if (!written) co_return Failed("cannot update the default ServiceCIDR", written.error());
  }
  co_return co_await MarkRangeReady();
}

base::Task<Done> ServiceNetwork::MarkRangeReady() {
  registry::Store& status = *stores_.Find(kServiceCidrs, "status");
  WriteRequest request{.user = &ServerUser()};
  UpdatedObject updated{
      .make = [this](const api::Doc& current) -> base::Task<registry::rest::Result<api::Doc>> {
        api::Doc doc = current.Clone();
        ServiceCIDREditor cidr(doc);
        bool known = cidr.metadata().has_deletion_timestamp() || !IsMadeOf(cidr, ranges_);
        for (const auto condition : cidr.status().conditions()) known |= condition.type() == "Ready";
        if (known) co_return doc;
        auto ready = cidr.mutable_status().add_conditions();
        ready.set_type_static("Ready");
        ready.set_status_static("True");
        ready.set_last_transition_time(api::NowSeconds(base::Clock::Real()));
        ready.set_message_static("Kubernetes default Service CIDR is ready");
        co_return doc;
      }};
  const auto written =
      co_await status.Update(std::move(request), std::string(kKubernetes), std::move(updated));
  if (!written) co_return Failed("cannot update the default ServiceCIDR", written.error());
  co_return Done();
}

base::Task<Done> ServiceNetwork::Repair() { return repair_.Run(); }

base::Task<Done> ServiceNetwork::EnsureService(uint16_t port) {
  registry::Store& services = *stores_.Find({"", "services"}, "");
  if (co_await services.Get("default", std::string(kKubernetes), {})) co_return Done();
  WriteRequest request{.user = &ServerUser(), .ns = "default"};
  const auto created = co_await services.Create(std::move(request), MakeService(ranges_[0], port));
  if (!created && created.error().reason != "AlreadyExists")
    co_return Failed("cannot create the service kubernetes", created.error());
  co_return Done();
}

base::Task<Done> ServiceNetwork::RenewLease(std::string address) {
  storage::UpdateFn renew = [address](storage::ObjectPtr current) -> base::Task<Applied> {
    int64_t generation = 0;
    if (current) {
      const auto was = registry::DecodeStored(*current, EndpointsView::Type());
      if (was) generation = EndpointsView(*was).metadata().generation();
    }
    base::BufferBuilder out;
    api::protobuf::EncodeObject(MakeServerLease(address, generation + 1), out);
    storage::Update update;
    update.stored = out.Take();
    update.ttl = kServerLease;
    co_return update;
  };
  const auto written = co_await leases_->GuaranteedUpdate(address, true, {}, std::move(renew));
  if (!written) co_return base::Err("cannot renew the lease of this server: " + written.error().detail);
  co_return Done();
}

base::Task<Done> ServiceNetwork::EnsureEndpoints(uint16_t port) {
  const auto servers = co_await leases_->List({});
  if (!servers) co_return base::Err("cannot list the leases of servers: " + servers.error().detail);
  std::vector<std::string> addresses;
  for (const storage::Object* const lease : servers->items) addresses.emplace_back(lease->name());
  CO_TRY(co_await EnsureKubernetesEndpoints(*stores_.Find({"", "endpoints"}, ""), addresses, port));
  co_return co_await EnsureKubernetesSlice(*stores_.Find({"discovery.k8s.io", "endpointslices"}, ""),
                                           std::move(addresses), port);
}

base::Task<Done> ServiceNetwork::Announce(std::string address, uint16_t port) {
  if (auto ensured = co_await EnsureService(port); !ensured || address.empty()) co_return ensured;
  CO_TRY(co_await RenewLease(std::move(address)));
  co_return co_await EnsureEndpoints(port);
}

base::Task<Done> ServiceNetwork::Withdraw(std::string address, uint16_t port) {
  if (address.empty()) co_return Done();
  const auto deleted = co_await leases_->Delete(std::move(address), {}, nullptr);
  if (!deleted && deleted.error().code != storage::Code::kNotFound)
    co_return base::Err("cannot delete the lease of this server: " + deleted.error().detail);
  co_return co_await EnsureEndpoints(port);
}

}  // namespace keelson::app
