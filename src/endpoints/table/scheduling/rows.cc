#include "endpoints/table/scheduling/rows.h"

#include "api/generated/scheduling_v1.h"

namespace keelson::endpoints::table::scheduling {
namespace {

void PriorityClassRow(const api::StructNode& object, Cells& cells) {
  const api::scheduling_v1::PriorityClassView c(&object);
  cells.Text(c.metadata().name());
  cells.Number(c.value());
  cells.row().Bool(c.global_default());
  cells.Age(c.metadata().creation_timestamp());
  cells.Text(c.preemption_policy());
}

constexpr KindRow kRows[] = {{"PriorityClass", PriorityClassRow}};

}  // namespace

std::span<const KindRow> Rows() { return kRows; }

}  // namespace keelson::endpoints::table::scheduling
