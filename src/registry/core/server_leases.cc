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
const api::ResourceDesc kServerLeases{.version = "v1",
                                      .plural = "apiserverleases",
                                      .kind = "Endpoints",
                                      .namespaced = false,
                                      .storage_prefix = "/masterleases",
                                      .type = &api::core_v1::kEndpointsType};

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

base::Result<std::unique_ptr<ServerLeases>, std::string> ServerLeases::Open(storage::Backend& backend,
                                                                            std::string registry_prefix) {
  auto leases =
      storage::Cacher::Start(kServerLeases, backend, {.registry_prefix = std::move(registry_prefix)});
  if (!leases) return base::Err("cannot load the leases of servers: " + leases.error().detail);
  return std::unique_ptr<ServerLeases>(new ServerLeases(*std::move(leases)));
}

base::Task<Renewed> ServerLeases::Renew(std::string address) {
  storage::UpdateFn renew = [address](storage::ObjectPtr current) -> base::Task<LeaseUpdate> {
    int64_t generation = 0;
    if (current) {
      const auto was = DecodeStored(*current, EndpointsView::Type());
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
  co_return Renewed();
}

base::Task<base::Result<bool, std::string>> ServerLeases::Remove(std::string address) {
  const auto deleted = co_await leases_->Delete(std::move(address), {}, nullptr);
  if (!deleted && deleted.error().code != storage::Code::kNotFound)
    co_return base::Err("cannot delete the lease of this server: " + deleted.error().detail);
  co_return deleted.has_value();
}

base::Task<base::Result<std::vector<std::string>, std::string>> ServerLeases::Addresses() {
  const auto servers = co_await leases_->List({});
  if (!servers) co_return base::Err("cannot list the leases of servers: " + servers.error().detail);
  std::vector<std::string> addresses;
  for (const storage::Object* const lease : servers->items) addresses.emplace_back(lease->name());
  co_return addresses;
}

}  // namespace keelson::registry::core
