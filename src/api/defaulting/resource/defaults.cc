#include "api/defaulting/resource/defaults.h"

#include "api/generated/resource_v1.h"
#include "api/generated/resource_v1alpha3.h"
#include "base/clock.h"

namespace keelson::api::resource {
namespace {

using namespace resource_v1;

template <class RequestEditor>
void SetRequestDefaults(RequestEditor request) {
  if (request.allocation_mode().empty())
    request.set_allocation_mode_static(DeviceAllocationMode::kExactCount);
  if (request.allocation_mode() == DeviceAllocationMode::kExactCount && request.count() == 0)
    request.set_count(1);
}

void SetClaimSpecDefaults(ResourceClaimSpecEditor spec) {
  if (!spec || !spec.devices()) return;
  for (auto request : spec.edit_devices().edit_requests()) {
    if (auto exactly = request.edit_exactly()) SetRequestDefaults(exactly);
    for (auto alternative : request.edit_first_available()) SetRequestDefaults(alternative);
  }
}

void SetResourceClaimDefaults(Doc& doc) { SetClaimSpecDefaults(ResourceClaimEditor(doc).edit_spec()); }

void SetResourceClaimTemplateDefaults(Doc& doc) {
  if (auto spec = ResourceClaimTemplateEditor(doc).edit_spec()) SetClaimSpecDefaults(spec.edit_spec());
}

template <class TaintEditor>
void SetTaintDefaults(TaintEditor taint) {
  if (taint.has_time_added()) return;
  const auto now = base::Clock::Real().Now().time_since_epoch();
  taint.set_time_added(std::chrono::duration_cast<std::chrono::seconds>(now).count());
}

void SetResourceSliceDefaults(Doc& doc) {
  auto spec = ResourceSliceEditor(doc).edit_spec();
  if (!spec) return;
  for (auto device : spec.edit_devices())
    for (auto taint : device.edit_taints()) SetTaintDefaults(taint);
}

void SetDeviceTaintRuleDefaults(Doc& doc) {
  SetTaintDefaults(resource_v1alpha3::DeviceTaintRuleEditor(doc).mutable_spec().mutable_taint());
}

// Also where there is no spec.
void SetPoolStatusRequestDefaults(Doc& doc) {
  resource_v1alpha3::ResourcePoolStatusRequestEditor request(doc);
  constexpr int32_t kLimit = 100;
  if (!request.spec().has_limit()) request.mutable_spec().set_limit(kLimit);
}

constexpr DefaultsEntry kDefaults[] = {
    {&kResourceClaimType, SetResourceClaimDefaults},
    {&kResourceClaimTemplateType, SetResourceClaimTemplateDefaults},
    {&kResourceSliceType, SetResourceSliceDefaults},
    {&resource_v1alpha3::kDeviceTaintRuleType, SetDeviceTaintRuleDefaults},
    {&resource_v1alpha3::kResourcePoolStatusRequestType, SetPoolStatusRequestDefaults},
};

}  // namespace

std::span<const DefaultsEntry> Defaults() { return kDefaults; }

}  // namespace keelson::api::resource
