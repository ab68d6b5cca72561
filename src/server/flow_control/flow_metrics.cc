#include "server/flow_control/flow_metrics.h"

#include <algorithm>
#include <iterator>
#include <span>

namespace keelson::server::flow_control {
namespace {

// A series: its name, its help, and a label besides priority_level and flow_schema.
struct Series {
  std::string_view name, help, label, value;
};

constexpr std::string_view kRejected = "apiserver_flowcontrol_rejected_requests_total",
                           kRejectedHelp = "Requests turned away by flow control, by reason.";
constexpr Series kCounterSeries[] = {
    {"apiserver_flowcontrol_dispatched_requests_total", "Requests that flow control let execute.", "", ""},
    {kRejected, kRejectedHelp, "reason", "queue-full"},
    {kRejected, kRejectedHelp, "reason", "time-out"},
    {kRejected, kRejectedHelp, "reason", "concurrency-limit"},
    {"apiserver_flowcontrol_request_dispatch_no_accommodation_total",
     "How often the request that was next found too few seats.", "", ""},
};

constexpr Series kGaugeSeries[] = {
    {"apiserver_flowcontrol_current_inqueue_requests", "Requests that wait in queues.", "", ""},
    {"apiserver_flowcontrol_current_inqueue_seats", "Seats that requests in queues wait for.", "", ""},
    {"apiserver_flowcontrol_current_executing_requests",
     "Requests that execute; watches until they are initialised.", "", ""},
    {"apiserver_flowcontrol_current_executing_seats", "Seats that are taken by requests that execute.", "",
     ""},
    {"keelson_flowcontrol_current_away_requests",
     "Requests that execute without seats, since they wait for a webhook.", "", ""},
};

constexpr double kQueueLengths[] = {0, 10, 25, 50, 100, 250, 500, 1000};
constexpr double kDurations[] = {0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30};
constexpr double kWatchCounts[] = {0, 1, 10, 100, 1000, 10000};
constexpr double kSeats[] = {1, 2, 4, 8, 16, 32, 64, 100};

constexpr std::string_view kWait = "apiserver_flowcontrol_request_wait_duration_seconds",
                           kWaitHelp = "How long requests waited in their queues.";
constexpr std::string_view kExecuted = "apiserver_flowcontrol_request_execution_seconds",
                           kExecutedHelp = "How long requests executed; watches until they were initialised.";
struct HistogramSeries {
  Series series;
  std::span<const double> bounds;
};
constexpr HistogramSeries kHistogramSeries[] = {
    {{"apiserver_flowcontrol_request_queue_length_after_enqueue",
      "Length of a queue that a request has joined, itself included.", "", ""},
     kQueueLengths},
    {{kWait, kWaitHelp, "execute", "true"}, kDurations},
    {{kWait, kWaitHelp, "execute", "false"}, kDurations},
    {{kExecuted, kExecutedHelp, "type", "regular"}, kDurations},
    {{kExecuted, kExecutedHelp, "type", "watch"}, kDurations},
    {{"apiserver_flowcontrol_watch_count_samples", "Watches that a write concerned.", "", ""}, kWatchCounts},
    {{"apiserver_flowcontrol_work_estimated_seats", "Seats that requests were estimated to take.", "", ""},
     kSeats},
};

static_assert(std::size(kCounterSeries) == FlowMetrics::kCounters);
static_assert(std::size(kGaugeSeries) == FlowMetrics::kGauges);
static_assert(std::size(kHistogramSeries) == FlowMetrics::kHistograms);

}  // namespace

// Labels in the order of their names.
base::Labels FlowMetrics::LabelsWith(std::string_view name, std::string_view value) const {
  base::Labels labels{{"flow_schema", schema_}, {"priority_level", level_}};
  if (name.empty()) return labels;
  labels.emplace_back(name, value);
  std::ranges::sort(labels);
  return labels;
}

base::Counter& FlowMetrics::Make(base::Counter* /*kind*/, size_t which) {
  const Series& s = kCounterSeries[which];
  return metrics_.GetCounter(s.name, s.help, LabelsWith(s.label, s.value));
}

base::Gauge& FlowMetrics::Make(base::Gauge* /*kind*/, size_t which) {
  const Series& s = kGaugeSeries[which];
  return metrics_.GetGauge(s.name, s.help, LabelsWith(s.label, s.value));
}

base::Histogram& FlowMetrics::Make(base::Histogram* /*kind*/, size_t which) {
  const auto& [s, bounds] = kHistogramSeries[which];
  return metrics_.GetHistogram(s.name, s.help, bounds, LabelsWith(s.label, s.value));
}

}  // namespace keelson::server::flow_control
