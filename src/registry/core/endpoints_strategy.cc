#include "api/validation/core/endpoints.h"
#include "api/validation/names.h"
#include "registry/core/strategies.h"

namespace keelson::registry::core {
namespace {

using api::core_v1::EndpointsView;
using api::field::ErrorList;

class EndpointsStrategy final : public Strategy {
 public:
  bool NamespaceScoped() const override { return true; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::core::ValidateEndpoints(EndpointsView(doc));
  }
  std::vector<std::string> WarningsOnCreate(const WriteContext&, const api::Doc& doc) const override {
    return api::core::WarningsForEndpoints(EndpointsView(doc));
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::core::ValidateEndpointsUpdate(EndpointsView(now), EndpointsView(was));
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext&, const api::Doc& now,
                                            const api::Doc&) const override {
    return api::core::WarningsForEndpoints(EndpointsView(now));
  }
  bool AllowCreateOnUpdate() const override { return true; }
};

}  // namespace

const Strategy& Endpoints() {
  static const EndpointsStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::core
