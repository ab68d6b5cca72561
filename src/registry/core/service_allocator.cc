#include "registry/core/service_allocator.h"

#include "api/validation/render.h"
#include "base/log.h"
#include "registry/core/service_ports.h"

namespace keelson::registry::core {
namespace {

using namespace api::core_v1;
using api::field::Path;

bool IsHeadless(ServiceSpecView spec) {
  return !spec.cluster_ips().empty() && spec.cluster_ips()[0].string() == "None";
}

std::vector<api::IpAddress> AddressesOf(ServiceSpecView spec) {
  std::vector<api::IpAddress> addresses;
  if (spec.type() == ServiceType::kExternalName || IsHeadless(spec)) return addresses;
  for (const api::Value& ip : spec.cluster_ips())
    if (const auto address = api::ParseIp(ip.string())) addresses.push_back(*address);
  return addresses;
}

// The service is at fault, unless the store could not be asked: then the client is to ask again.
api::Status NoAddress(ServiceView service, const std::string& what, const IpAllocator::Error& error) {
  if (error.unanswered) return *error.unanswered;
  const std::string why = what + ": " + error.message;
  const Path spec("spec");
  api::field::ErrorList errors;
  errors.Add(api::field::Invalid(spec.Child("clusterIPs"),
                                 api::field::RenderField(service.spec().node(), "clusterIPs"), why));
  return api::Invalid({"", "Service"}, service.metadata().name(), errors);
}

ServiceName NameOf(ServiceView service) {
  return {std::string(service.metadata().namespace_()), std::string(service.metadata().name())};
}

}  // namespace

class ServiceAllocator::Taken final : public Reservation {
 public:
  explicit Taken(ServiceAllocator& allocator) : allocator_(allocator) {}

  base::Task<void> Finish(bool written) override {
    co_await allocator_.ReleaseIps(written ? ips_given_up : ips);
    co_await allocator_.ReleasePorts(written ? ports_given_up : ports);
  }

  std::vector<api::IpAddress> ips, ips_given_up;
  std::vector<int> ports, ports_given_up;

