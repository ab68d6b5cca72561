#include "api/defaulting/flowcontrol/defaults.h"

#include "api/generated/flowcontrol_v1.h"

namespace keelson::api::flowcontrol {
namespace {

using namespace flowcontrol_v1;

void SetFlowSchemaDefaults(Doc& doc) {
  auto spec = FlowSchemaEditor(doc).mutable_spec();
  if (spec.matching_precedence() == 0) spec.set_matching_precedence(1000);
}

void SetQueuingDefaults(QueuingConfigurationEditor queuing) {
  if (queuing.hand_size() == 0) queuing.set_hand_size(8);
  if (queuing.queues() == 0) queuing.set_queues(64);
  if (queuing.queue_length_limit() == 0) queuing.set_queue_length_limit(50);
}

void SetPriorityLevelDefaults(Doc& doc) {
  auto spec = PriorityLevelConfigurationEditor(doc).edit_spec();
  if (!spec) return;
  if (auto exempt = spec.edit_exempt()) {
    if (!exempt.has_nominal_concurrency_shares()) exempt.set_nominal_concurrency_shares(0);
    if (!exempt.has_lendable_percent()) exempt.set_lendable_percent(0);
  }
  auto limited = spec.edit_limited();
  if (!limited) return;
  if (!limited.has_nominal_concurrency_shares()) limited.set_nominal_concurrency_shares(30);
  if (!limited.has_lendable_percent()) limited.set_lendable_percent(0);
  if (auto response = limited.edit_limit_response())
    if (auto queuing = response.edit_queuing()) SetQueuingDefaults(queuing);
}

constexpr DefaultsEntry kDefaults[] = {
    {&kFlowSchemaType, SetFlowSchemaDefaults},
    {&kPriorityLevelConfigurationType, SetPriorityLevelDefaults},
};

}  // namespace

std::span<const DefaultsEntry> Defaults() { return kDefaults; }

}  // namespace keelson::api::flowcontrol
