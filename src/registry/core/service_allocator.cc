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

api::Status NoAddress(ServiceView service, const std::string& why) {
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
    auto releasing_ips = allocator_.ReleaseIps(written ? ips_given_up : ips);
    co_await std::move(releasing_ips);
    auto releasing_ports = allocator_.ReleasePorts(written ? ports_given_up : ports);
    co_await std::move(releasing_ports);
  }

  std::vector<api::IpAddress> ips, ips_given_up;
  std::vector<int> ports, ports_given_up;

 private:
  ServiceAllocator& allocator_;
};

base::Task<void> ServiceAllocator::ReleaseIps(std::vector<api::IpAddress> ips) {
  for (const api::IpAddress& ip : ips) {
    auto release = ips_.Release(ip);
    co_await std::move(release);
  }
}

base::Task<void> ServiceAllocator::ReleasePorts(std::vector<int> ports) {
  if (ports.empty()) co_return;
  auto release = ports_.Update([ports](PortBitmap& taken) -> base::Result<void, api::Status> {
    for (const int port : ports) taken.Release(port);
    return {};
  });
  const auto released = co_await std::move(release);
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
      auto taking = ips_.Take(*ip, NameOf(service), dry_run);
      if (const auto got = co_await std::move(taking); !got) {
        co_return base::Err(NoAddress(service, "failed to allocate IP " + text + ": " + got.error().message));
      }
      if (!dry_run) taken.ips.push_back(*ip);
      continue;
    }
    auto taking = ips_.TakeNext(v4, NameOf(service), dry_run);
    const auto got = co_await std::move(taking);
    if (!got && got.error().full) {
      co_return base::Err(api::InternalError("failed to allocate a serviceIP for Service \"" +
                                             std::string(service.metadata().name()) +
                                             "\": " + got.error().message));
    }
    if (!got) co_return base::Err(NoAddress(service, "failed to allocate IP: " + got.error().message));
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
    auto taking = TakeIps(now, 0, dry_run, taken);
    co_return co_await std::move(taking);
  }
  if (IsHeadless(before)) co_return rest::Result<void>();
  if (external && !was_external) {
    taken.ips_given_up = AddressesOf(before);
  } else if (before.ip_families().size() == 1 && after.ip_families().size() == 2) {
    auto taking = TakeIps(now, 1, dry_run, taken);
    co_return co_await std::move(taking);
  } else if (before.ip_families().size() == 2 && after.ip_families().size() == 1) {
    if (const auto addresses = AddressesOf(before); addresses.size() > 1)
      taken.ips_given_up.push_back(addresses[1]);
  }
  co_return rest::Result<void>();
}

base::Task<rest::Result<void>> ServiceAllocator::TakePorts(ServiceEditor now, ServiceView was, bool dry_run,
                                                           Taken& taken) {
  if (!ConcernsPorts(now, was)) co_return rest::Result<void>();
  auto reading = ports_.Read();
  auto current = co_await std::move(reading);
  if (!current) co_return base::Err(std::move(current.error()));
  auto plan = PlanPorts(now, was, *current, dry_run);
  if (!plan) co_return base::Err(std::move(plan.error()));
  if (!dry_run && !plan->taken.empty()) {
    // Planned again on what is stored, since others may have taken ports meanwhile.
    auto update = ports_.Update([&](PortBitmap& ports) -> base::Result<void, api::Status> {
      auto planned = PlanPorts(now, was, ports, false);
      if (!planned) return base::Err(std::move(planned.error()));
      plan = std::move(planned);
      return {};
    });
    if (auto updated = co_await std::move(update); !updated) co_return base::Err(std::move(updated.error()));
  }
  ApplyPlan(*plan, now);
  if (!dry_run) {
    taken.ports = plan->taken;
    taken.ports_given_up = plan->given_up;
  }
  co_return rest::Result<void>();
}

base::Task<Reserver::Result> ServiceAllocator::BeginCreate(const rest::WriteRequest& request, api::Doc& doc) {
  ServiceEditor service(doc);
  SyncClusterIps(service.mutable_spec(), ServiceSpecView());
  auto taken = std::make_shared<Taken>(*this);
  auto ready = InitIpFamilies(service, ServiceView(), families_);
  const bool needs_ip = service.spec().type() != ServiceType::kExternalName && !IsHeadless(service.spec());
  if (ready && needs_ip) {
    auto taking = TakeIps(service, 0, request.dry_run, *taken);
    ready = co_await std::move(taking);
  }
  if (ready) {
    auto taking = TakePorts(service, ServiceView(), request.dry_run, *taken);
    ready = co_await std::move(taking);
  }
  if (ready) co_return taken;
  auto finish = taken->Finish(false);
  co_await std::move(finish);
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
  if (ready) {
    auto updating = UpdateIps(service, before, request.dry_run, *taken);
    ready = co_await std::move(updating);
  }
  if (ready) {
    auto taking = TakePorts(service, before, request.dry_run, *taken);
    ready = co_await std::move(taking);
  }
  if (ready) {
    if (request.dry_run) taken->ips_given_up.clear();
    co_return taken;
  }
  auto finish = taken->Finish(false);
  co_await std::move(finish);
  co_return base::Err(std::move(ready.error()));
}

base::Task<void> ServiceAllocator::AfterDelete(const api::Doc& gone) {
  const ServiceView service(gone);
  const ServiceName name = NameOf(service);
  // Its endpoints must not outlive it: a new service of the name would inherit them.
  if (Store* const endpoints = stores_.Find({"", "endpoints"})) {
    rest::WriteRequest request{.user = &user_, .ns = name.ns};
    auto deletion = endpoints->Delete(std::move(request), name.name, {});
    co_await std::move(deletion);
  }
  auto releasing_ips = ReleaseIps(AddressesOf(service.spec()));
  co_await std::move(releasing_ips);
  auto releasing_ports = ReleasePorts(NodePortsHeldBy(service));
  co_await std::move(releasing_ports);
}

}  // namespace keelson::registry::core
