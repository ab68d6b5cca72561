#include "api/validation/names.h"
#include "api/validation/storage/csi.h"
#include "registry/storage/strategies.h"

namespace keelson::registry::storage_api {
namespace {

using api::field::ErrorList;
using api::storage_v1::CSIStorageCapacityView;

class CsiStorageCapacityStrategy final : public Strategy {
 public:
  bool NamespaceScoped() const override { return true; }
  bool AllowUnconditionalUpdate() const override { return false; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::storage_api::ValidateCsiStorageCapacity(CSIStorageCapacityView(doc));
  }
  std::vector<std::string> WarningsOnCreate(const WriteContext&, const api::Doc& doc) const override {
    return api::storage_api::WarningsForCsiStorageCapacity(CSIStorageCapacityView(doc));
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::storage_api::ValidateCsiStorageCapacityUpdate(CSIStorageCapacityView(now),
                                                              CSIStorageCapacityView(was));
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext&, const api::Doc& now,
                                            const api::Doc&) const override {
    return api::storage_api::WarningsForCsiStorageCapacity(CSIStorageCapacityView(now));
  }
};

}  // namespace

const Strategy& CsiStorageCapacities() {
  static const CsiStorageCapacityStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::storage_api
