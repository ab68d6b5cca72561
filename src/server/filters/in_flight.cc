#include "server/filters/in_flight.h"

#include "server/text_response.h"

namespace keelson::server {
namespace {

base::Counter& DroppedCounter(base::Metrics& metrics, const char* kind) {
  return metrics.GetCounter("apiserver_dropped_requests_total", "Requests refused with 429, by kind.",
                            {{"request_kind", kind}});
}

void Report(base::Metrics& metrics, const char* name, const char* help, const char* kind,
            const std::atomic<int64_t>& count) {
  metrics.AddCallback(name, help,
                      [&count] { return static_cast<double>(count.load(std::memory_order_relaxed)); },
                      {{"request_kind", kind}});
}

}  // namespace

InFlightFilter::InFlightFilter(int64_t max_read_only, int64_t max_mutating, base::Metrics& metrics)
    : read_only_{.limit = max_read_only, .dropped = DroppedCounter(metrics, "readOnly")},
      mutating_{.limit = max_mutating, .dropped = DroppedCounter(metrics, "mutating")} {
  for (const auto& [kind, pool] : {std::pair("readOnly", &read_only_), std::pair("mutating", &mutating_)}) {
    Report(metrics, "apiserver_current_inflight_requests",
           "Requests under way, by kind; long-running ones aside.", kind, pool->used);
    Report(metrics, "apiserver_current_inqueue_requests", "Requests that wait to be served, by kind.", kind,
           pool->waiting);
  }
}

InFlightFilter::Pool& InFlightFilter::PoolOf(const IncomingRequest& incoming) {
  const std::string& verb = incoming.info.verb;
  return verb == "get" || verb == "list" || verb == "watch" ? read_only_ : mutating_;
}

CountedSlot InFlightFilter::CountWaiting(const IncomingRequest& incoming) {
  std::atomic<int64_t>& waiting = PoolOf(incoming).waiting;
  waiting.fetch_add(1, std::memory_order_relaxed);
  return CountedSlot(waiting);
}

std::optional<net::http::Response> InFlightFilter::Apply(IncomingRequest& incoming) {
  if (incoming.long_running) return std::nullopt;
  Pool& pool = PoolOf(incoming);
  CountedSlot slot(pool.used);
  const int64_t before = pool.used.fetch_add(1, std::memory_order_relaxed);
  if (pool.limit == 0 || before < pool.limit || incoming.user->InGroup(auth::kMastersGroup)) {
    incoming.in_flight = std::move(slot);
    return std::nullopt;
  }
  pool.dropped.Add();
  return TooManyRequests();
}

}  // namespace keelson::server
