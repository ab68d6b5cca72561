#include "api/validation/names.h"
#include "api/validation/resource/resource_slice.h"
#include "registry/resource/strategies.h"

namespace keelson::registry::resource {
namespace {

using api::field::ErrorList;
using namespace api::resource_v1;

// Names of drivers are compared as they are written; mixed case is asking for trouble.
std::vector<std::string> WarningsFor(const api::Doc& doc) {
  const std::string driver(ResourceSliceView(doc).spec().driver());
  for (const char c : driver)
    if (c >= 'A' && c <= 'Z')
      return {"spec.driver: driver names should be lowercase; \"" + driver +
              "\" contains uppercase characters"};
  return {};
}

// Of alpha features, what this version drops.
void DropDisabled(ResourceSliceEditor slice) {
  if (!slice.spec()) return;
  for (auto device : slice.edit_spec().edit_devices()) {
    device.clear_node_allocatable_resource_mappings();
    if (device.attributes().empty()) continue;
    for (auto& [name, value] : device.mutable_attributes().entries()) {
      DeviceAttributeEditor attribute(value.node(), &device.arena());
      attribute.clear_ints();
      attribute.clear_bools();
      attribute.clear_strings();
      attribute.clear_versions();
    }
  }
}

class ResourceSliceStrategy final : public Strategy {
 public:
  bool NamespaceScoped() const override { return false; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }
  void PrepareForCreate(const WriteContext&, api::Doc& doc) const override {
    ResourceSliceEditor slice(doc);
    slice.mutable_metadata().set_generation(1);
    DropDisabled(slice);
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::resource::ValidateResourceSlice(ResourceSliceView(doc), ResourceSliceView());
  }
  std::vector<std::string> WarningsOnCreate(const WriteContext&, const api::Doc& doc) const override {
    return WarningsFor(doc);
  }
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    ResourceSliceEditor slice(now);
    const ResourceSliceView old(was);
    if (!api::Equal(slice.spec().node(), old.spec().node()))
      slice.mutable_metadata().set_generation(old.metadata().generation() + 1);
    DropDisabled(slice);
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::resource::ValidateResourceSlice(ResourceSliceView(now), ResourceSliceView(was));
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext&, const api::Doc& now,
                                            const api::Doc&) const override {
    return WarningsFor(now);
  }
};

}  // namespace

const Strategy& ResourceSlices() {
  static const ResourceSliceStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::resource
