#include "registry/core/server_leases.h"

#include <chrono>

#include "api/codec/protobuf.h"
#include "api/generated/core_v1.h"
#include "api/meta/status.h"
#include "registry/decode.h"

namespace keelson::registry::core {
namespace {

using api::core_v1::EndpointsEditor;
using api::core_v1::EndpointsView;
using LeaseUpdate = base::Result<storage::Update, std::shared_ptr<const api::Status>>;
using Renewed = base::Result<void, std::string>;

constexpr std::chrono::seconds kServerLease{15};

// What is stored below keys of its own, outside of any resource that is served.
constexpr api::ResourceDesc LeasesAt(std::string_view plural, std::string_view storage_prefix) {
  return {.version = "v1",
          .plural = plural,
          .kind = "Endpoints",
          .namespaced = false,
          .storage_prefix = storage_prefix,
          .type = &api::core_v1::kEndpointsType};
}
const api::ResourceDesc kForClients = LeasesAt("apiserverleases", "/masterleases");
const api::ResourceDesc kForServers = LeasesAt("apiserverpeerleases", "/peerserverleases");

// The lease of a server: an Endpoints object with its address. Written anew each time, so
// that its lifetime starts anew.
api::Doc MakeServerLease(const ServerLease& server, int64_t generation) {
  api::Doc doc(EndpointsView::Type());
  EndpointsEditor lease(doc);
  lease.set_kind_static("Endpoints");
  lease.set_api_version_static("v1");
  lease.mutable_metadata().set_generation(generation);
  auto subset = lease.add_subsets();
  subset.add_addresses().set_ip(server.address);
  if (server.port == 0) return doc;
  lease.mutable_metadata().put_labels("apiserverIdentity", server.name);
  auto https = subset.add_ports();
  https.set_name_static("https");
  https.set_port(server.port);
  https.set_protocol_static(api::core_v1::Protocol::kTCP);
  return doc;
}

}  // namespace

base::Result<std::unique_ptr<ServerLeases>, std::string> ServerLeases::Open(storage::Backend& backend,
                                                                            std::string registry_prefix,
                                                                            For whom) {
  auto leases = storage::Cacher::Start(whom == For::kClients ? kForClients : kForServers, backend,
                                       {.registry_prefix = std::move(registry_prefix)});
  if (!leases) return base::Err("cannot load the leases of servers: " + leases.error().detail);
  return std::unique_ptr<ServerLeases>(new ServerLeases(*std::move(leases)));
}

base::Task<Renewed> ServerLeases::Renew(ServerLease lease) {
  storage::UpdateFn renew = [lease](storage::ObjectPtr current) -> base::Task<LeaseUpdate> {
    int64_t generation = 0;
    if (current) {
      const auto was = DecodeStored(*current, EndpointsView::Type());
      if (was) generation = EndpointsView(*was).metadata().generation();
    }
    base::BufferBuilder out;
    api::protobuf::EncodeObject(MakeServerLease(lease, generation + 1), out);
    storage::Update update;
    update.stored = out.Take();
    update.ttl = kServerLease;
    co_return update;
  };
  const auto written = co_await leases_->GuaranteedUpdate(lease.name, true, {}, std::move(renew));
  if (!written) co_return base::Err("cannot renew the lease of this server: " + written.error().detail);
  co_return Renewed();
}

base::Task<base::Result<bool, std::string>> ServerLeases::Remove(std::string name) {
  const auto deleted = co_await leases_->Delete(std::move(name), {}, nullptr);
  if (!deleted && deleted.error().code != storage::Code::kNotFound)
    co_return base::Err("cannot delete the lease of this server: " + deleted.error().detail);
  co_return deleted.has_value();
}

base::Task<base::Result<std::vector<std::string>, std::string>> ServerLeases::Names() {
  const auto servers = co_await leases_->List({});
  if (!servers) co_return base::Err("cannot list the leases of servers: " + servers.error().detail);
  std::vector<std::string> names;
  for (const storage::Object* const lease : servers->items) names.emplace_back(lease->name());
  co_return names;
}

base::Task<base::Result<std::optional<ServerLease>, std::string>> ServerLeases::Find(std::string name) {
  const auto found = co_await leases_->Get(name, {});
  if (!found && found.error().code == storage::Code::kNotFound) co_return std::nullopt;
  if (!found) co_return base::Err("cannot read the lease of a server: " + found.error().detail);
  const auto doc = DecodeStored(**found, EndpointsView::Type());
  if (!doc) co_return base::Err("cannot read the lease of a server: " + doc.error().message);
  ServerLease lease{.name = std::move(name)};
  for (const auto subset : EndpointsView(*doc).subsets()) {
    for (const auto address : subset.addresses()) lease.address = address.ip();
    for (const auto port : subset.ports()) lease.port = static_cast<uint16_t>(port.port());
  }
  co_return lease;
}

}  // namespace keelson::registry::core
