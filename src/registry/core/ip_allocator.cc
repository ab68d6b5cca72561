#include "registry/core/ip_allocator.h"

#include <algorithm>
#include <limits>

#include "api/generated/networking_v1.h"
#include "base/log.h"
#include "registry/core/random.h"
#include "registry/decode.h"

namespace keelson::registry::core {
namespace {

using namespace api::networking_v1;
using Number = unsigned __int128;

constexpr api::GroupResource kIpAddresses{"networking.k8s.io", "ipaddresses"};
constexpr api::GroupResource kServiceCidrs{"networking.k8s.io", "servicecidrs"};

constexpr int kShortestV6Prefix = 64;

Number ToNumber(const api::IpAddress& ip) {
  Number n = 0;
  for (const uint8_t byte : ip.bytes) n = n << 8 | byte;
  return n;
}

api::IpAddress ToAddress(Number n, bool v4) {
  api::IpAddress ip;
  for (size_t i = ip.bytes.size(); i-- > 0; n >>= 8) ip.bytes[i] = static_cast<uint8_t>(n);
  ip.written_as_v4 = v4;
  return ip;
}

// The addresses of a block that services may have: without the network's own and, of IPv4,
// without the one for broadcasts.
struct Usable {
  Number first = 0, last = 0;
  Number dynamic = 0;  // from here on addresses are given out first; before it, last

