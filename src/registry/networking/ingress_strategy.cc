#include "api/validation/ip.h"
#include "api/validation/networking/ingress.h"
#include "registry/core/spec_strategy.h"
#include "registry/networking/strategies.h"

namespace keelson::registry::networking {
namespace {

using api::field::ErrorList;
using api::field::Path;
using api::networking_v1::IngressView;

class IngressStrategy : public core::SpecStrategy {
 public:
  bool NamespaceScoped() const override { return true; }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::networking::ValidateIngress(IngressView(doc));
  }
  std::vector<std::string> WarningsOnCreate(const WriteContext&, const api::Doc& doc) const override {
    const IngressView ingress(doc);
    if (!ingress.metadata().annotations().Find(api::networking::kIngressClassAnnotation) ||
        ingress.spec().has_ingress_class_name())
      return {};
    return {"annotation \"" + std::string(api::networking::kIngressClassAnnotation) +
            "\" is deprecated, please use 'spec.ingressClassName' instead"};
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::networking::ValidateIngressUpdate(IngressView(now), IngressView(was));
  }
};

class IngressStatusStrategy final : public IngressStrategy {
 public:
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    core::KeepField(now, was, "spec");
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::networking::ValidateIngressStatusUpdate(IngressView(now), IngressView(was));
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext&, const api::Doc& now,
                                            const api::Doc&) const override {
    std::vector<std::string> warnings;
    const Path status("status"), balancer = status.Child("loadBalancer"), path = balancer.Child("ingress");
    size_t i = 0;
    for (const auto ingress : IngressView(now).status().load_balancer().ingress()) {
      const Path at = path.Index(i++);
      if (ingress.ip().empty()) continue;
      if (auto warning = api::WarningForIp(at, ingress.ip())) warnings.push_back(std::move(*warning));
    }
    return warnings;
  }
};

}  // namespace

const Strategy& Ingresses() {
  static const IngressStrategy strategy;
  return strategy;
}

const Strategy& IngressStatus() {
  static const IngressStatusStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::networking
