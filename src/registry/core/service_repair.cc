#include "registry/core/service_repair.h"

#include <algorithm>

#include "api/codec/protobuf.h"
#include "api/generated/core_v1.h"
#include "api/generated/networking_v1.h"
#include "api/meta/object_meta.h"
#include "base/log.h"
#include "registry/core/service_ports.h"

namespace keelson::registry::core {
namespace {

using api::core_v1::ServiceView;
using api::networking_v1::IPAddressView;

constexpr int kRunsBeforeRelease = 2;
constexpr int64_t kWriteGraceSeconds = 60;  // how long a service may take to be written
constexpr int64_t kRevertGraceSeconds = 5;  // how long it may take to give back an address

base::Result<api::Doc, std::string> Decode(const rest::Object& object, const api::TypeDesc& type) {
  auto bytes = base::Slice::Share(object.bytes(), rest::ObjectPtr(&object));
  auto doc = api::protobuf::DecodeObject(std::move(bytes), type);
  if (!doc) return base::Err("cannot decode " + std::string(object.key()));
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
  auto listing = stores_.Find({"", "services"})->List({});
  const auto list = co_await std::move(listing);
  if (!list) co_return base::Err(list.error().message);
  Services services;
  for (const rest::Object* const object : list->items) {
    const auto doc = Decode(*object, ServiceView::Type());
    if (!doc) co_return base::Err(doc.error());
    const ServiceView view(*doc);
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
  auto replacing = ports_.Replace([&](const PortBitmap& stored) {
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
  const auto replaced = co_await std::move(replacing);
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
      auto lookup = addresses.Get("", ip->ToString(), {});
      const auto found = co_await std::move(lookup);
      if (found) {
        const auto doc = Decode(**found, IPAddressView::Type());
        if (!doc) co_return base::Err(doc.error());
        const IPAddressView address(*doc);
        if (Agrees(address, ns, name, ip->is_v4() ? "IPv4" : "IPv6")) continue;
        const auto parent = address.spec().parent_ref();
        const auto other = services.find({std::string(parent.namespace_()), std::string(parent.name())});
        if (other != services.end() && other->first != key &&
            std::ranges::count(other->second.ips, text) > 0) {
          base::Log(base::LogLevel::kWarning, "a cluster IP belongs to several services; recreate one",
                    {{"ip", text}, {"service", ns + "/" + name}});
          continue;
        }
        auto release = ips_.Release(*ip);
        co_await std::move(release);
      }
      auto within = ips_.InSomeRange(*ip);
      if (!co_await std::move(within)) continue;
      base::Log(base::LogLevel::kWarning, "a cluster IP was not allocated; repaired",
                {{"ip", text}, {"service", ns + "/" + name}});
      auto taking = ips_.Take(*ip, {ns, name}, false);
      co_await std::move(taking);
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
  auto listing = stores_.Find({"networking.k8s.io", "ipaddresses"})->List({});
  const auto list = co_await std::move(listing);
  if (!list) co_return base::Err(list.error().message);
  for (const rest::Object* const object : list->items) {
    if (object->FindLabel(kIpManagedByLabel) != kIpManagedBy) continue;
    const auto doc = Decode(*object, IPAddressView::Type());
    if (!doc) co_return base::Err(doc.error());
    const auto ip = api::ParseIp(object->name());
    if (!ip || !MayBeLeaked(*doc, services)) continue;
    base::Log(base::LogLevel::kWarning, "an address of no service; released", {{"ip", object->name()}});
    auto release = ips_.Release(*ip);
    co_await std::move(release);
  }
  co_return base::Result<void, std::string>();
}

base::Task<base::Result<void, std::string>> ServiceRepair::Run() {
  std::set<int> ports;
  auto reading = ReadServices(ports);
  const auto services = co_await std::move(reading);
  if (!services) co_return base::Err(services.error());
  auto repairing = RepairPorts(std::move(ports));
  if (auto repaired = co_await std::move(repairing); !repaired) co_return repaired;
  auto taking = TakeMissingIps(*services);
  if (auto taken = co_await std::move(taking); !taken) co_return taken;
  auto releasing = ReleaseLeakedIps(*services);
  co_return co_await std::move(releasing);
}

}  // namespace keelson::registry::core
