#include "endpoints/table/autoscaling/rows.h"

#include <string>

#include "api/generated/autoscaling_v2.h"

namespace keelson::endpoints::table::autoscaling {
namespace {

using namespace api::autoscaling_v2;  // NOLINT: the views of this file's kinds

constexpr std::string_view kUnknown = "<unknown>";
constexpr size_t kShownMetrics = 2;

std::string Percent(int32_t value) { return std::to_string(value) + "%"; }

std::string AmountText(bool known, std::string_view amount) {
  if (!known) return std::string(kUnknown);
  return amount.empty() ? "0" : std::string(amount);
}

// A metric of anything but pods' resources: in total, or on average for each pod.
std::string ValueText(MetricTargetView target, bool has_status, MetricValueStatusView current) {
  if (target.has_average_value())
    return AmountText(has_status && current.has_average_value(), current.average_value()) + "/" +
           std::string(target.average_value()) + " (avg)";
  return AmountText(has_status, current.value()) + "/" + std::string(target.value());
}

std::string ResourceText(std::string_view name, MetricTargetView target, bool has_status,
                         MetricValueStatusView current) {
  const std::string head = std::string(name) + ": ";
  if (target.has_average_value())
    return head + AmountText(has_status, current.average_value()) + "/" + std::string(target.average_value());
  const std::string now =
      current.has_average_utilization() ? Percent(current.average_utilization()) : std::string(kUnknown);
  return head + now + "/" +
         (target.has_average_utilization() ? Percent(target.average_utilization()) : "<auto>");
}

template <class Status>
bool Has(Status status) {
  return static_cast<bool>(status);
}

std::string MetricText(MetricSpecView spec, MetricStatusView status) {
  if (spec.type() == "External")
    return ValueText(spec.external().target(), Has(status.external()), status.external().current());
  if (spec.type() == "Object")
    return ValueText(spec.object().target(), Has(status.object()), status.object().current());
  if (spec.type() == "Pods")
    return AmountText(Has(status.pods()), status.pods().current().average_value()) + "/" +
           std::string(spec.pods().target().average_value());
  if (spec.type() == "Resource")
    return ResourceText(spec.resource().name(), spec.resource().target(), Has(status.resource()),
                        status.resource().current());
  if (spec.type() == "ContainerResource")
    return ResourceText(spec.container_resource().name(), spec.container_resource().target(),
                        Has(status.container_resource()), status.container_resource().current());
  return "<unknown type>";
}

std::string MetricsText(HorizontalPodAutoscalerView autoscaler) {
  const auto specs = autoscaler.spec().metrics();
  const auto statuses = autoscaler.status().current_metrics();
  if (specs.empty()) return std::string(kNone);
  std::string text;
  for (size_t i = 0; i < specs.size() && i < kShownMetrics; ++i) {
    if (i) text += ", ";
    text += MetricText(specs[i], i < statuses.size() ? statuses[i] : MetricStatusView());
  }
  if (specs.size() > kShownMetrics) text += " + " + std::to_string(specs.size() - kShownMetrics) + " more...";
  return text;
}

void AutoscalerRow(const api::StructNode& object, Cells& cells) {
  const HorizontalPodAutoscalerView autoscaler(&object);
  const auto spec = autoscaler.spec();
  cells.Text(autoscaler.metadata().name());
  cells.Text(std::string(spec.scale_target_ref().kind()) + "/" + std::string(spec.scale_target_ref().name()));
  cells.Text(MetricsText(autoscaler));
  cells.Text(spec.has_min_replicas() ? std::to_string(spec.min_replicas()) : "<unset>");
  cells.Number(spec.max_replicas());
  cells.Number(autoscaler.status().current_replicas());
  cells.Age(autoscaler.metadata().creation_timestamp());
}

}  // namespace

std::span<const KindRow> Rows() {
  static constexpr KindRow kRows[] = {{"HorizontalPodAutoscaler", AutoscalerRow, "v2"}};
  return kRows;
}

}  // namespace keelson::endpoints::table::autoscaling
