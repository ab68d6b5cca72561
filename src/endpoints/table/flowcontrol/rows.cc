#include "endpoints/table/flowcontrol/rows.h"

#include "api/generated/flowcontrol_v1.h"

namespace keelson::endpoints::table::flowcontrol {
namespace {

using api::flowcontrol_v1::FlowSchemaView;
using api::flowcontrol_v1::PriorityLevelConfigurationView;

void FlowSchemaRow(const api::StructNode& object, Cells& cells) {
  const FlowSchemaView schema(&object);
  const auto spec = schema.spec();
  std::string_view dangling = "?";
  for (const auto condition : schema.status().conditions()) {
    if (condition.type() != "Dangling") continue;
    dangling = condition.status();
    break;
  }
  cells.Text(schema.metadata().name());
  cells.Text(spec.priority_level_configuration().name());
  cells.Number(spec.matching_precedence());
  cells.Text(spec.distinguisher_method() ? spec.distinguisher_method().type() : kNone);
  cells.Age(schema.metadata().creation_timestamp());
  cells.Text(dangling);
}

void PriorityLevelRow(const api::StructNode& object, Cells& cells) {
  const PriorityLevelConfigurationView level(&object);
  const auto limited = level.spec().limited();
  const auto queuing = limited.limit_response().queuing();
  const auto number_if = [&](bool given, int64_t number) {
    if (given) {
      cells.Number(number);
    } else {
      cells.Text(kNone);
    }
  };
  const bool queues = static_cast<bool>(queuing);
  cells.Text(level.metadata().name());
  cells.Text(level.spec().type());
  number_if(static_cast<bool>(limited), limited.nominal_concurrency_shares());
  number_if(queues, queuing.queues());
  number_if(queues, queuing.hand_size());
  number_if(queues, queuing.queue_length_limit());
  cells.Age(level.metadata().creation_timestamp());
}

constexpr KindRow kRows[] = {
    {"FlowSchema", FlowSchemaRow},
    {"PriorityLevelConfiguration", PriorityLevelRow},
};

}  // namespace

std::span<const KindRow> Rows() { return kRows; }

}  // namespace keelson::endpoints::table::flowcontrol
