#include "server/flow_control/flow_control.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "api/validation/flowcontrol/bootstrap.h"
#include "base/log.h"
#include "server/flow_control/concurrency_allocation.h"
#include "server/flow_control/flow_hash.h"
#include "server/flow_control/level_metrics.h"

namespace keelson::server::flow_control {
namespace {

using api::flowcontrol_v1::FlowSchemaView;
using api::flowcontrol_v1::PriorityLevelConfigurationView;

constexpr std::string_view kExempt = "exempt", kCatchAll = "catch-all";

bool IsMandatory(std::string_view name) { return name == kExempt || name == kCatchAll; }

const api::Doc& MandatoryDoc(std::span<const api::flowcontrol::BootstrapObject> objects,
                             std::string_view name) {
  return std::ranges::find(objects, name, &api::flowcontrol::BootstrapObject::name)->doc;
}

FlowSchemaSpec MandatorySchema(std::string_view name) {
  return FlowSchemaSpec::Of(FlowSchemaView(MandatoryDoc(api::flowcontrol::BootstrapFlowSchemas(), name)));
}

PriorityLevelSpec MandatoryLevel(std::string_view name) {
  return *PriorityLevelSpec::Of(
      PriorityLevelConfigurationView(MandatoryDoc(api::flowcontrol::BootstrapPriorityLevels(), name)));
}

int Percent(int of, int percent) { return static_cast<int>(std::round(of * percent / 100.0)); }

// The most seats that one request may be estimated to take: 15 % of the level's, and no more than leave some
// for each queue of a hand.
int MaxSeatsOf(const QueuingConfig& queuing, int nominal) {
  if (queuing.queues == 0) return 0;
  return std::max(1, std::min(static_cast<int>(std::ceil(nominal * 0.15)), nominal / queuing.hand_size));
}

std::string_view DistinguisherOf(const FlowSchemaSpec& schema, const FlowControl::Arriving& request) {
  switch (schema.distinguisher) {
    case FlowSchemaSpec::Distinguisher::kNone: return "";
    case FlowSchemaSpec::Distinguisher::kByUser: return request.user.name;
    case FlowSchemaSpec::Distinguisher::kByNamespace: return request.info.ns;
  }
  return "";
}

}  // namespace

// A level with what follows of its configuration, and of the demand for its seats.
struct FlowControl::LevelState {
  PriorityLevelSpec spec;
  base::IntrusivePtr<PriorityLevel> level;
  std::unique_ptr<LevelMetrics> metrics;
  SeatDemandStats demand;
  int nominal = 0, least = 0, most = 0, current = 0;  // seats
  bool quiescing = false;

