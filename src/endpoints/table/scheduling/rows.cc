#include "endpoints/table/scheduling/rows.h"

#include "api/generated/scheduling_v1.h"
#include "api/generated/scheduling_v1alpha2.h"

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

std::string_view GroupState(api::scheduling_v1alpha2::PodGroupStatusView status) {
  std::string_view state = "Pending", disruption;
  for (const auto condition : status.conditions()) {
    if (condition.type() == "PodGroupScheduled")
      state = condition.status() == "True" ? "Scheduled" : "Unschedulable";
    if (condition.type() == "DisruptionTarget") disruption = condition.reason();
  }
  return disruption.empty() ? state : disruption;
}

void PodGroupRow(const api::StructNode& object, Cells& cells) {
  const api::scheduling_v1alpha2::PodGroupView group(&object);
  const auto spec = group.spec();
  cells.Text(group.metadata().name());
  cells.Text(spec.scheduling_policy().gang() ? "Gang" : "Basic");
  cells.Text(spec.pod_group_template_ref() ? spec.pod_group_template_ref().workload().workload_name()
                                           : kNone);
  cells.Text(GroupState(group.status()));
  cells.Age(group.metadata().creation_timestamp());
}

void WorkloadRow(const api::StructNode& object, Cells& cells) {
  const api::scheduling_v1alpha2::WorkloadView workload(&object);
  cells.Text(workload.metadata().name());
  cells.Age(workload.metadata().creation_timestamp());
}

constexpr KindRow kRows[] = {{"PriorityClass", PriorityClassRow},
                             {"PodGroup", PodGroupRow, "v1alpha2"},
                             {"Workload", WorkloadRow, "v1alpha2"}};

}  // namespace

std::span<const KindRow> Rows() { return kRows; }

}  // namespace keelson::endpoints::table::scheduling
