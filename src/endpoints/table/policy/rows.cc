#include "endpoints/table/policy/rows.h"

#include <string>

#include "api/generated/policy_v1.h"

namespace keelson::endpoints::table::policy {
namespace {

std::string AmountText(const api::Value& amount) {
  if (amount.absent()) return "N/A";
  return amount.is(api::Value::Tag::kString) ? std::string(amount.string())
                                             : std::to_string(amount.integer());
}

void PodDisruptionBudgetRow(const api::StructNode& object, Cells& cells) {
  const api::policy_v1::PodDisruptionBudgetView budget(&object);
  cells.Text(budget.metadata().name());
  cells.Text(AmountText(budget.spec().min_available()));
  cells.Text(AmountText(budget.spec().max_unavailable()));
  cells.Number(budget.status().disruptions_allowed());
  cells.Age(budget.metadata().creation_timestamp());
}

}  // namespace

std::span<const KindRow> Rows() {
  static constexpr KindRow kRows[] = {{"PodDisruptionBudget", PodDisruptionBudgetRow}};
  return kRows;
}

}  // namespace keelson::endpoints::table::policy
