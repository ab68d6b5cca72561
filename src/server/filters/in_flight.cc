#include "server/filters/in_flight.h"

#include <algorithm>

#include "server/text_response.h"

namespace keelson::server {
namespace {

base::Counter& DroppedCounter(base::Metrics& metrics, const char* kind) {
  return metrics.GetCounter("apiserver_dropped_requests_total", "Requests refused with 429, by kind.",
                            {{"request_kind", kind}});
}

void Report(base::Metrics& metrics, const char* name, const char* help, const char* kind,
            const std::atomic<int64_t>& count, const RecentPeak& peak, const base::Clock& clock) {
  metrics.AddCallback(
      name, help,
      [&count, &peak, &clock] {
        return static_cast<double>(peak.Read(count.load(std::memory_order_relaxed), clock.SteadyNow()));
      },
      {{"request_kind", kind}});
}

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
                               const base::Clock& clock)
    : read_only_{.limit = max_read_only, .dropped = DroppedCounter(metrics, "readOnly")},
      mutating_{.limit = max_mutating, .dropped = DroppedCounter(metrics, "mutating")} {
  for (const auto& [kind, pool] : {std::pair("readOnly", &read_only_), std::pair("mutating", &mutating_)}) {
    Report(metrics, "apiserver_current_inflight_requests",
           "Most requests under way in the last second, by kind; long-running ones aside.", kind, pool->used,
           pool->most_used, clock);
    Report(metrics, "apiserver_current_inqueue_requests",
           "Most requests that waited to be served in the last second, by kind.", kind, pool->waiting,
           pool->most_waiting, clock);
  }
}

InFlightFilter::Pool& InFlightFilter::PoolOf(const IncomingRequest& incoming) {
  const std::string& verb = incoming.info.verb;
  return verb == "get" || verb == "list" || verb == "watch" ? read_only_ : mutating_;
}

CountedSlot InFlightFilter::CountWaiting(const IncomingRequest& incoming, base::Clock::SteadyTime now) {
  Pool& pool = PoolOf(incoming);
  pool.most_waiting.See(pool.waiting.fetch_add(1, std::memory_order_relaxed) + 1, now);
  return CountedSlot(pool.waiting);
}

std::optional<net::http::Response> InFlightFilter::Apply(IncomingRequest& incoming) {
  if (incoming.long_running) return std::nullopt;
  Pool& pool = PoolOf(incoming);
  CountedSlot slot(pool.used);
  const int64_t before = pool.used.fetch_add(1, std::memory_order_relaxed);
  if (pool.limit == 0 || before < pool.limit || incoming.user->InGroup(auth::kMastersGroup)) {
    pool.most_used.See(before + 1, incoming.received);
    incoming.in_flight = std::move(slot);
    return std::nullopt;
  }
  pool.dropped.Add();
  return TooManyRequests();
}

}  // namespace keelson::server
