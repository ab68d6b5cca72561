#include "base/metrics.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace keelson::base {
namespace {

void AppendEscaped(std::string_view s, bool quotes, std::string& out) {
  for (const char c : s) {
    switch (c) {
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '"': out += quotes ? "\\\"" : "\""; break;
      default: out += c;
    }
  }
}

// `a="b",c="d"`, without the braces: a histogram adds `le` to it.
std::string RenderLabels(const Labels& labels) {
  std::string out;
  for (const auto& [name, value] : labels) {
    if (!out.empty()) out += ',';
    out += name;
    out += "=\"";
    AppendEscaped(value, /*quotes=*/true, out);
    out += '"';
  }
  return out;
}

template <class Number>
void AppendNumber(Number v, std::string& out) {
  if constexpr (std::is_floating_point_v<Number>) {
    if (std::isinf(v)) {
      out += v > 0 ? "+Inf" : "-Inf";
      return;
    }
    if (std::isnan(v)) {
      out += "NaN";
      return;
    }
  }
  char buf[32];
  const auto end = std::to_chars(buf, buf + sizeof buf, v).ptr;
  out.append(buf, end);
}

template <class Number>
void AppendSample(std::string_view name, std::string_view suffix, std::string_view labels, Number v,
                  std::string& out) {
  out += name;
  out += suffix;
  if (!labels.empty()) {
    out += '{';
    out += labels;
    out += '}';
  }
  out += ' ';
  AppendNumber(v, out);
  out += '\n';
}

void AppendHistogram(std::string_view name, std::string_view labels, const HistogramReading& h,
                     std::string& out) {
  std::string prefix(labels);
  prefix += labels.empty() ? "le=\"" : ",le=\"";
  uint64_t total = 0;
  for (size_t i = 0; i <= h.bounds.size(); ++i) {
    total += h.counts[i];
    std::string bound = prefix;
    AppendNumber(i < h.bounds.size() ? h.bounds[i] : INFINITY, bound);
    AppendSample(name, "_bucket", bound + '"', total, out);
  }
  AppendSample(name, "_sum", labels, h.sum, out);
  AppendSample(name, "_count", labels, total, out);
}

}  // namespace

Histogram::Histogram(std::span<const double> upper_bounds)
    : bounds_(upper_bounds.begin(), upper_bounds.end()),
      counts_(std::make_unique<std::atomic<uint64_t>[]>(upper_bounds.size() + 1)) {}

void Histogram::Observe(double v) {
  const size_t i = std::lower_bound(bounds_.begin(), bounds_.end(), v) - bounds_.begin();
  counts_[i].fetch_add(1, std::memory_order_relaxed);
  sum_.fetch_add(v, std::memory_order_relaxed);
}

void HistogramReading::Add(double value, uint64_t weight) {
  counts[static_cast<size_t>(std::ranges::lower_bound(bounds, value) - bounds.begin())] += weight;
  sum += value * static_cast<double>(weight);
}

void HistogramBatch::Observe(double v) {
  const auto& bounds = to_.bounds_;
  ++counts_[std::lower_bound(bounds.begin(), bounds.end(), v) - bounds.begin()];
  ++count_;
  sum_ += v;
}

void HistogramBatch::Flush() {
  if (count_ == 0) return;
  for (size_t i = 0; i <= to_.bounds_.size(); ++i)
    if (counts_[i] != 0) to_.counts_[i].fetch_add(std::exchange(counts_[i], 0), std::memory_order_relaxed);
  to_.sum_.fetch_add(std::exchange(sum_, 0), std::memory_order_relaxed);
  count_ = 0;
}

namespace {

// One metric of a family, and who needs it.
template <class Metric>
struct Series {
  template <class... Args>
  explicit Series(const Args&... args) : metric(args...) {}
  Metric metric;
  uint32_t owners = 0;  // OwnedMetrics that share it
  bool stays = false;   // the registry was asked for it
};
// Keys are rendered labels.
template <class Metric>
using SeriesMap = std::map<std::string, Series<Metric>>;

template <class Metric, class... Args>
Metric& Stay(SeriesMap<Metric>& all, const Labels& labels, const Args&... args) {
  auto& series = all.try_emplace(RenderLabels(labels), args...).first->second;
  series.stays = true;
  return series.metric;
}

template <class Metric>
void Disown(SeriesMap<Metric>& all, const std::string& labels) {
  const auto found = all.find(labels);
  if (found == all.end()) return;
  if (--found->second.owners == 0 && !found->second.stays) all.erase(found);
}

}  // namespace

// One of the maps of series is used, as `type` says.
struct Metrics::Family {
  std::string help;
  std::string_view type;
  SeriesMap<Counter> counters;
  SeriesMap<Gauge> gauges;
  SeriesMap<Histogram> histograms;
  std::map<std::string, std::function<double()>> callbacks;
  std::map<std::string, std::function<HistogramReading()>> histogram_callbacks;
};