 private:
  ServiceAllocator& allocator_;
};

base::Task<void> ServiceAllocator::ReleaseIps(std::vector<api::IpAddress> ips) {
  for (const api::IpAddress& ip : ips) co_await ips_.Release(ip);
}

base::Task<void> ServiceAllocator::ReleasePorts(std::vector<int> ports) {
  if (ports.empty()) co_return;
  const auto released = co_await ports_.Update([ports](PortBitmap& taken) -> base::Result<void, api::Status> {
    for (const int port : ports) taken.Release(port);
    return {};
  });
  if (!released)
    base::Log(base::LogLevel::kWarning, "cannot release node ports", {{"why", released.error().message}});
}

base::Task<rest::Result<void>> ServiceAllocator::TakeIps(ServiceEditor service, size_t first, bool dry_run,
                                                         Taken& taken) {
  auto spec = service.mutable_spec();
  for (size_t i = first; i < spec.ip_families().size(); ++i) {
    const bool v4 = spec.ip_families()[i].string() == "IPv4";
    if (i < spec.cluster_ips().size()) {
      const std::string text(spec.cluster_ips()[i].string());
      const auto ip = api::ParseIp(text);
      if (!ip) co_return base::Err(api::InternalError("failed to parse service IP \"" + text + "\""));
      if (const auto got = co_await ips_.Take(*ip, NameOf(service), dry_run); !got) {
        co_return base::Err(NoAddress(service, "failed to allocate IP " + text, got.error()));
      }
      if (!dry_run) taken.ips.push_back(*ip);
      continue;
    }
    const auto got = co_await ips_.TakeNext(v4, NameOf(service), dry_run);
    if (!got && got.error().full) {
      co_return base::Err(api::InternalError("failed to allocate a serviceIP for Service \"" +
                                             std::string(service.metadata().name()) +
                                             "\": " + got.error().message));
    }
    if (!got) co_return base::Err(NoAddress(service, "failed to allocate IP", got.error()));
    if (!dry_run) taken.ips.push_back(*got);
    spec.add_cluster_ips(got->ToString());
  }
  if (!spec.cluster_ips().empty()) spec.set_cluster_ip(spec.cluster_ips()[0].string());
  co_return rest::Result<void>();
}

base::Task<rest::Result<void>> ServiceAllocator::UpdateIps(ServiceEditor now, ServiceView was, bool dry_run,
                                                           Taken& taken) {
  const auto after = now.spec(), before = was.spec();
  if (KeepsPreferredFamilies(after, before)) co_return rest::Result<void>();
  const bool external = after.type() == ServiceType::kExternalName;
  const bool was_external = before.type() == ServiceType::kExternalName;
  if (was_external && !external) {
    if (IsHeadless(after)) co_return rest::Result<void>();
    co_return co_await TakeIps(now, 0, dry_run, taken);
  }
  if (IsHeadless(before)) co_return rest::Result<void>();
  if (external && !was_external) {
    taken.ips_given_up = AddressesOf(before);
  } else if (before.ip_families().size() == 1 && after.ip_families().size() == 2) {
    co_return co_await TakeIps(now, 1, dry_run, taken);
  } else if (before.ip_families().size() == 2 && after.ip_families().size() == 1) {
    if (const auto addresses = AddressesOf(before); addresses.size() > 1)
      taken.ips_given_up.push_back(addresses[1]);
  }
  co_return rest::Result<void>();
}

base::Task<rest::Result<void>> ServiceAllocator::TakePorts(ServiceEditor now, ServiceView was, bool dry_run,
                                                           Taken& taken) {
  if (!ConcernsPorts(now, was)) co_return rest::Result<void>();
  auto current = CO_TRY(co_await ports_.Read());
  auto plan = CO_TRY(PlanPorts(now, was, current, dry_run));
  if (!dry_run && !plan.taken.empty()) {
    // Planned again on what is stored, since others may have taken ports meanwhile.
    CO_TRY(co_await ports_.Update([&](PortBitmap& ports) -> base::Result<void, api::Status> {
      plan = TRY(PlanPorts(now, was, ports, false));
      return {};
    }));
  }
  ApplyPlan(plan, now);
  if (!dry_run) {
    taken.ports = plan.taken;
    taken.ports_given_up = plan.given_up;
  }
  co_return rest::Result<void>();
}

base::Task<Reserver::Result> ServiceAllocator::BeginCreate(const rest::WriteRequest& request, api::Doc& doc) {
  ServiceEditor service(doc);
  SyncClusterIps(service.mutable_spec(), ServiceSpecView());
  auto taken = std::make_shared<Taken>(*this);
  auto ready = InitIpFamilies(service, ServiceView(), families_);
  const bool needs_ip = service.spec().type() != ServiceType::kExternalName && !IsHeadless(service.spec());
  if (ready && needs_ip) ready = co_await TakeIps(service, 0, request.dry_run, *taken);
  if (ready) ready = co_await TakePorts(service, ServiceView(), request.dry_run, *taken);
  if (ready) co_return taken;
  co_await taken->Finish(false);
  co_return base::Err(std::move(ready.error()));
}

base::Task<Reserver::Result> ServiceAllocator::BeginUpdate(const rest::WriteRequest& request, api::Doc& now,
                                                           const api::Doc& was) {
  // What was stored by older servers lacks fields that the rules below rely on.
  api::Doc completed = was.Clone();
  ServiceEditor before(completed);
  SyncClusterIps(before.mutable_spec(), ServiceSpecView());
  FillMissingFamilies(before.mutable_spec(), families_);
  ServiceEditor service(now);
  KeepAllocated(service.mutable_spec(), before.spec());
  SyncClusterIps(service.mutable_spec(), before.spec());

  auto taken = std::make_shared<Taken>(*this);
  auto ready = InitIpFamilies(service, before, families_);
  if (ready) ready = co_await UpdateIps(service, before, request.dry_run, *taken);
  if (ready) ready = co_await TakePorts(service, before, request.dry_run, *taken);
  if (ready) {
    if (request.dry_run) taken->ips_given_up.clear();
    co_return taken;
  }
  co_await taken->Finish(false);
  co_return base::Err(std::move(ready.error()));
}

base::Task<void> ServiceAllocator::AfterDelete(const api::Doc& gone) {
  const ServiceView service(gone);
  const ServiceName name = NameOf(service);
  // Its endpoints must not outlive it: a new service of the name would inherit them.
  if (Store* const endpoints = stores_.Find({"", "endpoints"})) {
    rest::WriteRequest request{.user = &user_, .ns = name.ns};
    const auto deleted = co_await endpoints->Delete(std::move(request), name.name, {});
    if (!deleted && deleted.error().code != 404)
      base::Log(base::LogLevel::kWarning, "the endpoints of a deleted service are left",
                {{"service", name.ns + "/" + name.name}, {"why", deleted.error().message}});
  }
  co_await ReleaseIps(AddressesOf(service.spec()));
  co_await ReleasePorts(NodePortsHeldBy(service));
}

}  // namespace keelson::registry::core
