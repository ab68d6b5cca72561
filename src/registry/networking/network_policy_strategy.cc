#include "api/validation/names.h"
#include "api/validation/networking/network_policy.h"
#include "registry/core/generation.h"
#include "registry/networking/strategies.h"

namespace keelson::registry::networking {
namespace {

using api::field::ErrorList;
using api::networking_v1::NetworkPolicyView;

class NetworkPolicyStrategy final : public Strategy {
 public:
  bool NamespaceScoped() const override { return true; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }
  void PrepareForCreate(const WriteContext&, api::Doc& doc) const override { core::StartGeneration(doc); }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::networking::ValidateNetworkPolicy(NetworkPolicyView(doc));
  }
  std::vector<std::string> WarningsOnCreate(const WriteContext&, const api::Doc& doc) const override {
    return api::networking::WarningsForNetworkPolicy(NetworkPolicyView(doc));
  }
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    core::CountGeneration(now, was, "spec");
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
