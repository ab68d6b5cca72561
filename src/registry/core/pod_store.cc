#include "registry/core/pod_store.h"

#include "api/validation/names.h"

namespace keelson::registry::core {
namespace {

class OwnWrites final : public Strategy {
 public:
  bool NamespaceScoped() const override { return true; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }
  api::field::ErrorList Validate(const WriteContext&, const api::Doc&) const override { return {}; }
  api::field::ErrorList ValidateUpdate(const WriteContext&, const api::Doc&, const api::Doc&) const override {
    return {};
  }
};

StoreOptions ForOwnWrites(StoreOptions options) {
  static const OwnWrites strategy;
  options.strategy = &strategy;
  options.admission = {};
  return options;
}

}  // namespace

PodStore::PodStore(StoreOptions options) : Store(options), own_writes_(ForOwnWrites(options)) {}

}  // namespace keelson::registry::core
