#include "api/validation/names.h"
#include "api/validation/networking/ingress_class.h"
#include "registry/core/generation.h"
#include "registry/networking/strategies.h"

namespace keelson::registry::networking {
namespace {

using api::field::ErrorList;
using api::networking_v1::IngressClassView;

class IngressClassStrategy final : public Strategy {
 public:
  bool NamespaceScoped() const override { return false; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }
  void PrepareForCreate(const WriteContext&, api::Doc& doc) const override { core::StartGeneration(doc); }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::networking::ValidateIngressClass(IngressClassView(doc));
  }
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    core::CountGeneration(now, was, "spec");
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
