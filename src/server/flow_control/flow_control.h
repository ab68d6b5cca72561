// FlowControl: API priority and fairness. Which priority level a request belongs to, how many seats each has,
// and whether the request may execute now, must wait or must go.
//
// The objects that configure it are read whenever they change (configuration_informers.h); what follows of
// them is published as one immutable Configuration, which a request reads without a lock and holds until it
// ends. A level that is not configured any more goes on until its requests have ended.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "auth/user.h"
#include "base/clock.h"
#include "base/metrics.h"
#include "base/published.h"
#include "endpoints/request_info.h"
#include "server/flow_control/flow_metrics.h"
#include "server/flow_control/flow_schema.h"
#include "server/flow_control/priority_level.h"
#include "server/flow_control/priority_level_spec.h"
#include "server/flow_control/watch_counter.h"
#include "server/flow_control/work_estimate.h"

namespace keelson::server::flow_control {

// Configuration: the flow schemas and levels that requests are classified by, at one moment.
struct Configuration final : base::Publishable<Configuration> {
  struct Level {
    base::IntrusivePtr<PriorityLevel> level;
    std::string uid;
    int max_seats = 0;  // that one request may be estimated to take; 0: no bound
    int queues = 0;
    bool quiescing = false;  // it is not configured any more
  };
  struct Flow {
    size_t level;  // in `levels`
    FlowMetrics* metrics;
  };
  FlowSchemaIndex schemas;
  std::vector<Flow> flows;    // of the schema in the same position
  size_t catch_all = 0;       // position of the schema for what matches none
  std::vector<Level> levels;  // by name
};

// How much is stored of a resource, for estimates.
class ResourceSizes {
 public:
  virtual ~ResourceSizes() = default;
  // nullopt: nothing of the kind is stored here. Any thread.
  virtual std::optional<ResourceSize> SizeOf(const endpoints::RequestInfo& info) const = 0;
};

// One request's place, from FlowControl::Admit until it is destroyed: then the seats are given back.
class Ticket {
 public:
  Ticket() = default;
  ~Ticket() { GiveBack(); }
  Ticket(const Ticket&) = delete;
  Ticket& operator=(const Ticket&) = delete;

  const FlowSchemaSpec& schema() const { return *schema_; }
  const WorkEstimate& work() const { return request_.work; }
  const std::string& schema_uid() const { return schema_->uid; }
  const std::string& level_uid() const { return level_->uid; }
  PriorityLevel& level() const { return *level_->level; }

  // Whether the request may execute. Requires: Admit said that it waits.
  const base::Completion<bool>& Decision() const { return *request_.decision; }
  // The seats, before the request ends.
  void GiveBack();
  // Nobody waits for its answer any more: it need not wait either.
  void GiveUp() { level().GiveUp(request_); }
  // The answer is made, and is being sent. Nothing happens where the request does not execute.
  void Sends() {
    if (request_.state == FairQueues::Request::State::kExecuting) level().Sends(request_);
  }
  // The seats, for as long as the request waits for somebody outside of the server, and back. Nothing
  // happens where it does not execute, as a watch that has given its seats back.
  void StepOut() {
    if (request_.state == FairQueues::Request::State::kExecuting) level().StepOut(request_);
  }
  void StepIn() { level().StepIn(request_); }

 private:
  friend class FlowControl;
  base::Reading<Configuration> configuration_;
  const FlowSchemaSpec* schema_ = nullptr;
  const Configuration::Level* level_ = nullptr;
  LevelRequest request_;
};

// Threads: Admit and what reads from any; what changes the configuration on one at a time.
class FlowControl {
 public:
  using Admission = PriorityLevel::Admission;

  // `seats`: that all levels share. Borrows the others.
  FlowControl(int64_t seats, base::Metrics& metrics, const base::Clock& clock = base::Clock::Real());
  ~FlowControl();
  FlowControl(const FlowControl&) = delete;
  FlowControl& operator=(const FlowControl&) = delete;

  // ---- requests

  struct Arriving {
    const endpoints::RequestInfo& info;
    std::string_view query;  // as sent
    const auth::User& user;
    base::Clock::SteadyTime wait_until;
  };
  // Fills in the ticket, which borrows info and user for as long as it lives.
  Admission Admit(const Arriving& request, Ticket& ticket);
  // Writes from now on expect to be told to this watch.
  WatchCounter::Counted CountWatch(const endpoints::RequestInfo& info, std::string_view query) {
    return watches_.Add(info, query);
  }
  // Until then lists take one seat. `sizes` outlives every request. Any thread.
  void UseSizes(const ResourceSizes* sizes) { sizes_.store(sizes, std::memory_order_release); }

  base::Reading<Configuration> Read() const { return published_.Read(); }
  // How many requests can execute, at one seat each, and wait, as configured. Any thread.
  int64_t most_executing() const { return most_executing_.load(std::memory_order_relaxed); }
  int64_t most_waiting() const { return most_waiting_.load(std::memory_order_relaxed); }

  // ---- configuration

  void PutLevel(PriorityLevelSpec level) { level_specs_.insert_or_assign(level.name, std::move(level)); }
  void RemoveLevel(std::string_view name) { EraseFrom(level_specs_, name); }
  void RemoveAllLevels() { level_specs_.clear(); }
  // False: it says what it said before; a write to its status is no change.
  bool PutSchema(FlowSchemaSpec schema);
  void RemoveSchema(std::string_view name) { EraseFrom(schema_specs_, name); }
  void RemoveAllSchemas() { schema_specs_.clear(); }
  // Makes what was put and removed count.
  void Apply();

  // How often Adjust should be called.
  static constexpr std::chrono::seconds kAdjustmentPeriod{10};
  // Lends seats to levels that could use them. Levels that have come to their end go.
  void Adjust();

 private:
  struct LevelState;
  template <class T>
  static void EraseFrom(std::map<std::string, T, std::less<>>& map, std::string_view name) {
    if (const auto it = map.find(name); it != map.end()) map.erase(it);
  }

  WorkEstimate Estimate(const Arriving& request, const Configuration::Level& level,
                        FlowMetrics& metrics) const;
  void KeepBusyLevels(std::map<std::string, LevelState, std::less<>>& next);
  void ShareOut(LevelState& state, double share_sum);
  void Introduce(LevelState& state);
  void Borrow();
  void SetLimit(LevelState& state, int limit);
  void Publish(std::vector<FlowSchemaSpec> schemas);
  FlowMetrics& MetricsOf(const std::string& level, const std::string& schema);

  const int64_t seats_;
  base::Metrics& metrics_;
  const base::Clock& clock_;
  WatchCounter watches_;
  std::atomic<const ResourceSizes*> sizes_{nullptr};
  std::map<std::string, PriorityLevelSpec, std::less<>> level_specs_;
  std::map<std::string, FlowSchemaSpec, std::less<>> schema_specs_;
  std::map<std::string, LevelState, std::less<>> levels_;
  std::map<std::pair<std::string, std::string>, std::unique_ptr<FlowMetrics>> flow_metrics_;  // none goes
  std::shared_ptr<std::atomic<double>> fair_fraction_;
  std::atomic<int64_t> most_executing_{0}, most_waiting_{0};
  base::Published<Configuration> published_;
};

}  // namespace keelson::server::flow_control
