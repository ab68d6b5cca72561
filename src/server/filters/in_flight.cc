#include "server/filters/in_flight.h"

#include "server/text_response.h"

namespace keelson::server {
namespace {

base::Counter& DroppedCounter(base::Metrics& metrics, const char* kind) {
  return metrics.GetCounter("apiserver_dropped_requests_total", "Requests refused with 429, by kind.",
                            {{"request_kind", kind}});
}

void ReportUsed(base::Metrics& metrics, const char* kind, const std::atomic<int64_t>& used) {
  metrics.AddCallback("apiserver_current_inflight_requests",
                      "Requests under way, by kind; long-running ones aside.",
                      [&used] { return static_cast<double>(used.load(std::memory_order_relaxed)); },
                      {{"request_kind", kind}});
}

}  // namespace

InFlightFilter::InFlightFilter(int64_t max_read_only, int64_t max_mutating, base::Metrics& metrics)
    : read_only_{.limit = max_read_only, .dropped = DroppedCounter(metrics, "readOnly")},
      mutating_{.limit = max_mutating, .dropped = DroppedCounter(metrics, "mutating")} {
  ReportUsed(metrics, "readOnly", read_only_.used);
  ReportUsed(metrics, "mutating", mutating_.used);
}

std::optional<net::http::Response> InFlightFilter::Apply(IncomingRequest& incoming) {
  if (incoming.long_running) return std::nullopt;
  const std::string& verb = incoming.info.verb;
  Pool& pool = verb == "get" || verb == "list" || verb == "watch" ? read_only_ : mutating_;
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
