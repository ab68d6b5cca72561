#include <set>
#include <string_view>
#include <tuple>

#include "api/meta/object_meta.h"
#include "api/validation/names.h"
#include "api/validation/resource/claims.h"
#include "cel/rules.h"
#include "registry/core/fields.h"
#include "registry/resource/strategies.h"

namespace keelson::registry::resource {
namespace {

using api::field::ErrorList;
using namespace api::resource_v1;

// The status of a device goes when the device is no longer allocated.
void DropDeallocatedDevices(ResourceClaimEditor now, ResourceClaimView was) {
  if (!was.status().allocation() || !now.status()) return;
  const auto identity = [](auto device) {
    return std::tuple(device.driver(), device.pool(), device.device(), device.share_id());
  };
  const auto allocated = [&](ResourceClaimView claim) {
    std::set<std::tuple<std::string_view, std::string_view, std::string_view, std::string_view>> devices;
    for (const auto result : claim.status().allocation().devices().results())
      devices.insert(identity(result));
    return devices;
  };
  const auto before = allocated(was), after = allocated(now);
  api::ListNode& devices = now.edit_status().mutable_devices();
  uint32_t kept = 0;
  for (const api::Value& device : devices.items()) {
    const auto which = identity(AllocatedDeviceStatusView(device.node()));
    if (after.contains(which) || !before.contains(which)) devices.data[kept++] = device;
  }
  devices.size = kept;
  if (devices.size == 0) now.edit_status().clear_devices();
}

class ResourceClaimStrategy : public Strategy {
 public:
  bool NamespaceScoped() const override { return true; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }
  void PrepareForCreate(const WriteContext&, api::Doc& doc) const override {
    ResourceClaimEditor(doc).clear_status();
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::resource::ValidateResourceClaim(ResourceClaimView(doc), cel::Rules());
  }
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    core::KeepField(now, was, "status");
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::resource::ValidateResourceClaimUpdate(ResourceClaimView(now), ResourceClaimView(was));
  }
};

class ResourceClaimStatusStrategy final : public ResourceClaimStrategy {
 public:
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    core::KeepField(now, was, "spec");
    core::KeepMetadataForStatus(now, was);
    DropDeallocatedDevices(ResourceClaimEditor(now), ResourceClaimView(was));
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::resource::ValidateResourceClaimStatusUpdate(ResourceClaimView(now), ResourceClaimView(was));
  }
};

}  // namespace

const Strategy& ResourceClaims() {
  static const ResourceClaimStrategy strategy;
  return strategy;
}

const Strategy& ResourceClaimStatus() {
  static const ResourceClaimStatusStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::resource
