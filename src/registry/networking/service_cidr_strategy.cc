#include "api/validation/networking/service_cidr.h"
#include "registry/core/spec_and_status_strategy.h"
#include "registry/networking/strategies.h"

namespace keelson::registry::networking {
namespace {

using api::field::ErrorList;
using api::networking_v1::ServiceCIDRView;

class ServiceCidrStrategy : public core::SpecAndStatusStrategy {
 public:
  bool NamespaceScoped() const override { return false; }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::networking::ValidateServiceCidr(ServiceCIDRView(doc));
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::networking::ValidateServiceCidrUpdate(ServiceCIDRView(now), ServiceCIDRView(was));
  }
};

class ServiceCidrStatusStrategy final : public core::StatusStrategy<ServiceCidrStrategy> {
 public:
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc&, const api::Doc&) const override {
    return {};
  }
};

}  // namespace

const Strategy& ServiceCidrs() {
  static const ServiceCidrStrategy strategy;
  return strategy;
}

const Strategy& ServiceCidrStatus() {
  static const ServiceCidrStatusStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::networking
