// A pod's row: the Status column sums up what its containers are doing.
#include <algorithm>
#include <string>

#include "api/generated/core_v1.h"
#include "endpoints/table/core_rows.h"

namespace keelson::endpoints::table {
namespace {

using api::core_v1::ContainerStateTerminatedView;
using api::core_v1::ContainerStatusView;
using api::core_v1::PodStatusView;
using api::core_v1::PodView;

// What the walk over the containers finds out.
struct Summary {
  std::string reason;
  int64_t restarts = 0;
  int64_t last_restart = 0;  // Unix seconds; 0: never
  size_t ready = 0, total = 0;

  void CountRestarts(const ContainerStatusView& status) {
    restarts += status.restart_count();
    last_restart = std::max<int64_t>(last_restart, status.last_state().terminated().finished_at());
  }
};

bool ConditionIsTrue(const PodStatusView& status, std::string_view type) {
  for (const auto condition : status.conditions())
    if (condition.type() == type) return condition.status() == "True";
  return false;
}

std::string TerminationReason(const ContainerStateTerminatedView& terminated) {
  if (!terminated.reason().empty()) return std::string(terminated.reason());
  if (terminated.signal() != 0) return "Signal:" + std::to_string(terminated.signal());
  return "ExitCode:" + std::to_string(terminated.exit_code());
}

// An init container that goes on running beside the others (a sidecar).
bool IsSidecar(const PodView& pod, std::string_view container) {
  for (const auto init : pod.spec().init_containers())
    if (init.name() == container) return init.restart_policy() == "Always";
  return false;
}

// Walks the init containers up to the first that is not done. Returns whether one holds
// the pod back, with the reason in `summary`; sidecars are counted in `sidecars` too.
bool WalkInitContainers(const PodView& pod, Summary& summary, Summary& sidecars) {
  size_t index = 0;
  for (const auto status : pod.status().init_container_statuses()) {
    const bool sidecar = IsSidecar(pod, status.name());
    const auto terminated = status.state().terminated();
    const auto waiting = status.state().waiting();
    summary.CountRestarts(status);
    if (sidecar) sidecars.CountRestarts(status);
    if (terminated && terminated.exit_code() == 0) {
      ++index;
      continue;
    }
    if (sidecar && status.started()) {
      if (status.ready()) ++summary.ready;
      ++index;
      continue;
    }
    if (terminated) {
      summary.reason = "Init:" + TerminationReason(terminated);
    } else if (!waiting.reason().empty() && waiting.reason() != "PodInitializing") {
      summary.reason = "Init:" + std::string(waiting.reason());
    } else {
      summary.reason =
          "Init:" + std::to_string(index) + "/" + std::to_string(pod.spec().init_containers().size());
    }
    return true;
  }
  return false;
}

void WalkContainers(const PodView& pod, Summary& summary) {
  bool running = false;
  std::string error;
  const auto statuses = pod.status().container_statuses();
  for (size_t i = statuses.size(); i-- > 0;) {
    const auto status = statuses[i];
    const auto terminated = status.state().terminated();
    summary.CountRestarts(status);
    if (const auto waiting = status.state().waiting(); !waiting.reason().empty()) {
      summary.reason = waiting.reason();
    } else if (terminated) {
      summary.reason = TerminationReason(terminated);
      if (terminated.exit_code() != 0) error = summary.reason;
    } else if (status.ready() && status.state().running()) {
      running = true;
      ++summary.ready;
    }
  }
  if (summary.reason != "Completed") return;
  if (running && ConditionIsTrue(pod.status(), "Ready")) {
    summary.reason = "Running";
  } else if (!error.empty()) {
    summary.reason = error;
  } else if (running) {
    summary.reason = "NotReady";
  }
}

bool IsFinal(std::string_view phase) { return phase == "Succeeded" || phase == "Failed"; }

Summary Summarize(const PodView& pod) {
  const auto status = pod.status();
  Summary summary;
  summary.reason = status.reason().empty() ? status.phase() : status.reason();
  for (const auto condition : status.conditions())
    if (condition.type() == "PodScheduled" && condition.reason() == "SchedulingGated")
      summary.reason = "SchedulingGated";

  summary.total = pod.spec().containers().size();
  for (const auto init : pod.spec().init_containers())
    if (init.restart_policy() == "Always") ++summary.total;

  Summary sidecars;
  const bool initializing = WalkInitContainers(pod, summary, sidecars);
  if (!initializing || ConditionIsTrue(status, "Initialized")) {
    summary.restarts = sidecars.restarts;
    summary.last_restart = sidecars.last_restart;
    WalkContainers(pod, summary);
  }
  if (pod.metadata().has_deletion_timestamp()) {
    if (status.reason() == "NodeLost") {
      summary.reason = "Unknown";
    } else if (!IsFinal(status.phase())) {
      summary.reason = "Terminating";
    }
  }
  return summary;
}

std::string ReadinessGates(const PodView& pod) {
  const auto gates = pod.spec().readiness_gates();
  if (gates.empty()) return std::string(kNone);
  size_t open = 0;
  for (const auto gate : gates) open += ConditionIsTrue(pod.status(), gate.condition_type());
  return std::to_string(open) + "/" + std::to_string(gates.size());
}

}  // namespace

void PodRow(const api::StructNode& object, Cells& cells) {
  const PodView pod(&object);
  const Summary summary = Summarize(pod);
  std::string restarts = std::to_string(summary.restarts);
  if (summary.restarts != 0 && summary.last_restart != 0)
    restarts += " (" + cells.AgeText(summary.last_restart) + " ago)";

  cells.Text(pod.metadata().name());
  cells.Text(std::to_string(summary.ready) + "/" + std::to_string(summary.total));
  cells.Text(summary.reason);
  cells.Text(restarts);
  cells.Age(pod.metadata().creation_timestamp());
  const auto ips = pod.status().pod_ips();
  cells.TextOr(ips.empty() ? std::string_view() : ips[0].ip(), kNone);
  cells.TextOr(pod.spec().node_name(), kNone);
  cells.TextOr(pod.status().nominated_node_name(), kNone);
  cells.Text(ReadinessGates(pod));

  // Clients hide what has run to its end by this mark.
  if (const std::string_view phase = pod.status().phase(); IsFinal(phase)) {
    cells.row().Condition("Completed", "True", phase,
                          phase == "Failed" ? "The pod failed." : "The pod has completed successfully.");
  }
}

}  // namespace keelson::endpoints::table