Metrics::Family& Metrics::FamilyFor(std::string_view name, std::string_view help, std::string_view type) {
  auto it = families_.find(name);
  if (it == families_.end()) {
    auto family = std::make_shared<Family>();
    family->help = help;
    family->type = type;
    it = families_.emplace(name, std::move(family)).first;
  }
  if (it->second->type != type)
    throw std::logic_error("metric " + std::string(name) + " is used as two kinds");
  return *it->second;
}

Counter& Metrics::GetCounter(std::string_view name, std::string_view help, Labels labels) {
  MutexLock lock(mu_);
  return Stay(FamilyFor(name, help, "counter").counters, labels);
}

Gauge& Metrics::GetGauge(std::string_view name, std::string_view help, Labels labels) {
  MutexLock lock(mu_);
  return Stay(FamilyFor(name, help, "gauge").gauges, labels);
}

Histogram& Metrics::GetHistogram(std::string_view name, std::string_view help,
                                 std::span<const double> upper_bounds, Labels labels) {
  MutexLock lock(mu_);
  return Stay(FamilyFor(name, help, "histogram").histograms, labels, upper_bounds);
}

template <class Map, class... Args>
auto& OwnedMetrics::Own(Metrics::Family& family, Map& all, const Labels& labels, const Args&... args) {
  const auto at = all.try_emplace(RenderLabels(labels), args...).first;
  owned_.push_back({&family, &at->first});
  ++at->second.owners;
  return at->second.metric;
}

OwnedMetrics::~OwnedMetrics() {
  MutexLock lock(metrics_.mu_);
  for (const auto& [family, labels] : owned_) {
    if (family->type == "counter")
      Disown(family->counters, *labels);
    else if (family->type == "gauge")
      Disown(family->gauges, *labels);
    else
      Disown(family->histograms, *labels);
  }
}

Counter& OwnedMetrics::GetCounter(std::string_view name, std::string_view help, const Labels& labels) {
  MutexLock lock(metrics_.mu_);
  Metrics::Family& family = metrics_.FamilyFor(name, help, "counter");
  return Own(family, family.counters, labels);
}

Gauge& OwnedMetrics::GetGauge(std::string_view name, std::string_view help, const Labels& labels) {
  MutexLock lock(metrics_.mu_);
  Metrics::Family& family = metrics_.FamilyFor(name, help, "gauge");
  return Own(family, family.gauges, labels);
}

Histogram& OwnedMetrics::GetHistogram(std::string_view name, std::string_view help,
                                      std::span<const double> upper_bounds, const Labels& labels) {
  MutexLock lock(metrics_.mu_);
  Metrics::Family& family = metrics_.FamilyFor(name, help, "histogram");
  return Own(family, family.histograms, labels, upper_bounds);
}

void Metrics::AddCallback(std::string_view name, std::string_view help, std::function<double()> read,
                          Labels labels) {
  MutexLock lock(mu_);
  FamilyFor(name, help, "gauge").callbacks[RenderLabels(labels)] = std::move(read);
}

void Metrics::AddCounterCallback(std::string_view name, std::string_view help, std::function<double()> read,
                                 Labels labels) {
  MutexLock lock(mu_);
  FamilyFor(name, help, "counter").callbacks[RenderLabels(labels)] = std::move(read);
}

void Metrics::AddHistogramCallback(std::string_view name, std::string_view help,
                                   std::function<HistogramReading()> read, Labels labels) {
  MutexLock lock(mu_);
  FamilyFor(name, help, "histogram").histogram_callbacks[RenderLabels(labels)] = std::move(read);
}

void Metrics::RemoveCallback(std::string_view name, const Labels& labels) {
  MutexLock lock(mu_);
  const auto family = families_.find(name);
  if (family == families_.end()) return;
  family->second->callbacks.erase(RenderLabels(labels));
  family->second->histogram_callbacks.erase(RenderLabels(labels));
}

std::string Metrics::Render() const {
  MutexLock lock(mu_);
  std::string out;
  for (const auto& [name, family] : families_) {
    out += "# HELP " + name + ' ';
    AppendEscaped(family->help, /*quotes=*/false, out);
    out += "\n# TYPE " + name + ' ';
    out += family->type;
    out += '\n';
    for (const auto& [labels, c] : family->counters) AppendSample(name, "", labels, c.metric.value(), out);
    for (const auto& [labels, g] : family->gauges) AppendSample(name, "", labels, g.metric.value(), out);
    for (const auto& [labels, read] : family->callbacks) AppendSample(name, "", labels, read(), out);
    for (const auto& [labels, read] : family->histogram_callbacks) AppendHistogram(name, labels, read(), out);
    for (const auto& [labels, series] : family->histograms) {
      const Histogram& h = series.metric;
      HistogramReading reading(h.bounds_);
      for (size_t i = 0; i <= h.bounds_.size(); ++i)
        reading.counts[i] = h.counts_[i].load(std::memory_order_relaxed);
      reading.sum = h.sum_.load(std::memory_order_relaxed);
      AppendHistogram(name, labels, reading, out);
    }
  }
  return out;
}

}  // namespace keelson::base