  explicit Usable(const api::Cidr& cidr) {
    const int host_bits = (cidr.is_v4() ? 32 : 128) - cidr.prefix_length;
    const Number network = ToNumber(cidr.network()), block = Number{1} << host_bits;
    first = network + 1;
    last = network + block - (cidr.is_v4() ? 2 : 1);
    constexpr Number kMin = 16, kMax = 256, kStep = 16;
    dynamic = first + (block <= kMin ? 0 : std::clamp(block / kStep, kMin, kMax));
  }
  bool empty() const { return last < first; }
  bool Contains(Number n) const { return n >= first && n <= last; }
};

bool IsReady(ServiceCIDRView cidr) {
  if (cidr.metadata().has_deletion_timestamp()) return false;
  for (const auto condition : cidr.status().conditions())
    if (condition.type() == "Ready") return condition.status() == "True";
  // Nobody has looked at it yet, which may be because nobody is there to do so.
  return true;
}

IpAllocator::Error ErrorOf(const api::Status& status) {
  IpAllocator::Error error{.message = status.message};
  if (status.code >= 500 || status.code == 429) error.unanswered = status;
  return error;
}

}  // namespace

api::Doc MakeIpAddress(const api::IpAddress& ip, const ServiceName& service) {
  api::Doc doc(IPAddressView::Type());
  IPAddressEditor address(doc);
  address.set_kind_static("IPAddress");
  address.set_api_version_static("networking.k8s.io/v1");
  auto metadata = address.mutable_metadata();
  metadata.set_name(ip.ToString());
  metadata.put_labels(kIpFamilyLabel, ip.is_v4() ? "IPv4" : "IPv6");
  metadata.put_labels(kIpManagedByLabel, kIpManagedBy);
  auto parent = address.mutable_spec().mutable_parent_ref();
  parent.set_resource_static("services");
  parent.set_namespace(service.ns);
  parent.set_name(service.name);
  return doc;
}

base::Task<IpAllocator::Result<std::vector<IpAllocator::Range>>> IpAllocator::Ranges(bool v4) {
  const auto list = co_await stores_.Find(kServiceCidrs)->List({});
  if (!list) co_return base::Err(ErrorOf(list.error()));
  std::vector<Range> ranges;
  for (const rest::Object* const object : list->items) {
    const auto doc = DecodeStored(*object, ServiceCIDRView::Type());
    if (!doc) continue;
    const ServiceCIDRView service_cidr(*doc);
    for (const api::Value& text : service_cidr.spec().cidrs()) {
      const auto cidr = api::ParseCidr(text.string());
      // Larger blocks of IPv6 are not given out from.
      const bool usable = cidr && cidr->is_v4() == v4 && (v4 || cidr->prefix_length >= kShortestV6Prefix);
      if (usable) ranges.push_back({*cidr, IsReady(service_cidr)});
    }
  }
  co_return ranges;
}

base::Task<IpAllocator::Result<void>> IpAllocator::Create(api::IpAddress ip, ServiceName service) {
  rest::WriteRequest request{.user = &user_};
  const auto created =
      co_await stores_.Find(kIpAddresses)->Create(std::move(request), MakeIpAddress(ip, service));
  if (created) co_return Result<void>();
  if (created.error().reason == "AlreadyExists")
    co_return base::Err(Error{"provided IP is already allocated"});
  co_return base::Err(ErrorOf(created.error()));
}

base::Task<IpAllocator::Result<std::optional<api::IpAddress>>> IpAllocator::TakeFrom(
    const api::Cidr& cidr, const ServiceName& service) {
  const Usable usable(cidr);
  // Both parts of the range, each from a random place on and around once.
  const std::pair<Number, Number> parts[] = {{usable.dynamic, usable.last},
                                             {usable.first, usable.dynamic - 1}};
  for (const auto& [first, last] : parts) {
    if (usable.empty() || last < first) continue;
    constexpr Number kMost = std::numeric_limits<uint64_t>::max();
    const auto count = static_cast<uint64_t>(std::min(last - first + 1, kMost));
    const uint64_t start = RandomBelow(count);
    for (uint64_t i = 0; i < count; ++i) {
      const Number offset = (Number{start} + i) % count;
      const api::IpAddress ip = ToAddress(first + offset, cidr.is_v4());
      if (co_await stores_.Find(kIpAddresses)->Get("", ip.ToString(), {})) continue;
      const auto created = co_await Create(ip, service);
      if (created) co_return ip;
      // Another server may have been faster; anything else will not get better.
      if (!co_await stores_.Find(kIpAddresses)->Get("", ip.ToString(), {}))
        co_return base::Err(created.error());
    }
  }
  co_return std::nullopt;
}

base::Task<IpAllocator::Result<api::IpAddress>> IpAllocator::TakeNext(bool v4, ServiceName service,
                                                                      bool dry_run) {
  const auto ranges = CO_TRY(co_await Ranges(v4));
  for (const Range& range : ranges) {
    if (!range.ready) continue;
    // What a dry run shows is no address that anybody can have.
    if (dry_run) co_return range.cidr.network();
    const auto taken = CO_TRY(co_await TakeFrom(range.cidr, service));
    if (taken) co_return *taken;
  }
  co_return base::Err(Error{"range is full", true});
}

base::Task<IpAllocator::Result<void>> IpAllocator::Take(api::IpAddress ip, ServiceName service,
                                                        bool dry_run) {
  const auto ranges = CO_TRY(co_await Ranges(ip.is_v4()));
  const auto has = [&](const Range& range) {
    return range.ready && Usable(range.cidr).Contains(ToNumber(ip));
  };
  if (std::ranges::none_of(ranges, has)) {
    if (dry_run && !ranges.empty()) {
      co_return base::Err(Error{"the provided IP (" + ip.ToString() +
                                ") is not in the valid range. The range of valid IPs is " +
                                ranges.front().cidr.ToString()});
    }
    co_return base::Err(Error{"the provided network does not match the current range"});
  }
  if (dry_run) co_return Result<void>();
  co_return co_await Create(ip, std::move(service));
}

base::Task<void> IpAllocator::Release(api::IpAddress ip) {
  rest::WriteRequest request{.user = &user_};
  const auto deleted = co_await stores_.Find(kIpAddresses)->Delete(std::move(request), ip.ToString(), {});
  // The repair of services frees it later.
  if (!deleted && deleted.error().code != 404)
    base::Log(base::LogLevel::kWarning, "a cluster IP is not released",
              {{"ip", ip.ToString()}, {"why", deleted.error().message}});
}

base::Task<bool> IpAllocator::InSomeRange(api::IpAddress ip) {
  const auto ranges = co_await Ranges(ip.is_v4());
  co_return ranges.has_value() && std::ranges::any_of(*ranges, [&](const Range& range) {
    return Usable(range.cidr).Contains(ToNumber(ip));
  });
}

}  // namespace keelson::registry::core
