#include "api/validation/names.h"
#include "api/validation/storage/volume_attributes_class.h"
#include "registry/storage/strategies.h"

namespace keelson::registry::storage_api {
namespace {

using api::field::ErrorList;
using api::storage_v1::VolumeAttributesClassView;

class VolumeAttributesClassStrategy final : public Strategy {
 public:
  bool NamespaceScoped() const override { return false; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::storage_api::ValidateVolumeAttributesClass(VolumeAttributesClassView(doc));
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::storage_api::ValidateVolumeAttributesClassUpdate(VolumeAttributesClassView(now),
                                                                 VolumeAttributesClassView(was));
  }
};

}  // namespace

const Strategy& VolumeAttributesClasses() {
  static const VolumeAttributesClassStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::storage_api
