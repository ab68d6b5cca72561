#include "registry/core/service_repair.h"

#include <algorithm>

#include "api/generated/core_v1.h"
#include "api/generated/networking_v1.h"
#include "api/meta/object_meta.h"
#include "base/log.h"
#include "registry/core/service_ports.h"
#include "registry/decode.h"

namespace keelson::registry::core {
namespace {

using api::core_v1::ServiceView;
using api::networking_v1::IPAddressView;

constexpr int kRunsBeforeRelease = 2;
constexpr int64_t kWriteGraceSeconds = 60;  // how long a service may take to be written
constexpr int64_t kRevertGraceSeconds = 5;  // how long it may take to give back an address

base::Result<api::Doc, std::string> ReadObject(const rest::Object& object, const api::TypeDesc& type) {
  auto doc = DecodeStored(object, type);
  if (!doc) return base::Err(std::move(doc.error().message));
  return *std::move(doc);
}

// Whether the address is taken by the service, in the form the allocator gives it.
bool Agrees(IPAddressView address, const std::string& ns, const std::string& name, std::string_view family) {
  const auto parent = address.spec().parent_ref();
  const auto label = [&](std::string_view key) {
    const api::Value* value = address.metadata().labels().Find(key);
    return value ? value->string() : std::string_view();
  };
  return parent.group().empty() && parent.resource() == "services" && parent.namespace_() == ns &&
         parent.name() == name && label(kIpFamilyLabel) == family && label(kIpManagedByLabel) == kIpManagedBy;
}

}  // namespace

base::Task<base::Result<ServiceRepair::Services, std::string>> ServiceRepair::ReadServices(
    std::set<int>& ports) {
  const auto list = co_await stores_.Find({"", "services"})->List({});
  if (!list) co_return base::Err(list.error().message);
  Services services;
  for (const rest::Object* const object : list->items) {
    const auto doc = CO_TRY(ReadObject(*object, ServiceView::Type()));
    const ServiceView view(doc);
    Service& service = services[{std::string(object->ns()), std::string(object->name())}];
    service.created = view.metadata().creation_timestamp();
    service.external = view.spec().type() == "ExternalName";
    for (const api::Value& ip : view.spec().cluster_ips())
      if (!service.external && ip.string() != "None") service.ips.emplace_back(ip.string());
    for (const int port : NodePortsHeldBy(view)) ports.insert(port);
  }
  co_return services;
}

base::Task<base::Result<void, std::string>> ServiceRepair::RepairPorts(std::set<int> used) {
  std::map<int, int> leaks;
  const auto replaced = co_await ports_.Replace([&](const PortBitmap& stored) {
    PortBitmap rebuilt(stored.range());
    leaks.clear();
    for (const int port : used)
      if (stored.range().Contains(port)) rebuilt.Take(port);
    for (const int port : stored.Ports()) {
      if (used.contains(port)) continue;
      const auto known = leaks_.find(port);
      const int runs = known == leaks_.end() ? kRunsBeforeRelease : known->second;
      if (runs == 0) continue;
      leaks[port] = runs - 1;
      rebuilt.Take(port);
    }
    return rebuilt;
  });
  if (!replaced) co_return base::Err(replaced.error().message);
  leaks_ = std::move(leaks);
  co_return base::Result<void, std::string>();
}

base::Task<base::Result<void, std::string>> ServiceRepair::TakeMissingIps(const Services& services) {
  Store& addresses = *stores_.Find({"networking.k8s.io", "ipaddresses"});
  for (const auto& [key, service] : services) {
    const auto& [ns, name] = key;
    for (const std::string& text : service.ips) {
      const auto ip = api::ParseIp(text);
      if (!ip) continue;
      const auto found = co_await addresses.Get("", ip->ToString(), {});
      if (found) {
        const auto doc = CO_TRY(ReadObject(**found, IPAddressView::Type()));
        const IPAddressView address(doc);
        if (Agrees(address, ns, name, ip->is_v4() ? "IPv4" : "IPv6")) continue;
        const auto parent = address.spec().parent_ref();
        const auto other = services.find({std::string(parent.namespace_()), std::string(parent.name())});
        if (other != services.end() && other->first != key &&
            std::ranges::count(other->second.ips, text) > 0) {
          base::Log(base::LogLevel::kWarning, "a cluster IP belongs to several services; recreate one",
                    {{"ip", text}, {"service", ns + "/" + name}});
          continue;
        }
        co_await ips_.Release(*ip);
      }
      if (!co_await ips_.InSomeRange(*ip)) continue;
      const auto taken = co_await ips_.Take(*ip, {ns, name}, false);
      if (taken)
        base::Log(base::LogLevel::kWarning, "a cluster IP was not allocated; repaired",
                  {{"ip", text}, {"service", ns + "/" + name}});
      else
        base::Log(base::LogLevel::kWarning, "a cluster IP is not allocated and cannot be",
                  {{"ip", text}, {"service", ns + "/" + name}, {"why", taken.error().message}});
    }
  }
  co_return base::Result<void, std::string>();
}

bool ServiceRepair::MayBeLeaked(const api::Doc& doc, const Services& services) const {
  const IPAddressView address(doc);
  const auto parent = address.spec().parent_ref();
  if (!parent.group().empty() || parent.resource() != "services") return true;
  const int64_t created = address.metadata().creation_timestamp();
  const int64_t age = api::NowSeconds(clock_) - created;
  const auto service = services.find({std::string(parent.namespace_()), std::string(parent.name())});
  if (service == services.end()) return age > kWriteGraceSeconds;
  if (std::ranges::count(service->second.ips, address.metadata().name()) > 0) return false;
  if (service->second.external && age < kWriteGraceSeconds) return false;
  return created <= service->second.created || age >= kRevertGraceSeconds;
}

base::Task<base::Result<void, std::string>> ServiceRepair::ReleaseLeakedIps(const Services& services) {
  const auto list = co_await stores_.Find({"networking.k8s.io", "ipaddresses"})->List({});
  if (!list) co_return base::Err(list.error().message);
  for (const rest::Object* const object : list->items) {
    if (object->FindLabel(kIpManagedByLabel) != kIpManagedBy) continue;
    const auto doc = CO_TRY(ReadObject(*object, IPAddressView::Type()));
    const auto ip = api::ParseIp(object->name());
    if (!ip || !MayBeLeaked(doc, services)) continue;
    base::Log(base::LogLevel::kWarning, "an address of no service; released", {{"ip", object->name()}});
    co_await ips_.Release(*ip);
  }
  co_return base::Result<void, std::string>();
}

base::Task<base::Result<void, std::string>> ServiceRepair::Run() {
  std::set<int> ports;
  const auto services = CO_TRY(co_await ReadServices(ports));
  CO_TRY(co_await RepairPorts(std::move(ports)));
  CO_TRY(co_await TakeMissingIps(services));
  co_return co_await ReleaseLeakedIps(services);
}

}  // namespace keelson::registry::core
