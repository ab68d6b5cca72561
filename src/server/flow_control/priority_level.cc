#include "server/flow_control/priority_level.h"

#include <algorithm>

namespace keelson::server::flow_control {
namespace {

using Time = base::Clock::SteadyTime;

double Seconds(std::chrono::nanoseconds duration) { return std::chrono::duration<double>(duration).count(); }

// Threads are spread over shards; each stays with its own.
uint8_t ShardOfThread(size_t shards) {
  static std::atomic<size_t> threads{0};
  thread_local const size_t number = threads.fetch_add(1, std::memory_order_relaxed);
  return static_cast<uint8_t>(number % shards);
}

LevelRequest& AsLevelRequest(FairQueues::Request& request) { return static_cast<LevelRequest&>(request); }

}  // namespace

PriorityLevel::PriorityLevel(std::string name, bool exempt, const base::Clock& clock)
    : name_(std::move(name)),
      exempt_(exempt),
      clock_(clock),
      queues_({}, 0, clock.SteadyNow()),
      demand_(clock.SteadyNow()),
      usage_(clock.SteadyNow()),
      exempt_usage_(clock.SteadyNow()) {}

PriorityLevel::Admission PriorityLevel::Admit(LevelRequest& request) {
  if (!exempt_) return AdmitLimited(request);
  AdmitExempt(request);
  return Admission::kExecutes;
}

void PriorityLevel::Sends(LevelRequest& request) {
  if (exempt_) return;
  Effects effects;
  {
    base::MutexLock lock(mu_);
    const Time now = clock_.SteadyNow();
    queues_.Sends(request, now, effects.started);
    Note(effects, now);
  }
  Tell(effects);
}

void PriorityLevel::StepOut(LevelRequest& request) {
  const int seats = request.work.MaxSeats();
  Effects effects;
  if (exempt_) {
    exempt_usage_.LeaveSeats(seats, clock_.SteadyNow());
  } else {
    base::MutexLock lock(mu_);
    const auto most = static_cast<size_t>(std::max(kLeastAway, queues_.seat_limit()));
    if (queues_.away().size >= most) return;
    const Time now = clock_.SteadyNow();
    queues_.StepOut(request, now, effects.started);
    Note(effects, now);
  }
  request.away = true;
  request.metrics->Add(FlowMetrics::kExecutingSeats, -seats);
  request.metrics->Add(FlowMetrics::kAwayRequests, 1);
  Tell(effects);
}

void PriorityLevel::StepIn(LevelRequest& request) {
  if (!std::exchange(request.away, false)) return;
  const int seats = request.work.MaxSeats();
  Effects effects;
  if (exempt_) {
    exempt_usage_.TakeSeats(seats, clock_.SteadyNow());
  } else {
    base::MutexLock lock(mu_);
    const Time now = clock_.SteadyNow();
    queues_.StepIn(request, now);
    Note(effects, now);
  }
  Tell(effects);
  request.metrics->Add(FlowMetrics::kExecutingSeats, seats);
  request.metrics->Add(FlowMetrics::kAwayRequests, -1);
}

void PriorityLevel::Finish(LevelRequest& request, bool watch) {
  StepIn(request);
  const auto executed = clock_.SteadyNow() - request.started;
  FlowMetrics& metrics = *request.metrics;
  metrics.Observe(watch ? FlowMetrics::kWatchExecution : FlowMetrics::kExecution, Seconds(executed));
  metrics.Add(FlowMetrics::kExecutingRequests, -1);
  if (exempt_) return FinishExempt(request);

  const int seats = request.work.MaxSeats();
  Effects effects;
  std::optional<FairQueues::Lingering> lingering;
  {
    base::MutexLock lock(mu_);
    const Time now = clock_.SteadyNow();
    lingering = queues_.Finish(request, now, effects.started);
    Note(effects, now);
  }
  if (!lingering) metrics.Add(FlowMetrics::kExecutingSeats, -seats);
  Tell(effects);
  if (!lingering) return;
  base::Executor* const loop = base::Executor::Current();
  if (!loop) return GiveBack(*lingering, metrics);
  loop->PostAfter(lingering->duration, [self = SelfPtr(this), seats_left = *lingering, &metrics] {
    self->GiveBack(seats_left, metrics);
  });
}

void PriorityLevel::GiveBack(const FairQueues::Lingering& lingering, FlowMetrics& metrics) {
  Effects effects;
  {
    base::MutexLock lock(mu_);
    const Time now = clock_.SteadyNow();
    queues_.Release(lingering, now, effects.started);
    Note(effects, now);
  }
  metrics.Add(FlowMetrics::kExecutingSeats, -lingering.seats);
  Tell(effects);
}

PriorityLevel::Admission PriorityLevel::AdmitLimited(LevelRequest& request) {
  using Arrival = FairQueues::Arrival;
  Effects effects;
  Arrival arrival;
  size_t queue_length = 0;
  FlowMetrics& metrics = *request.metrics;
  int seats = request.waited_for = request.work.MaxSeats();
  bool begins_to_tick = false;
  {
    base::MutexLock lock(mu_);
    const Time now = clock_.SteadyNow();
    arrival = queues_.Arrive(request, request.hash, now, effects.started);
    switch (arrival) {
      case Arrival::kExecutes:
        ++dispatched_;
        seats = request.work.MaxSeats();
        queue_length = queues_.config().queues > 0 ? 1 : 0;
        break;
      case Arrival::kWaits:
        request.decision.emplace();
        queue_length = FairQueues::LengthOfQueueOf(request);
        begins_to_tick = !std::exchange(ticking_, true);
        break;
      case Arrival::kQueueFull:
      case Arrival::kNoSeats: ++rejected_; break;
    }
    Note(effects, now);
  }
  // From here on, a request that waits may be told at any time, and is not touched again.
  if (begins_to_tick) TickLater();
  Tell(effects);
  switch (arrival) {
    case Arrival::kExecutes:
      if (queue_length != 0) metrics.Observe(FlowMetrics::kQueueLength, static_cast<double>(queue_length));
      metrics.Observe(FlowMetrics::kWaitExecuted, 0);
      metrics.Count(FlowMetrics::kDispatched);
      metrics.Add(FlowMetrics::kExecutingRequests, 1);
      metrics.Add(FlowMetrics::kExecutingSeats, seats);
      return Admission::kExecutes;
    case Arrival::kWaits:
      metrics.Observe(FlowMetrics::kQueueLength, static_cast<double>(queue_length));
      metrics.Add(FlowMetrics::kInqueueRequests, 1);
      metrics.Add(FlowMetrics::kInqueueSeats, seats);
      return Admission::kWaits;
    case Arrival::kQueueFull: metrics.Count(FlowMetrics::kQueueFull); break;
    case Arrival::kNoSeats: metrics.Count(FlowMetrics::kConcurrencyLimit); break;
  }
  metrics.Observe(FlowMetrics::kWaitRejected, 0);
  return Admission::kRefused;
}

// Each of them waits until it is told, and is not touched afterwards.
void PriorityLevel::Tell(const Effects& effects) {
  if (effects.unaccommodated) effects.unaccommodated->Count(FlowMetrics::kNoAccommodation);
  for (FairQueues::Request* const queued : effects.started) {
    LevelRequest& request = AsLevelRequest(*queued);
    FlowMetrics& metrics = *request.metrics;
    const int seats = request.work.MaxSeats();
    metrics.Observe(FlowMetrics::kWaitExecuted, Seconds(request.started - request.arrived));
    metrics.Count(FlowMetrics::kDispatched);
    metrics.Add(FlowMetrics::kInqueueRequests, -1);
    metrics.Add(FlowMetrics::kInqueueSeats, -request.waited_for);
    metrics.Add(FlowMetrics::kExecutingRequests, 1);
    metrics.Add(FlowMetrics::kExecutingSeats, seats);
    request.decision->Set(true);
  }
}

void PriorityLevel::GiveUp(LevelRequest& request) {
  Effects effects;
  {
    base::MutexLock lock(mu_);
    if (request.state != FairQueues::Request::State::kWaiting) return;
    const Time now = clock_.SteadyNow();
    queues_.Leave(request, now, effects.started);
    ++rejected_;
    ++cancelled_;
    Note(effects, now);
  }
  Tell(effects);
  Left(request);
}

// The request waits until it is told, and is not touched afterwards.
void PriorityLevel::Left(LevelRequest& request) {
  FlowMetrics& metrics = *request.metrics;
  metrics.Count(FlowMetrics::kTimeOut);
  metrics.Observe(FlowMetrics::kWaitRejected, Seconds(clock_.SteadyNow() - request.arrived));
  metrics.Add(FlowMetrics::kInqueueRequests, -1);
  metrics.Add(FlowMetrics::kInqueueSeats, -request.waited_for);
  request.decision->Set(false);
}

void PriorityLevel::TickLater() {
  // Without a loop nothing but a seat ends a wait.
  if (base::Executor* const loop = base::Executor::Current())
    loop->PostAfter(kTick, [self = SelfPtr(this)] { self->Tick(); });
}

void PriorityLevel::Tick() {
  std::vector<LevelRequest*> late;
  Effects effects;
  {
    base::MutexLock lock(mu_);
    const Time now = clock_.SteadyNow();
    for (const auto& queue : queues_.queues())
      for (FairQueues::Request* r = queue ? queue->waiting.first : nullptr; r;
           r = FairQueues::RequestList::Next(*r))
        if (AsLevelRequest(*r).wait_until <= now) late.push_back(&AsLevelRequest(*r));
    // One that leaves may let another of them execute.
    std::erase_if(late, [&](LevelRequest* request) {
      mu_.AssertHeld();
      if (request->state != FairQueues::Request::State::kWaiting) return true;
      queues_.Leave(*request, now, effects.started);
      return false;
    });
    rejected_ += late.size();
    cancelled_ += late.size();
    Note(effects, now);
    ticking_ = queues_.requests_waiting() != 0;
    if (ticking_) TickLater();
  }
  Tell(effects);
  for (LevelRequest* const request : late) Left(*request);
}

int64_t PriorityLevel::NextRetry() {
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(clock_.Now().time_since_epoch()).count();
  base::MutexLock lock(mu_);
  return retry_after_.Drop(now);
}

void PriorityLevel::Configure(const QueuingConfig& queuing, int seat_limit, int seats_for_none) {
  Effects effects;
  {
    base::MutexLock lock(mu_);
    const Time now = clock_.SteadyNow();
    const int shared_by = seat_limit > 0 ? seat_limit : seats_for_none;
    if (exempt_)
      exempt_usage_.SetLimit(shared_by, now);
    else
      usage_.SetLimits(shared_by, std::max(1, queuing.queue_length_limit) * std::max(1, queuing.queues), now);
    queues_.Configure(queuing, seat_limit, now, effects.started);
    Note(effects, now);
  }
  Tell(effects);
}

void PriorityLevel::Note(Effects& effects, Time now) {
  dispatched_ += effects.started.size();
  if (const auto* const next = queues_.TakeUnaccommodated())
    effects.unaccommodated = static_cast<const LevelRequest*>(next)->metrics;
  const int demand = queues_.seats_in_use() + queues_.seats_waiting();
  demand_.Set(demand, now);
  usage_.Note(queues_, demand, now);
}

SeatDemandResults PriorityLevel::TakeDemand() {
  base::MutexLock lock(mu_);
  const Time now = clock_.SteadyNow();
  return exempt_ ? exempt_usage_.TakeDemand(now) : demand_.Take(now);
}

bool PriorityLevel::idle() const {
  if (exempt_) return exempt_usage_.seats() == 0;  // it never goes, so nobody asks about those without seats
  base::MutexLock lock(mu_);
  return queues_.idle();
}

PriorityLevel::Progress PriorityLevel::ReadProgress() const {
  base::MutexLock lock(mu_);
  return {.meter = queues_.meter(), .last_dispatch = queues_.last_dispatch()};
}

UsageReading PriorityLevel::ReadUsage() {
  base::MutexLock lock(mu_);
  const Time now = clock_.SteadyNow();
  return exempt_ ? exempt_usage_.Read(now) : usage_.Read(now);
}

void PriorityLevel::AdmitExempt(LevelRequest& request) {
  const Time now = clock_.SteadyNow();
  const int seats = request.work.MaxSeats();
  request.arrived = request.started = now;
  request.state = FairQueues::Request::State::kExecuting;
  request.shard = ShardOfThread(shards_.size());
  {
    Shard& shard = shards_[request.shard];
    base::MutexLock lock(shard.mu);
    shard.executing.Append(request);
    ++shard.dispatched;
  }
  exempt_usage_.BeginRequest(now);
  exempt_usage_.TakeSeats(seats, now);
  request.metrics->Count(FlowMetrics::kDispatched);
  request.metrics->Add(FlowMetrics::kExecutingRequests, 1);
  request.metrics->Add(FlowMetrics::kExecutingSeats, seats);
}

void PriorityLevel::FinishExempt(LevelRequest& request) {
  const int seats = request.work.MaxSeats();
  {
    Shard& shard = shards_[request.shard];
    base::MutexLock lock(shard.mu);
    request.state = FairQueues::Request::State::kOutside;
    shard.executing.Remove(request);
  }
  const Time now = clock_.SteadyNow();
  exempt_usage_.EndRequest(now);
  exempt_usage_.LeaveSeats(seats, now);
  request.metrics->Add(FlowMetrics::kExecutingSeats, -seats);
}

LevelDump::Request PriorityLevel::DumpOf(const LevelRequest& request, bool details) const {
  const auto wall = [steady_now = clock_.SteadyNow(), now = clock_.Now()](Time time) {
    return now - std::chrono::duration_cast<base::Clock::WallTime::duration>(steady_now - time);
  };
  LevelDump::Request dump{.work = request.work,
                          .arrived = wall(request.arrived),
                          .started = wall(request.started),
                          .waits = request.state == FairQueues::Request::State::kWaiting,
                          .schema = std::string(request.schema),
                          .distinguisher = std::string(request.distinguisher)};
  if (details) {
    dump.user = request.user->name;
    dump.info = *request.info;
  }
  return dump;
}

LevelDump PriorityLevel::Dump(bool details) const {
  LevelDump dump;
  const auto add = [&](const FairQueues::RequestList& list, std::vector<LevelDump::Request>& out) {
    for (FairQueues::Request* r = list.first; r; r = FairQueues::RequestList::Next(*r))
      out.push_back(DumpOf(AsLevelRequest(*r), details));
  };
  for (Shard& shard : shards_) {
    base::MutexLock lock(shard.mu);
    add(shard.executing, dump.without_queue);
    dump.executing += static_cast<int>(shard.executing.size);
    dump.dispatched += shard.dispatched;
  }
  base::MutexLock lock(mu_);
  dump.waiting = queues_.requests_waiting();
  dump.executing += queues_.requests_executing() + static_cast<int>(queues_.away().size);
  dump.dispatched += dispatched_;
  dump.rejected = rejected_;
  dump.cancelled = cancelled_;
  add(queues_.executing_without_queue(), dump.without_queue);
  add(queues_.away(), dump.without_queue);
  for (const auto& queue : queues_.queues()) {
    LevelDump::Queue& out = dump.queues.emplace_back();
    if (!queue) continue;
    add(queue->waiting, out.requests);
    add(queue->executing, out.requests);
    out.waiting = queue->waiting.size;
    out.executing = queue->executing.size;
    out.seats_in_use = queue->seats_in_use;
    out.initial_seats = queue->waiting_initial_seats;
    out.max_seats = queue->waiting_seats;
    out.dispatch_mark = queue->dispatch_mark;
    out.waiting_work = queue->waiting_work;
  }
  return dump;
}

}  // namespace keelson::server::flow_control
