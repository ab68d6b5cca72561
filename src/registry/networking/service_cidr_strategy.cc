#include "api/validation/names.h"
#include "api/validation/networking/service_cidr.h"
#include "registry/core/fields.h"
#include "registry/networking/strategies.h"

namespace keelson::registry::networking {
namespace {

using api::field::ErrorList;
using api::networking_v1::ServiceCIDRView;

class ServiceCidrStrategy : public Strategy {
 public:
  bool NamespaceScoped() const override { return false; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }
  void PrepareForCreate(const WriteContext&, api::Doc& doc) const override {
    core::ClearField(doc, "status");
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::networking::ValidateServiceCidr(ServiceCIDRView(doc));
  }
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    core::KeepField(now, was, "status");
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::networking::ValidateServiceCidrUpdate(ServiceCIDRView(now), ServiceCIDRView(was));
  }
};

class ServiceCidrStatusStrategy final : public ServiceCidrStrategy {
 public:
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    core::KeepField(now, was, "spec");
    core::KeepMetadataForStatus(now, was);
  }
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
