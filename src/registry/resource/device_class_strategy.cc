#include "api/meta/object_meta.h"
#include "api/validation/long_name.h"
#include "api/validation/resource/claims.h"
#include "cel/rules.h"
#include "registry/resource/strategies.h"

namespace keelson::registry::resource {
namespace {

using api::field::ErrorList;
using namespace api::resource_v1;

class DeviceClassStrategy final : public Strategy {
 public:
  bool NamespaceScoped() const override { return false; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsLongName(name, prefix);
  }
  void PrepareForCreate(const WriteContext&, api::Doc& doc) const override {
    DeviceClassEditor(doc).mutable_metadata().set_generation(1);
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::resource::ValidateDeviceClass(DeviceClassView(doc), cel::Rules());
  }
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    DeviceClassEditor device_class(now);
    const DeviceClassView old(was);
    if (!api::Equal(device_class.spec().node(), old.spec().node()))
      device_class.mutable_metadata().set_generation(old.metadata().generation() + 1);
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc&) const override {
    return api::resource::ValidateDeviceClass(DeviceClassView(now), cel::Rules());
  }
};

}  // namespace

const Strategy& DeviceClasses() {
  static const DeviceClassStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::resource
