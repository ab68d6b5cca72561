#include "api/validation/core/config_map.h"
#include "api/validation/names.h"
#include "registry/core/strategies.h"

namespace keelson::registry::core {
namespace {

using api::core_v1::ConfigMapView;
using api::field::ErrorList;

// ConfigMap: once made immutable, an object keeps its contents forever.
class ConfigMapStrategy final : public Strategy {
 public:
  bool NamespaceScoped() const override { return true; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::core::ValidateConfigMap(ConfigMapView(doc));
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::core::ValidateConfigMapUpdate(ConfigMapView(now), ConfigMapView(was));
  }
};

}  // namespace

const Strategy& ConfigMaps() {
  static const ConfigMapStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::core
