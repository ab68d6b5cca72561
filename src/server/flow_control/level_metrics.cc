#include "server/flow_control/level_metrics.h"

#include <functional>
#include <utility>

namespace keelson::server::flow_control {
namespace {

using Progress = PriorityLevel::Progress;

constexpr const char* kPrefix = "apiserver_flowcontrol_";

// A reading of a level's queues.
struct Reading {
  const char *name, *help, *bound;
  SeatSeconds (*of)(const Progress&);
};

constexpr const char* kBoundsHelp = "Least and greatest dispatch mark of queues in which something waits.";
constexpr const char* kDiscountedHelp =
    "Least and greatest dispatch mark of queues in which something waits, less the estimate of what "
    "executes.";
constexpr Reading kReadings[] = {
    {"current_r", "Work that the fluid server has done for each queue.", "",
     [](const Progress& p) { return p.meter; }},
    {"dispatch_r", "The meter at the last dispatch.", "",
     [](const Progress& p) { return p.last_dispatch.meter; }},
    {"latest_s", "The dispatch mark of the queue that was served last.", "",
     [](const Progress& p) { return p.last_dispatch.mark; }},
    {"next_s_bounds", kBoundsHelp, "min", [](const Progress& p) { return p.last_dispatch.least; }},
    {"next_s_bounds", kBoundsHelp, "max", [](const Progress& p) { return p.last_dispatch.greatest; }},
    {"next_discounted_s_bounds", kDiscountedHelp, "min",
     [](const Progress& p) { return p.last_dispatch.least_discounted; }},
    {"next_discounted_s_bounds", kDiscountedHelp, "max",
     [](const Progress& p) { return p.last_dispatch.greatest_discounted; }},
};

base::Labels LabelsOf(const Reading& reading, const std::string& level) {
  if (!*reading.bound) return {{"priority_level", level}};
  return {{"bound", reading.bound}, {"priority_level", level}};
}

// What upstream puts before the help of histograms of times.
constexpr const char* kSeatsHelp =
    "EXPERIMENTAL: For how many nanoseconds which share of the level's seats was taken.";
constexpr const char* kRequestsHelp =
    "EXPERIMENTAL: For how many nanoseconds how many requests, as a share of what there may be, waited or "
    "executed.";
constexpr const char* kDemandHelp =
    "EXPERIMENTAL: For how many nanoseconds the level could use how many seats, as a share of those it has.";

// A histogram of a level's usage.
struct Usage {
  const char *name, *help, *phase;
  base::HistogramReading UsageReading::* reading;
};
constexpr Usage kUsages[] = {
    {"priority_level_seat_utilization", kSeatsHelp, "executing", &UsageReading::seats},
    {"priority_level_request_utilization", kRequestsHelp, "executing", &UsageReading::executing},
    {"priority_level_request_utilization", kRequestsHelp, "waiting", &UsageReading::waiting},
    {"demand_seats", kDemandHelp, "", &UsageReading::demand},
};

base::Labels LabelsOf(const Usage& usage, const std::string& level) {
  if (!*usage.phase) return {{"priority_level", level}};
  return {{"phase", usage.phase}, {"priority_level", level}};
}

constexpr const char* kDemands[] = {"demand_seats_average", "demand_seats_stdev", "demand_seats_smoothed",
                                    "target_seats"};

base::Gauge& GaugeOf(base::Metrics& metrics, const std::string& level, const char* name, const char* help) {
  return metrics.GetGauge(std::string(kPrefix) + name, help, {{"priority_level", level}});
}

}  // namespace

LevelMetrics::LevelMetrics(base::Metrics& metrics, base::IntrusivePtr<PriorityLevel> level)
    : metrics_(metrics),
      level_(level->name()),
      nominal_(
          GaugeOf(metrics, level_, "nominal_limit_seats", "Seats that the level is configured to have.")),
      least_(GaugeOf(metrics, level_, "lower_limit_seats", "Seats that the level keeps in any case.")),
      most_(GaugeOf(metrics, level_, "upper_limit_seats", "Seats that the level can have by borrowing.")),
      current_(GaugeOf(metrics, level_, "current_limit_seats", "Seats that the level has now.")),
      high_watermark_(GaugeOf(metrics, level_, "demand_seats_high_watermark",
                              "The most seats that the level could use, over the last period.")) {
  const auto add = [&](const char* name, const char* help, std::atomic<double>& value) {
    metrics.AddCallback(std::string(kPrefix) + name, help,
                        [values = values_, &value] { return value.load(); }, {{"priority_level", level_}});
  };
  add(kDemands[0], "Mean of the seats that the level could use, over the last period.", values_->average);
  add(kDemands[1], "Standard deviation of the seats that the level could use.", values_->deviation);
  add(kDemands[2], "Seats that the level could use, smoothed.", values_->smoothed);
  add(kDemands[3], "Seats that the level should have, bounds and others aside.", values_->target);
  for (const Usage& usage : kUsages)
    metrics.AddHistogramCallback(
        std::string(kPrefix) + usage.name, usage.help,
        [level, &usage] { return level->ReadUsage().*usage.reading; }, LabelsOf(usage, level_));
  for (const Reading& reading : kReadings) {
    metrics.AddCallback(
        std::string(kPrefix) + reading.name, reading.help,
        [level, &reading] { return ToDouble(reading.of(level->ReadProgress())); }, LabelsOf(reading, level_));
    // As upstream: nothing is ever dispatched from a queue there.
    if (level->exempt()) break;
  }
}

LevelMetrics::~LevelMetrics() {
  for (const char* const name : kDemands)
    metrics_.RemoveCallback(std::string(kPrefix) + name, {{"priority_level", level_}});
  for (const Usage& usage : kUsages)
    metrics_.RemoveCallback(std::string(kPrefix) + usage.name, LabelsOf(usage, level_));
  for (const Reading& reading : kReadings)
    metrics_.RemoveCallback(std::string(kPrefix) + reading.name, LabelsOf(reading, level_));
}

void LevelMetrics::SetConfigured(int nominal, int least, int most) {
  nominal_.Set(nominal);
  least_.Set(least);
  most_.Set(most);
}

void LevelMetrics::SetTarget(double seats) { values_->target = seats; }

void LevelMetrics::SetAdjusted(const SeatDemandStats& demand, int limit) {
  values_->average = demand.average;
  values_->deviation = demand.deviation;
  values_->smoothed = demand.smoothed;
  high_watermark_.Set(demand.high_watermark);
  current_.Set(limit);
}

}  // namespace keelson::server::flow_control