  // What it keeps at least while it is busy.
  int LeastNow() const {
    if (spec.exempt) return std::max(least, demand.high_watermark);
    return std::max(least, std::min(nominal, demand.high_watermark));
  }
};

void Ticket::GiveBack() {
  using State = FairQueues::Request::State;
  if (request_.state == State::kExecuting || request_.state == State::kAway)
    level().Finish(request_, request_.info->verb == "watch");
}

FlowControl::FlowControl(int64_t seats, base::Metrics& metrics, const base::Clock& clock)
    : seats_(seats),
      metrics_(metrics),
      clock_(clock),
      fair_fraction_(std::make_shared<std::atomic<double>>(0)),
      published_(new Configuration) {
  metrics.AddCallback("apiserver_flowcontrol_seat_fair_frac",
                      "Share of what each priority level could use that it is given, bounds aside.",
                      [fraction = fair_fraction_] { return fraction->load(); });
  Apply();
}

FlowControl::~FlowControl() = default;

FlowControl::Admission FlowControl::Admit(const Arriving& request, Ticket& ticket) {
  ticket.configuration_ = published_.Read();
  const Configuration& configuration = *ticket.configuration_;
  const int position = configuration.schemas.Find(request.info, request.user);
  const size_t at = position < 0 ? configuration.catch_all : static_cast<size_t>(position);
  const Configuration::Flow& flow = configuration.flows[at];
  ticket.schema_ = &configuration.schemas.schemas()[at];
  ticket.level_ = &configuration.levels[flow.level];

  LevelRequest& place = ticket.request_;
  place.metrics = flow.metrics;
  place.info = &request.info;
  place.user = &request.user;
  place.schema = ticket.schema_->name;
  place.wait_until = request.wait_until;
  if (ticket.level_->queues > 1) {
    place.distinguisher = DistinguisherOf(*ticket.schema_, request);
    place.hash = FlowHash(place.schema, place.distinguisher);
  }
  place.work = Estimate(request, *ticket.level_, *flow.metrics);
  flow.metrics->Observe(FlowMetrics::kEstimatedSeats, place.work.MaxSeats());
  return ticket.level().Admit(place);
}

WorkEstimate FlowControl::Estimate(const Arriving& request, const Configuration::Level& level,
                                   FlowMetrics& metrics) const {
  const endpoints::RequestInfo& info = request.info;
  const std::string& verb = info.verb;
  if (verb == "list" || verb == "watch") {
    const ResourceSizes* const sizes = sizes_.load(std::memory_order_acquire);
    return EstimateList(info, request.query, level.max_seats, sizes ? sizes->SizeOf(info) : std::nullopt);
  }
  if (verb == "create" || verb == "update" || verb == "patch" || verb == "delete") {
    // Nobody is told that a token was made.
    if (info.resource == "serviceaccounts" && info.subresource == "token") return {};
    const int64_t watches = watches_.CountFor(info);
    metrics.Observe(FlowMetrics::kWatchCount, static_cast<double>(watches));
    return EstimateWrite(watches, level.max_seats);
  }
  return {};
}

bool FlowControl::PutSchema(FlowSchemaSpec schema) {
  const auto known = schema_specs_.find(schema.name);
  if (known != schema_specs_.end() && known->second.uid == schema.uid &&
      known->second.generation == schema.generation)
    return false;
  schema_specs_.insert_or_assign(schema.name, std::move(schema));
  return true;
}

void FlowControl::Apply() {
  std::map<std::string, LevelState, std::less<>> next;
  const auto take = [&](const PriorityLevelSpec& spec) {
    LevelState& state = next[spec.name];
    if (const auto known = levels_.find(spec.name); known != levels_.end()) state = std::move(known->second);
    state.spec = spec;
    state.quiescing = false;
  };
  for (const auto& [name, spec] : level_specs_) take(spec);
  std::vector<FlowSchemaSpec> schemas;
  for (const auto& [name, schema] : schema_specs_)
    if (next.contains(schema.level)) schemas.push_back(schema);
  std::ranges::sort(schemas, FlowSchemaSpec::IsBefore);
  // After the schemas were chosen: nothing new comes to a level that is not configured.
  KeepBusyLevels(next);
  for (const std::string_view name : {kExempt, kCatchAll})
    if (!next.contains(name)) take(MandatoryLevel(name));
  const auto has = [&](std::string_view name) {
    return std::ranges::find(schemas, name, &FlowSchemaSpec::name) != schemas.end();
  };
  if (!has(kExempt)) schemas.insert(schemas.begin(), MandatorySchema(kExempt));
  if (!has(kCatchAll)) schemas.push_back(MandatorySchema(kCatchAll));

  levels_ = std::move(next);
  double share_sum = 0;
  for (const auto& [name, state] : levels_) share_sum += state.spec.shares;
  int64_t executing = 0, waiting = 0;
  for (auto& [name, state] : levels_) {
    ShareOut(state, share_sum);
    executing += state.nominal;
    waiting += int64_t{state.spec.queuing.queues} * state.spec.queuing.queue_length_limit;
  }
  most_executing_ = executing;
  most_waiting_ = waiting;
  Borrow();
  Publish(std::move(schemas));
}

// A mandatory level is never without a configuration.
void FlowControl::KeepBusyLevels(std::map<std::string, LevelState, std::less<>>& next) {
  for (auto& [name, state] : levels_) {
    if (!state.level || next.contains(name)) continue;
    if (!IsMandatory(name)) {
      if (state.level->idle()) continue;
      state.quiescing = true;
    }
    next[name] = std::move(state);
  }
}

void FlowControl::ShareOut(LevelState& state, double share_sum) {
  const PriorityLevelSpec& spec = state.spec;
  // Rounded up, so the sum may be a little more than there are.
  state.nominal =
      share_sum > 0 ? static_cast<int>(std::ceil(static_cast<double>(seats_) * spec.shares / share_sum)) : 0;
  const int lendable = Percent(state.nominal, spec.lendable_percent);
  const int borrowable = spec.borrowing_limit_percent ? Percent(state.nominal, *spec.borrowing_limit_percent)
                                                      : static_cast<int>(seats_);
  state.least = state.nominal - lendable;
  state.most = state.nominal + borrowable;
  if (!state.level) {
    state.level = base::IntrusivePtr(new PriorityLevel(spec.name, spec.exempt, clock_));
    state.metrics = std::make_unique<LevelMetrics>(metrics_, state.level);
    state.current = state.nominal - lendable / 2;
  }
  state.metrics->SetConfigured(state.nominal, state.least, state.most);
}

void FlowControl::Adjust() {
  const bool done = std::ranges::any_of(
      levels_, [](const auto& entry) { return entry.second.quiescing && entry.second.level->idle(); });
  if (done) return Apply();
  Borrow();
}

void FlowControl::Borrow() {
  std::vector<LevelState*> limited;
  std::vector<AllocationItem> items;
  int nominal_sum = 0, least_sum = 0, least_now_sum = 0, exempt_sum = 0;
  for (auto& [name, state] : levels_) {
    state.demand.Update(state.level->TakeDemand());
    nominal_sum += state.nominal;
    const int least_now = state.LeastNow();
    if (state.spec.exempt) {
      exempt_sum += least_now;
      continue;
    }
    limited.push_back(&state);
    items.push_back({.target = std::max<double>(least_now, state.demand.smoothed),
                     .lower_bound = static_cast<double>(least_now),
                     .upper_bound = static_cast<double>(state.most)});
    least_sum += state.least;
    least_now_sum += least_now;
  }
  // What the exempt level takes, the others cannot have.
  const int remaining = nominal_sum - exempt_sum;
  base::Result<Allocation, std::string> allocated = Allocation{};
  double share = 0;  // of what each needs beyond its least, when there is not enough for all
  if (remaining > least_now_sum) {
    allocated = AllocateConcurrency(nominal_sum, items);
    if (!allocated)
      base::Log(base::LogLevel::kError, "seats cannot be shared out", {{"why", allocated.error()}});
  } else if (remaining > least_sum) {
    share = static_cast<double>(remaining - least_sum) / (least_now_sum - least_sum);
  }
  fair_fraction_->store(allocated ? allocated->fair_proportion : 0);

  for (auto& [name, state] : levels_)
    if (state.spec.exempt) SetLimit(state, state.LeastNow());
  for (size_t i = 0; i < limited.size(); ++i) {
    LevelState& state = *limited[i];
    state.metrics->SetTarget(items[i].target);
    if (remaining <= least_now_sum) {
      SetLimit(state, state.least + static_cast<int>(std::round((state.LeastNow() - state.least) * share)));
    } else {
      SetLimit(state, allocated ? static_cast<int>(std::round(allocated->seats[i])) : state.current);
    }
  }
}

void FlowControl::SetLimit(LevelState& state, int limit) {
  state.current = limit;
  state.metrics->SetAdjusted(state.demand, limit);
  state.level->Configure(state.spec.queuing, limit,
                         static_cast<int>(std::max<int64_t>(1, (seats_ + 5) / 10)));
}

void FlowControl::Publish(std::vector<FlowSchemaSpec> schemas) {
  auto configuration = std::make_unique<Configuration>();
  std::map<std::string_view, size_t> positions;
  for (const auto& [name, state] : levels_) {
    positions.emplace(name, configuration->levels.size());
    configuration->levels.push_back({.level = state.level,
                                     .uid = state.spec.uid,
                                     .max_seats = MaxSeatsOf(state.spec.queuing, state.nominal),
                                     .queues = state.spec.queuing.queues,
                                     .quiescing = state.quiescing});
  }
  for (const FlowSchemaSpec& schema : schemas) {
    if (schema.name == kCatchAll) configuration->catch_all = configuration->flows.size();
    configuration->flows.push_back(
        {.level = positions.at(schema.level), .metrics = &MetricsOf(schema.level, schema.name)});
  }
  configuration->schemas = FlowSchemaIndex(std::move(schemas));
  published_.Replace(configuration.release());
}

FlowMetrics& FlowControl::MetricsOf(const std::string& level, const std::string& schema) {
  auto& slot = flow_metrics_[{level, schema}];
  if (!slot) slot = std::make_unique<FlowMetrics>(metrics_, level, schema);
  return *slot;
}

}  // namespace keelson::server::flow_control
