#include "server/flow_control/priority_level_spec.h"

#include "server/flow_control/shuffle_sharding.h"

namespace keelson::server::flow_control {
namespace {

using namespace api::flowcontrol_v1;

// False: it contradicts itself.
bool ReadLimited(LimitedPriorityLevelConfigurationView limited, PriorityLevelSpec& spec) {
  spec.shares = limited.nominal_concurrency_shares();
  spec.lendable_percent = limited.lendable_percent();
  if (limited.has_borrowing_limit_percent()) spec.borrowing_limit_percent = limited.borrowing_limit_percent();
  const auto queuing = limited.limit_response().queuing();
  if (limited.limit_response().type() == "Reject") return !queuing;
  if (!queuing) return false;
  spec.queuing = {.queues = queuing.queues(),
                  .hand_size = queuing.hand_size(),
                  .queue_length_limit = queuing.queue_length_limit()};
  const int hand = spec.queuing.hand_size;
  return hand > 0 && hand <= kMaxHandSize && hand <= spec.queuing.queues;
}

}  // namespace

std::optional<PriorityLevelSpec> PriorityLevelSpec::Of(PriorityLevelConfigurationView level) {
  const auto spec = level.spec();
  PriorityLevelSpec read{.name = std::string(level.metadata().name()),
                         .uid = std::string(level.metadata().uid()),
                         .exempt = spec.type() == "Exempt"};
  const bool limited = spec.type() == "Limited";
  if (limited != static_cast<bool>(spec.limited()) || read.exempt != static_cast<bool>(spec.exempt()) ||
      read.exempt != (read.name == "exempt"))
    return std::nullopt;
  if (limited) {
    if (!ReadLimited(spec.limited(), read)) return std::nullopt;
  } else {
    read.shares = spec.exempt().nominal_concurrency_shares();
    read.lendable_percent = spec.exempt().lendable_percent();
  }
  return read;
}

}  // namespace keelson::server::flow_control
