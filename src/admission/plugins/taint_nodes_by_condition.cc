#include "admission/plugins/taint_nodes_by_condition.h"

#include "api/generated/core_v1.h"

namespace keelson::admission {
namespace {

constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready";
constexpr std::string_view kNoSchedule = "NoSchedule";

}  // namespace

Concern TaintNodesByCondition::ConcernWith(const api::ResourceDesc& resource,
                                           std::string_view subresource) const {
  return {.mutates = Is(resource, subresource, {"", "nodes"})};
}

base::Task<Verdict> TaintNodesByCondition::Mutate(Attributes request) const {
  if (request.operation != Operation::kCreate) co_return Verdict();
  auto spec = api::core_v1::NodeEditor(*request.object).mutable_spec();
  for (const auto taint : spec.taints())
    if (taint.key() == kNotReady && taint.effect() == kNoSchedule) co_return Verdict();
  auto taint = spec.add_taints();
  taint.set_key_static(kNotReady);
  taint.set_effect_static(kNoSchedule);
  co_return Verdict();
}

}  // namespace keelson::admission
