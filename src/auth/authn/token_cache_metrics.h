// TokenCacheMetrics: the series authentication_token_cache_*, which all token caches of a server share.
#pragma once

#include <array>
#include <string_view>

#include "base/metrics.h"

namespace keelson::auth {

struct TokenCacheMetrics {
  explicit TokenCacheMetrics(base::Metrics& metrics)
      : hits(Requests(metrics, "hit")),
        misses(Requests(metrics, "miss")),
        hit_time(Durations(metrics, "hit")),
        miss_time(Durations(metrics, "miss")),
        answered(Fetches(metrics, "ok")),
        failed(Fetches(metrics, "error")),
        blocked(Active(metrics, "blocked")),
        in_flight(Active(metrics, "in_flight")) {}

  base::Counter &hits, &misses;
  base::Histogram &hit_time, &miss_time;
  base::Counter &answered, &failed;  // of those that somebody was asked about
  base::Gauge &blocked, &in_flight;  // requests that wait for an answer, and answers that are waited for

 private:
  static base::Labels Status(const char* status) { return {{"status", status}}; }
  static base::Counter& Requests(base::Metrics& metrics, const char* status) {
    return metrics.GetCounter("authentication_token_cache_request_total",
                              "Tokens that a cache was asked about.", Status(status));
  }
  static base::Histogram& Durations(base::Metrics& metrics, const char* status) {
    static constexpr std::array<double, 11> kBounds{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};
    return metrics.GetHistogram("authentication_token_cache_request_duration_seconds",
                                "How long a cache took to answer about a token.", kBounds, Status(status));
  }
  static base::Counter& Fetches(base::Metrics& metrics, const char* status) {
    return metrics.GetCounter("authentication_token_cache_fetch_total",
                              "Tokens that a cache did not know and asked about.", Status(status));
  }
  static base::Gauge& Active(base::Metrics& metrics, const char* status) {
    return metrics.GetGauge(
        "authentication_token_cache_active_fetch_count",
        "Requests that wait for an answer about a token, and answers that are waited for.", Status(status));
  }
};

}  // namespace keelson::auth
