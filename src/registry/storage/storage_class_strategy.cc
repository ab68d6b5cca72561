#include "api/validation/names.h"
#include "api/validation/storage/storage_class.h"
#include "registry/storage/strategies.h"

namespace keelson::registry::storage_api {
namespace {

using api::field::ErrorList;
using api::storage_v1::StorageClassView;

class StorageClassStrategy final : public Strategy {
 public:
  bool NamespaceScoped() const override { return false; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::storage_api::ValidateStorageClass(StorageClassView(doc));
  }
  std::vector<std::string> WarningsOnCreate(const WriteContext&, const api::Doc& doc) const override {
    return api::storage_api::WarningsForStorageClass(StorageClassView(doc));
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::storage_api::ValidateStorageClassUpdate(StorageClassView(now), StorageClassView(was));
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext&, const api::Doc& now,
                                            const api::Doc&) const override {
    return api::storage_api::WarningsForStorageClass(StorageClassView(now));
  }
};

}  // namespace

const Strategy& StorageClasses() {
  static const StorageClassStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::storage_api
