// ip("10.0.0.1"), cidr("10.0.0.0/8") and what can be asked of them.
#include "api/validation/quote.h"
#include "cel/functions/functions.h"
#include "cel/functions/netip.h"

namespace keelson::cel {
namespace {

class Ip final : public Object {
 public:
  explicit Ip(NetAddress a) : address(std::move(a)) {}
  const TypeRef& type() const override { return IpType(); }
  Value Equals(const Object& other) const override {
    const auto* o = dynamic_cast<const Ip*>(&other);
    return o ? Value::Bool(address == o->address) : NoSuchOverload();
  }
  uint64_t Size() const override { return address.v4 ? 4 : 16; }
  std::string ToString() const override { return address.ToString(); }
  const NetAddress address;
};

class CidrValue final : public Object {
 public:
  explicit CidrValue(NetPrefix p) : prefix(std::move(p)) {}
  const TypeRef& type() const override { return CidrType(); }
  Value Equals(const Object& other) const override {
    const auto* o = dynamic_cast<const CidrValue*>(&other);
    return o ? Value::Bool(prefix.address == o->prefix.address && prefix.bits == o->prefix.bits)
             : NoSuchOverload();
  }
  uint64_t Size() const override { return static_cast<uint64_t>(prefix.bits + 7) / 8; }
  std::string ToString() const override { return prefix.ToString(); }
  const NetPrefix prefix;
};

base::Result<NetAddress, std::string> ReadIp(std::string_view text) {
  auto address = ParseNetAddress(text);
  if (!address)
    return base::Err("IP Address " + api::Quoted(text) +
                     " parse error during conversion from string: " + address.error());
  if (!address->zone.empty())
    return base::Err("IP address " + api::Quoted(text) + " with zone value is not allowed");
  if (address->IsMappedV4())
    return base::Err("IPv4-mapped IPv6 address " + api::Quoted(text) + " is not allowed");
  return address;
}

base::Result<NetPrefix, std::string> ReadCidr(std::string_view text) {
  auto prefix = ParseNetPrefix(text);
  if (!prefix)
    return base::Err("network address parse error during conversion from string: " + prefix.error());
  if (prefix->address.IsMappedV4())
    return base::Err("IPv4-mapped IPv6 address " + api::Quoted(text) + " is not allowed");
  return prefix;
}

Value MakeIp(const Value& text) {
  auto address = ReadIp(text.text());
  return address ? Value::Of(std::make_shared<const Ip>(std::move(*address))) : Value::Error(address.error());
}
Value MakeCidr(const Value& text) {
  auto prefix = ReadCidr(text.text());
  return prefix
             ? Value::Of(std::make_shared<const CidrValue>(std::move(*prefix)))
             : Value::Error("network address parse error during conversion from string: " + prefix.error());
}

Value IsCanonical(Args args) {
  const auto address = ReadIp(args[0].text());
  return address ? Value::Bool(address->ToString() == args[0].text()) : Value::Error(address.error());
}

Value Family(Args args) {
  const auto* ip = args[0].As<Ip>();
  return ip ? Value::Int(ip->address.v4 ? 4 : 6) : NoSuchOverload(args[0]);
}

template <bool (NetAddress::*test)() const>
Value TestIp(Args args) {
  const auto* ip = args[0].As<Ip>();
  return ip ? Value::Bool((ip->address.*test)()) : NoSuchOverload(args[0]);
}

Value ObjectText(Args args) { return Value::String(args[0].object().ToString()); }

Value Contains(const Value& cidr, const Value& other) {
  const auto* c = cidr.As<CidrValue>();
  if (!c) return NoSuchOverload(other);
  const auto* ip = other.As<Ip>();
  return ip ? Value::Bool(c->prefix.Contains(ip->address)) : NoSuchOverload();
}

Value ContainsCidr(const Value& cidr, const Value& other) {
  const auto* a = cidr.As<CidrValue>();
  if (!a) return NoSuchOverload(cidr);
  const auto* b = other.As<CidrValue>();
  if (!b) return NoSuchOverload(other);
  return Value::Bool(a->prefix.bits <= b->prefix.bits && a->prefix.Contains(b->prefix.address));
}

Value CidrIp(Args args) {
  return Value::Of(std::make_shared<const Ip>(args[0].As<CidrValue>()->prefix.address));
}
Value PrefixLength(Args args) { return Value::Int(args[0].As<CidrValue>()->prefix.bits); }
Value Masked(Args args) {
  const NetPrefix& p = args[0].As<CidrValue>()->prefix;
  return Value::Of(std::make_shared<const CidrValue>(NetPrefix{p.address.Masked(p.bits), p.bits}));
}

}  // namespace

const TypeRef& IpType() {
  static const TypeRef type = types::Opaque("net.IP");
  return type;
}
const TypeRef& CidrType() {
  static const TypeRef type = types::Opaque("net.CIDR");
  return type;
}

void AddIpAndCidr(Library& library) {
  using namespace types;
  const TypeRef &ip = IpType(), &cidr = CidrType();
  library.Global("ip", "string_to_ip", {String()}, ip, [](Args a) { return MakeIp(a[0]); });
  library.Global("ip.isCanonical", "ip_is_canonical", {String()}, Bool(), IsCanonical);
  library.Global("isIP", "is_ip", {String()}, Bool(),
                 [](Args a) { return Value::Bool(ReadIp(a[0].text()).has_value()); });
  library.Global("string", "ip_to_string", {ip}, String(), ObjectText);
  library.Member("family", "ip_family", {ip}, Int(), Family);
  library.Member("isUnspecified", "ip_is_unspecified", {ip}, Bool(), TestIp<&NetAddress::IsUnspecified>);
  library.Member("isLoopback", "ip_is_loopback", {ip}, Bool(), TestIp<&NetAddress::IsLoopback>);
  library.Member("isLinkLocalMulticast", "ip_is_link_local_multicast", {ip}, Bool(),
                 TestIp<&NetAddress::IsLinkLocalMulticast>);
  library.Member("isLinkLocalUnicast", "ip_is_link_local_unicast", {ip}, Bool(),
                 TestIp<&NetAddress::IsLinkLocalUnicast>);
  library.Member("isGlobalUnicast", "ip_is_global_unicast", {ip}, Bool(),
                 TestIp<&NetAddress::IsGlobalUnicast>);

  library.Global("cidr", "string_to_cidr", {String()}, cidr, [](Args a) { return MakeCidr(a[0]); });
  library.Global("isCIDR", "is_cidr", {String()}, Bool(),
                 [](Args a) { return Value::Bool(ReadCidr(a[0].text()).has_value()); });
  library.Global("string", "cidr_to_string", {cidr}, String(), ObjectText);
  library.Member("containsIP", "cidr_contains_ip_string", {cidr, String()}, Bool(),
                 [](Args a) { return Contains(a[0], MakeIp(a[1])); });
  library.Member("containsIP", "cidr_contains_ip_ip", {cidr, ip}, Bool(),
                 [](Args a) { return Contains(a[0], a[1]); });
  library.Member("containsCIDR", "cidr_contains_cidr_string", {cidr, String()}, Bool(),
                 [](Args a) { return ContainsCidr(a[0], MakeCidr(a[1])); });
  library.Member("containsCIDR", "cidr_contains_cidr", {cidr, cidr}, Bool(),
                 [](Args a) { return ContainsCidr(a[0], a[1]); });
  library.Member("ip", "cidr_ip", {cidr}, ip, CidrIp);
  library.Member("prefixLength", "cidr_prefix_length", {cidr}, Int(), PrefixLength);
  library.Member("masked", "cidr_masked", {cidr}, cidr, Masked);
}

}  // namespace keelson::cel
