#include "api/validation/core/qos.h"

#include <map>

#include "api/codec/quantity.h"

namespace keelson::api::core {
namespace {

using core_v1::ContainerView;
using core_v1::PodQOSClass;
using core_v1::PodSpecView;
using ComputeAmounts = std::map<std::string_view, Quantity>;

// Adds what is above zero of cpu and memory; whether both were.
bool AddComputeResources(MapView list, ComputeAmounts& to) {
  int found = 0;
  for (std::string_view name : {"cpu", "memory"}) {
    const Value* value = list.Find(name);
    const auto quantity = value ? Quantity::Parse(value->string()) : Quantity();
    if (!quantity || quantity->Sign() <= 0) continue;
    to[name].Add(*quantity);
    ++found;
  }
  return found == 2;
}

}  // namespace

std::string_view QosClassOf(PodSpecView spec) {
  ComputeAmounts requests, limits;
  bool all_limited = true;
  if (auto resources = spec.resources()) {
    AddComputeResources(resources.requests(), requests);
    if (!resources.limits().empty()) all_limited = AddComputeResources(resources.limits(), limits);
  } else {
    auto add = [&](ContainerView container) {
      AddComputeResources(container.resources().requests(), requests);
      all_limited &= AddComputeResources(container.resources().limits(), limits);
    };
    for (auto container : spec.containers()) add(container);
    for (auto container : spec.init_containers()) add(container);
  }
  if (requests.empty() && limits.empty()) return PodQOSClass::kBestEffort;
  return all_limited && requests == limits ? PodQOSClass::kGuaranteed : PodQOSClass::kBurstable;
}

}  // namespace keelson::api::core
