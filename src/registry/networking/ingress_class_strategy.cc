#include "api/validation/networking/ingress_class.h"
#include "registry/core/spec_strategy.h"
#include "registry/networking/strategies.h"

namespace keelson::registry::networking {
namespace {

using api::field::ErrorList;
using api::networking_v1::IngressClassView;

class IngressClassStrategy final : public core::SpecStrategy {
 public:
  bool NamespaceScoped() const override { return false; }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::networking::ValidateIngressClass(IngressClassView(doc));
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::networking::ValidateIngressClassUpdate(IngressClassView(now), IngressClassView(was));
  }
};

}  // namespace

const Strategy& IngressClasses() {
  static const IngressClassStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::networking
