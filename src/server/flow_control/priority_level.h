// PriorityLevel: the requests of one priority level, those that execute and those that wait.
//
// A request that waits is a coroutine that awaits its decision; no thread waits. Whoever gives seats back
// dispatches who is next, and tells it on its own loop. A wait ends in any case when its time is up, which is
// looked at every kTick while somebody waits.
//
// The exempt level has no queues and no limit. Its requests take no lock that loops share, and are counted by
// atomics (ExemptUsage).
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/user.h"
#include "base/clock.h"
#include "base/intrusive_ptr.h"
#include "base/mutex.h"
#include "base/task.h"
#include "endpoints/request_info.h"
#include "server/flow_control/fair_queues.h"
#include "server/flow_control/flow_metrics.h"
#include "server/flow_control/level_usage.h"
#include "server/flow_control/retry_after.h"
#include "server/flow_control/seat_demand.h"

namespace keelson::server::flow_control {

// A request in a priority level. The level borrows it, and all it refers to, from Admit to Finish, or until
// the decision is that it must go.
struct LevelRequest : FairQueues::Request {
  FlowMetrics* metrics = nullptr;
  const endpoints::RequestInfo* info = nullptr;
  const auth::User* user = nullptr;
  std::string_view schema, distinguisher;
  uint64_t hash = 0;  // of the flow
  base::Clock::SteadyTime wait_until{};

  // Set while it waits: true when it executes from now on, false when it must go.
  std::optional<base::Completion<bool>> decision;

 private:
  friend class PriorityLevel;
  int waited_for = 0;  // seats; it may be given fewer
  uint8_t shard = 0;
  bool away = false;  // it executes, without its seats
};

// LevelDump: the state of a priority level as the debug pages show it.
struct LevelDump {
  struct Request {
    WorkEstimate work;
    base::Clock::WallTime arrived, started;  // started: the zero time while it waits
    bool waits = false;
    std::string schema, distinguisher, user;
    endpoints::RequestInfo info;  // filled when details are asked for, and so is user
  };
  struct Queue {
    std::vector<Request> requests;  // waiting first
    size_t waiting = 0, executing = 0;
    int seats_in_use = 0, initial_seats = 0, max_seats = 0;  // the last two of those that wait
    SeatSeconds dispatch_mark = 0, waiting_work = 0;
  };
  std::vector<Queue> queues;
  std::vector<Request> without_queue;
  int waiting = 0, executing = 0;
  uint64_t dispatched = 0, rejected = 0, cancelled = 0;
};

// Threads: any, all of it.
class PriorityLevel final : public base::RefCounted<PriorityLevel> {
 public:
  static constexpr std::chrono::milliseconds kTick{100};

  // Borrows the clock.
  PriorityLevel(std::string name, bool exempt, const base::Clock& clock);

  const std::string& name() const { return name_; }
  bool exempt() const { return exempt_; }

  enum class Admission : uint8_t { kExecutes, kWaits, kRefused };
  // kWaits: await `request.decision`. Requires: a new request with its work and all else but the decision.
  Admission Admit(LevelRequest& request);
  // The request has ended. `watch`: it was one, and was initialised until now. Requires: it executes.
  void Finish(LevelRequest& request, bool watch);
  // Nobody waits for its answer any more: the decision is false, unless it executes already.
  void GiveUp(LevelRequest& request);

  // Its answer is being sent, which takes as long as the client likes: those of one seat need not wait for
  // it. Requires: it executes.
  void Sends(LevelRequest& request);

  // The request waits for somebody outside of the server, and gives its seats to others until StepIn. Where
  // too many have done so already it keeps them: there are at most as many without seats as the level has
  // seats, or kLeastAway. It counts as one that executes all the time. Requires: it executes.
  void StepOut(LevelRequest& request);
  // It takes its seats again, without a wait, if it has given them away.
  void StepIn(LevelRequest& request);
  static constexpr int kLeastAway = 64;

  // One more was turned away. Gives the seconds after which it should come again.
  int64_t NextRetry();

  // `seats_for_none`: what usage is a share of where the limit is 0.
  void Configure(const QueuingConfig& queuing, int seat_limit, int seats_for_none = 1);
  // The demand for seats since the last call.
  SeatDemandResults TakeDemand();
  bool idle() const;
  LevelDump Dump(bool details) const;
  // How far the queues have come: FairQueues::meter and last_dispatch.
  struct Progress {
    SeatSeconds meter = 0;
    FairQueues::DispatchMarks last_dispatch;
  };
  Progress ReadProgress() const;
  UsageReading ReadUsage();

 private:
  // What a change leads to: who executes from now on, and the flow of the request that was next and found too
  // few seats, null: none.
  struct Effects {
    FairQueues::Started started;
    FlowMetrics* unaccommodated = nullptr;
  };
  // The exempt level counts its requests in shards, so that threads do not wait for each other.
  struct alignas(64) Shard {
    base::Mutex mu;
    FairQueues::RequestList executing GUARDED_BY(mu);
    uint64_t dispatched GUARDED_BY(mu) = 0;
  };
  using SelfPtr = base::IntrusivePtr<PriorityLevel>;

  Admission AdmitLimited(LevelRequest& request);
  void AdmitExempt(LevelRequest& request);
  void FinishExempt(LevelRequest& request);
  void GiveBack(const FairQueues::Lingering& lingering, FlowMetrics& metrics);
  void Tell(const Effects& effects);
  void TickLater();
  void Tick();
  void Left(LevelRequest& request);
  // After every change, with those whom it has started.
  void Note(Effects& effects, base::Clock::SteadyTime now) REQUIRES_LOCK(mu_);
  LevelDump::Request DumpOf(const LevelRequest& request, bool details) const;

  const std::string name_;
  const bool exempt_;
  const base::Clock& clock_;

  mutable base::Mutex mu_;
  FairQueues queues_ GUARDED_BY(mu_);
  SeatDemand demand_ GUARDED_BY(mu_);
  LevelUsage usage_ GUARDED_BY(mu_);
  RetryAfter retry_after_ GUARDED_BY(mu_);
  bool ticking_ GUARDED_BY(mu_) = false;
  uint64_t dispatched_ GUARDED_BY(mu_) = 0, rejected_ GUARDED_BY(mu_) = 0, cancelled_ GUARDED_BY(mu_) = 0;

  mutable std::array<Shard, 16> shards_;
  ExemptUsage exempt_usage_;  // what is done by one at a time is done with mu_
};

}  // namespace keelson::server::flow_control
