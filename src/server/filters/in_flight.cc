#include "server/filters/in_flight.h"

#include <algorithm>

#include "server/text_response.h"

namespace keelson::server {
namespace {

base::Counter& DroppedCounter(base::Metrics& metrics, const char* kind) {
  return metrics.GetCounter("apiserver_dropped_requests_total", "Requests refused with 429, by kind.",
                            {{"request_kind", kind}});
}

constexpr double kShareBounds[] = {0,   0.001, 0.01, 0.1, 0.2,  0.3,  0.4, 0.5,
                                   0.6, 0.7,   0.8,  0.9, 0.95, 0.99, 1};

constexpr int kPeakBits = 32;
constexpr uint64_t kPeakMask = (uint64_t{1} << kPeakBits) - 1;

}  // namespace

uint64_t RecentPeak::SecondOf(base::Clock::SteadyTime now) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  return static_cast<uint64_t>(seconds) & kPeakMask;
}

void RecentPeak::See(int64_t number, base::Clock::SteadyTime now) {
  const uint64_t second = SecondOf(now), peak = static_cast<uint64_t>(number) & kPeakMask;
  const uint64_t wanted = second << kPeakBits | peak;
  uint64_t seen = now_.load(std::memory_order_relaxed);
  // A number of a second that is over, which comes late, is left out.
  while (seen >> kPeakBits <= second && seen < wanted) {
    if (!now_.compare_exchange_weak(seen, wanted, std::memory_order_relaxed)) continue;
    if (seen >> kPeakBits < second) before_.store(seen, std::memory_order_relaxed);
    return;
  }
}

int64_t RecentPeak::Read(int64_t number, base::Clock::SteadyTime now) const {
  const uint64_t second = SecondOf(now);
  uint64_t most = static_cast<uint64_t>(number);
  for (const auto* const seen : {&now_, &before_}) {
    const uint64_t value = seen->load(std::memory_order_relaxed);
    if ((value >> kPeakBits) + 1 >= second) most = std::max(most, value & kPeakMask);
  }
  return static_cast<int64_t>(most);
}

InFlightFilter::InFlightFilter(int64_t max_read_only, int64_t max_mutating, base::Metrics& metrics,
                               const base::Clock& clock, std::function<Capacity()> capacity)
    : clock_(clock),
      capacity_(std::move(capacity)),
      read_only_{.limit = max_read_only,
                 .executing = Phase(clock.SteadyNow()),
                 .waiting = Phase(clock.SteadyNow()),
                 .dropped = DroppedCounter(metrics, "readOnly")},
      mutating_{.limit = max_mutating,
                .executing = Phase(clock.SteadyNow()),
                .waiting = Phase(clock.SteadyNow()),
                .dropped = DroppedCounter(metrics, "mutating")} {
  Report(metrics, "readOnly", read_only_);
  Report(metrics, "mutating", mutating_);
}

InFlightFilter::Phase::Phase(base::Clock::SteadyTime now) : number(now), shares(kShareBounds) {}

void InFlightFilter::Report(base::Metrics& metrics, const char* kind, Pool& pool) {
  const auto peak = [&](const char* name, const char* help, Phase& phase) {
    metrics.AddCallback(
        name, help,
        [this, &phase] {
          return static_cast<double>(phase.peak.Read(phase.number.number(), clock_.SteadyNow()));
        },
        {{"request_kind", kind}});
  };
  peak("apiserver_current_inflight_requests",
       "Most requests under way in the last second, by kind; long-running ones aside.", pool.executing);
  peak("apiserver_current_inqueue_requests",
       "Most requests that waited to be served in the last second, by kind.", pool.waiting);
  const auto share = [&](const char* name, Phase& phase, int64_t Capacity::* most) {
    metrics.AddHistogramCallback(
        "apiserver_flowcontrol_read_vs_write_current_requests",
        "EXPERIMENTAL: For how many nanoseconds how many requests, as a share of what there may be, waited "
        "or "
        "executed, by kind.",
        [this, &pool, &phase, most] {
          const Capacity there_are = capacity_ ? capacity_() : Capacity{.executing = pool.limit};
          const auto limit = static_cast<double>(std::max<int64_t>(1, there_are.*most));
          phase.number.Take(clock_.SteadyNow(),
                            [&](double number, uint64_t nanos) { phase.shares.Add(number / limit, nanos); });
          return phase.shares;
        },
        {{"phase", name}, {"request_kind", kind}});
  };
  share("executing", pool.executing, &Capacity::executing);
  share("waiting", pool.waiting, &Capacity::waiting);
}

InFlightFilter::Pool& InFlightFilter::PoolOf(const IncomingRequest& incoming) {
  const std::string& verb = incoming.info.verb;
  return verb == "get" || verb == "list" || verb == "watch" ? read_only_ : mutating_;
}

TimedSlot InFlightFilter::CountWaiting(const IncomingRequest& incoming, base::Clock::SteadyTime now) {
  Phase& waiting = PoolOf(incoming).waiting;
  waiting.peak.See(waiting.number.Add(1, now), now);
  return {waiting.number, clock_};
}

std::optional<net::http::Response> InFlightFilter::Apply(IncomingRequest& incoming,
                                                         base::Clock::SteadyTime now) {
  if (incoming.long_running) return std::nullopt;
  Pool& pool = PoolOf(incoming);
  TimedSlot slot(pool.executing.number, clock_);
  const int64_t number = pool.executing.number.Add(1, now);
  if (pool.limit == 0 || number <= pool.limit || incoming.user->InGroup(auth::kMastersGroup)) {
    pool.executing.peak.See(number, now);
    incoming.in_flight = std::move(slot);
    return std::nullopt;
  }
  pool.dropped.Add();
  return TooManyRequests();
}

}  // namespace keelson::server
