#include "endpoints/watch_metrics.h"

#include <map>
#include <memory>
#include <string>
#include <tuple>

namespace keelson::endpoints {
namespace {

constexpr double kKib = 1024;
constexpr double kEventSizeBounds[] = {kKib,      2 * kKib,  4 * kKib,  8 * kKib,
                                       16 * kKib, 32 * kKib, 64 * kKib, 128 * kKib};
constexpr double kListBounds[] = {0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 2, 4, 6, 8, 10, 15, 20, 30, 45, 60};
constexpr std::string_view kScopeNames[] = {"cluster", "namespace", "resource"};

std::atomic<uint64_t> next_watch_metrics{1};

using SeriesKey = std::tuple<uint64_t, std::string, std::string, std::string>;
using SeriesLookup = std::tuple<uint64_t, std::string_view, std::string_view, std::string_view>;

struct KeyLess {
  using is_transparent = void;
  static SeriesLookup View(const SeriesKey& key) { return key; }
  static const SeriesLookup& View(const SeriesLookup& key) { return key; }
  template <class A, class B>
  bool operator()(const A& a, const B& b) const {
    return View(a) < View(b);
  }
};

}  // namespace

WatchMetrics::WatchMetrics(base::Metrics& metrics)
    : metrics_(metrics), id_(next_watch_metrics.fetch_add(1)) {}

WatchMetrics::Series& WatchMetrics::Of(const api::ResourceDesc& resource) {
  thread_local std::map<SeriesKey, std::unique_ptr<Series>, KeyLess> table;
  const SeriesLookup wanted(id_, resource.group, resource.version, resource.plural);
  if (const auto found = table.find(wanted); found != table.end()) return *found->second;
  const base::Labels labels = {{"group", std::string(resource.group)},
                               {"resource", std::string(resource.plural)},
                               {"version", std::string(resource.version)}};
  std::unique_ptr<Series> made(new Series{
      .events = metrics_.GetCounter("apiserver_watch_events_total", "Events sent to watches.", labels),
      .sizes = metrics_.GetHistogram("apiserver_watch_events_sizes", "Bytes of the events sent to watches.",
                                     kEventSizeBounds, labels),
      .labels = labels,
      .lists = {}});
  return *table.emplace(SeriesKey(wanted), std::move(made)).first->second;
}

void WatchMetrics::Listed(Series& series, Scope scope, std::chrono::nanoseconds took) {
  base::Histogram*& histogram = series.lists[static_cast<size_t>(scope)];
  if (!histogram) {
    base::Labels labels = series.labels;
    labels.insert(labels.begin() + 2, {"scope", std::string(kScopeNames[static_cast<size_t>(scope)])});
    histogram = &metrics_.GetHistogram("apiserver_watch_list_duration_seconds",
                                       "How long it took until a watch had been sent what it begins with.",
                                       kListBounds, std::move(labels));
  }
  histogram->Observe(std::chrono::duration<double>(took).count());
}

}  // namespace keelson::endpoints
