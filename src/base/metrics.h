// Counters, gauges and histograms in the Prometheus text format.
//
// Threads: metrics may be touched from any thread; updates are relaxed atomics.
// Ownership: a Metrics registry owns its metrics; references stay valid as long as it does, those of
// OwnedMetrics as long as these do. Look a metric up once and keep the reference: looking it up takes a lock.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"

namespace keelson::base {

class Counter {
 public:
  void Add(uint64_t n = 1) { value_.fetch_add(n, std::memory_order_relaxed); }
  uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

class Gauge {
 public:
  void Set(int64_t v) { value_.store(v, std::memory_order_relaxed); }
  void Add(int64_t n) { value_.fetch_add(n, std::memory_order_relaxed); }
  int64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> value_{0};
};

class Histogram {
 public:
  explicit Histogram(std::span<const double> upper_bounds);
  void Observe(double v);
  const std::vector<double>& bounds() const { return bounds_; }

 private:
  friend class Metrics;
  friend class HistogramBatch;
  const std::vector<double> bounds_;
  std::unique_ptr<std::atomic<uint64_t>[]> counts_;  // one per bound, then +Inf
  std::atomic<double> sum_{0};
};

// Observations that are gathered by one thread and told to the histogram together, so that the threads share
// its counters only now and then. At most kMaxBounds bounds.
class HistogramBatch {
 public:
  static constexpr size_t kMaxBounds = 31;
  // Borrows `to`.
  explicit HistogramBatch(Histogram& to) : to_(to) {}
  HistogramBatch(const HistogramBatch&) = delete;
  HistogramBatch& operator=(const HistogramBatch&) = delete;
  ~HistogramBatch() { Flush(); }

  void Observe(double v);
  uint64_t count() const { return count_; }
  void Flush();

 private:
  Histogram& to_;
  std::array<uint32_t, kMaxBounds + 1> counts_{};
  uint64_t count_ = 0;
  double sum_ = 0;
};

// What a histogram shows that somebody else keeps. A value may weigh more than one observation.
struct HistogramReading {
  // `upper_bounds` is a constant.
  explicit HistogramReading(std::span<const double> upper_bounds)
      : bounds(upper_bounds), counts(upper_bounds.size() + 1) {}
  void Add(double value, uint64_t weight);

  std::span<const double> bounds;
  std::vector<uint64_t> counts;  // one per bound, then +Inf
  double sum = 0;
};

using Labels = std::vector<std::pair<std::string, std::string>>;

class Metrics {
 public:
  // The metric of that name and those labels, made on first use.
  // Requires: one name is always of one kind, with one help text.
  Counter& GetCounter(std::string_view name, std::string_view help, Labels labels = {});
  Gauge& GetGauge(std::string_view name, std::string_view help, Labels labels = {});
  Histogram& GetHistogram(std::string_view name, std::string_view help, std::span<const double> upper_bounds,
                          Labels labels = {});
  // A gauge, or a counter, whose value is read when scraped.
  void AddCallback(std::string_view name, std::string_view help, std::function<double()> read,
                   Labels labels = {});
  void AddCounterCallback(std::string_view name, std::string_view help, std::function<double()> read,
                          Labels labels = {});
  // A histogram that is read when scraped.
  void AddHistogramCallback(std::string_view name, std::string_view help,
                            std::function<HistogramReading()> read, Labels labels = {});
  // Takes a callback away; one that is not there is left alone.
  void RemoveCallback(std::string_view name, const Labels& labels);

  // All metrics, in name order.
  std::string Render() const;

 private:
  friend class OwnedMetrics;
  struct Family;
  Family& FamilyFor(std::string_view name, std::string_view help, std::string_view type) REQUIRES_LOCK(mu_);
  mutable Mutex mu_;
  std::map<std::string, std::shared_ptr<Family>, std::less<>> families_ GUARDED_BY(mu_);
};

// The metrics of something that comes and goes: they go with it. Owners that ask for the same name and labels
// share a metric, and it goes with the last of them; one that was asked of the registry itself stays.
//
// Threads: any. The registry outlives it.
class OwnedMetrics {
 public:
  explicit OwnedMetrics(Metrics& metrics) : metrics_(metrics) {}
  ~OwnedMetrics();
  OwnedMetrics(const OwnedMetrics&) = delete;
  OwnedMetrics& operator=(const OwnedMetrics&) = delete;

  // As those of Metrics.
  Counter& GetCounter(std::string_view name, std::string_view help, const Labels& labels);
  Gauge& GetGauge(std::string_view name, std::string_view help, const Labels& labels);
  Histogram& GetHistogram(std::string_view name, std::string_view help, std::span<const double> upper_bounds,
                          const Labels& labels);

 private:
  struct Owned {
    Metrics::Family* family;
    const std::string* labels;  // as the family has them
  };
  template <class Map, class... Args>
  auto& Own(Metrics::Family& family, Map& all, const Labels& labels, const Args&... args);

  Metrics& metrics_;
  std::vector<Owned> owned_;  // guarded by the mutex of metrics_
};

}  // namespace keelson::base
