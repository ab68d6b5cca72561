#include "api/validation/networking/service_cidr.h"
#include "registry/networking/strategies.h"

namespace keelson::registry::networking {
namespace {

using api::field::ErrorList;
using api::networking_v1::IPAddressView;

// IPAddress: a claim on one address; what claims it may not change.
class IpAddressStrategy final : public Strategy {
 public:
  bool NamespaceScoped() const override { return false; }
  std::vector<std::string> ValidateName(std::string_view name, bool) const override {
    return api::networking::NameIsIpAddress(name);
  }
  // No address comes of it, and that is what the client is told.
  bool RandomizesGenerateName() const override { return false; }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::networking::ValidateIpAddress(IPAddressView(doc));
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::networking::ValidateIpAddressUpdate(IPAddressView(now), IPAddressView(was));
  }
};

}  // namespace

const Strategy& IpAddresses() {
  static const IpAddressStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::networking
