#include "api/validation/networking/network_policy.h"
#include "registry/core/spec_strategy.h"
#include "registry/networking/strategies.h"

namespace keelson::registry::networking {
namespace {

using api::field::ErrorList;
using api::networking_v1::NetworkPolicyView;

class NetworkPolicyStrategy final : public core::SpecStrategy {
 public:
  bool NamespaceScoped() const override { return true; }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::networking::ValidateNetworkPolicy(NetworkPolicyView(doc));
  }
  std::vector<std::string> WarningsOnCreate(const WriteContext&, const api::Doc& doc) const override {
    return api::networking::WarningsForNetworkPolicy(NetworkPolicyView(doc));
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::networking::ValidateNetworkPolicyUpdate(NetworkPolicyView(now), NetworkPolicyView(was));
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext&, const api::Doc& now,
                                            const api::Doc&) const override {
    return api::networking::WarningsForNetworkPolicy(NetworkPolicyView(now));
  }
};

}  // namespace

const Strategy& NetworkPolicies() {
  static const NetworkPolicyStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::networking
