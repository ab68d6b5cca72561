// resource.k8s.io v1beta1 and v1. The older version has the one request that v1 calls `exactly` among the
// fields of the request itself, and what describes a device in a struct of its own. v1beta2 is v1 by another
// name.
#include "api/conversion/mapping.h"
#include "api/generated/resource_v1.h"
#include "api/generated/resource_v1beta1.h"

namespace keelson::api {
namespace {

constexpr FieldPair kRequest[] = {
    {"deviceClassName", "exactly.deviceClassName"},
    {"selectors", "exactly.selectors"},
    {"allocationMode", "exactly.allocationMode"},
    {"count", "exactly.count"},
    {"adminAccess", "exactly.adminAccess"},
    {"tolerations", "exactly.tolerations"},
    {"capacity", "exactly.capacity"},
};
constexpr FieldPair kDevice[] = {
    {"basic.attributes", "attributes"},
    {"basic.capacity", "capacity"},
    {"basic.consumesCounters", "consumesCounters"},
    {"basic.nodeName", "nodeName"},
    {"basic.nodeSelector", "nodeSelector"},
    {"basic.allNodes", "allNodes"},
    {"basic.taints", "taints"},
    {"basic.bindsToNode", "bindsToNode"},
    {"basic.bindingConditions", "bindingConditions"},
    {"basic.bindingFailureConditions", "bindingFailureConditions"},
    {"basic.allowMultipleAllocations", "allowMultipleAllocations"},
    {"basic.nodeAllocatableResourceMappings", "nodeAllocatableResourceMappings"},
};

// A request whose own fields are all empty has no exact request.
void RequestToV1(const StructNode& from, StructNode& to, Arena& arena) {
  const resource_v1beta1::DeviceRequestView in(&from);
  const bool any = !in.device_class_name().empty() || !ReadPath(from, "selectors").absent() ||
                   !in.allocation_mode().empty() || in.count() != 0 || in.has_admin_access() ||
                   !ReadPath(from, "tolerations").absent() || in.capacity();
  if (!any) MutablePath(to, "exactly", arena) = {};
}

void DeviceToV1Beta1(const StructNode&, StructNode& to, Arena& arena) {
  Value& basic = MutablePath(to, "basic", arena);
  if (!basic.node()) basic = Value::Of(StructNode::New(resource_v1beta1::kBasicDeviceType, arena));
}

// Empty says in v1beta1 what absent says in v1.
void SliceToV1(const StructNode& from, StructNode& to, Arena& arena) {
  const resource_v1beta1::ResourceSliceSpecView in(&from);
  if (in.node_name().empty()) MutablePath(to, "nodeName", arena) = {};
  if (!in.all_nodes()) MutablePath(to, "allNodes", arena) = {};
}

}  // namespace

std::span<const Mapping> ResourceMappings() {
  static constexpr Mapping mappings[] = {
      {&resource_v1beta1::kDeviceRequestType, &resource_v1::kDeviceRequestType, kRequest, RequestToV1},
      {&resource_v1beta1::kDeviceType, &resource_v1::kDeviceType, kDevice, nullptr, DeviceToV1Beta1},
      {&resource_v1beta1::kResourceSliceSpecType, &resource_v1::kResourceSliceSpecType, {}, SliceToV1},
  };
  return mappings;
}

}  // namespace keelson::api
