#include "server/filters/request_metrics.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "net/http/url.h"

namespace keelson::server {
namespace {

constexpr std::array<double, 23> kDurationBounds{
    0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60};
// Without the shortest: objectives are longer.
constexpr std::span<const double> kObjectiveBounds = std::span(kDurationBounds).subspan(2);
constexpr std::array<double, 7> kSizeBounds{1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};

// Whom the server is for itself.
constexpr std::string_view kServerName = "system:apiserver";

std::atomic<uint64_t> next_id{1};

bool IsApply(const net::http::Request& request) {
  return request.headers.Get("content-type").value_or("") == "application/apply-patch+yaml";
}

bool IsConnect(const endpoints::RequestInfo& info) {
  for (const std::string_view connects : {"log", "exec", "portforward", "attach", "proxy"})
    if (info.subresource == connects) return info.resource_request;
  return false;
}

std::string_view DryRunLabel(const net::http::Request& request) {
  if (request.query.find("dryRun") == std::string::npos) return "";
  const auto query = net::http::Query::Parse(request.query);
  const auto given = query.All("dryRun");
  if (given.empty()) return "";
  return std::ranges::all_of(given, [](std::string_view v) { return v == "All"; }) ? "All" : "invalid";
}

}  // namespace

std::string_view ScopeLabel(const endpoints::RequestInfo& info) {
  if (!info.resource_request) return "";
  if (!info.name.empty() || info.verb == "create") return "resource";
  return info.ns.empty() ? "cluster" : "namespace";
}

std::string_view VerbLabel(const IncomingRequest& x, std::string_view scope) {
  if (IsConnect(x.info)) return "CONNECT";
  if (x.info.verb == "watch") return "WATCH";
  const std::string& method = x.request.method;
  if (method == "GET" || method == "HEAD") return scope.empty() || scope == "resource" ? "GET" : "LIST";
  if (method == "PATCH") return IsApply(x.request) ? "APPLY" : "PATCH";
  for (const std::string_view known : {"POST", "PUT", "DELETE"})
    if (method == known) return known;
  return "other";
}

struct RequestMetrics::Labels {
  std::string_view verb, scope, group, version, resource, subresource, dry_run;
  bool resource_request = false;

  bool operator==(const Labels&) const = default;
  size_t Hash() const {
    size_t h = 14695981039346656037u;
    const auto mix = [&](std::string_view s) {
      for (const unsigned char c : s) h = (h ^ c) * 1099511628211u;
      h = (h ^ 0xFF) * 1099511628211u;
    };
    for (const auto s : {verb, scope, group, version, resource, subresource, dry_run}) mix(s);
    return h;
  }
};

// The metrics of one combination of labels.
struct RequestMetrics::Entry {
  explicit Entry(const Labels& l)
      : verb(l.verb),
        scope(l.scope),
        group(l.group),
        version(l.version),
        resource(l.resource),
        subresource(l.subresource),
        dry_run(l.dry_run),
        resource_request(l.resource_request) {}

  bool Matches(const Labels& l) const {
    return Labels{verb, scope, group, version, resource, subresource, dry_run, resource_request} == l;
  }
  base::Labels Common() const {
    return {{"component", resource_request ? "apiserver" : ""},
            {"group", group},
            {"resource", resource},
            {"scope", scope},
            {"subresource", subresource},
            {"verb", verb},
            {"version", version}};
  }

  const std::string verb, scope, group, version, resource, subresource, dry_run;
  const bool resource_request;
  std::vector<std::pair<int, base::Counter*>> total;  // by code
  base::Histogram* duration = nullptr;
  base::Histogram* objective = nullptr;
  base::Gauge* deprecated = nullptr;
  base::Counter* own = nullptr;
  base::Histogram* response_size = nullptr;
  base::Gauge* long_running = nullptr;
};

// Only its own thread touches it.
struct RequestMetrics::Table {
  std::unordered_multimap<size_t, std::unique_ptr<Entry>> entries;
};

RequestMetrics::RequestMetrics(base::Metrics& metrics, IsServed is_served)
    : metrics_(metrics), is_served_(std::move(is_served)), id_(next_id.fetch_add(1)) {}

RequestMetrics::Labels RequestMetrics::LabelsOf(const IncomingRequest& x) const {
  const endpoints::RequestInfo& info = x.info;
  Labels l{.scope = ScopeLabel(info),
           .dry_run = DryRunLabel(x.request),
           .resource_request = info.resource_request};
  l.verb = VerbLabel(x, l.scope);
  if (info.resource_request) {
    l.group = info.group;
    l.version = info.version;
    l.resource = info.resource;
    l.subresource = info.subresource;
  } else if (info.path == "/statusz" || info.path == "/flagz") {  // which are resources of no group
    l.resource = std::string_view(info.path).substr(1);
    l.resource_request = true;
  } else {
    l.subresource = info.path;
  }
  return l;
}

RequestMetrics::Entry& RequestMetrics::EntryOf(const IncomingRequest& x) {
  thread_local std::unordered_map<uint64_t, Table> tables;
  Table& table = tables[id_];
  Labels labels = LabelsOf(x);
  const auto find = [&]() -> Entry* {
    const auto [first, last] = table.entries.equal_range(labels.Hash());
    for (auto it = first; it != last; ++it)
      if (it->second->Matches(labels)) return it->second.get();
    return nullptr;
  };
  if (Entry* entry = find()) return *entry;
  if (!is_served_(x.info)) {
    labels.scope = labels.group = labels.version = labels.resource = labels.subresource = "";
    labels.resource_request = false;
    if (Entry* entry = find()) return *entry;
  }
  return *table.entries.emplace(labels.Hash(), std::make_unique<Entry>(labels))->second;
}

base::Gauge& RequestMetrics::LongRunning(const IncomingRequest& x) {
  Entry& entry = EntryOf(x);
  if (!entry.long_running)
    entry.long_running =
        &metrics_.GetGauge("apiserver_longrunning_requests",
                           "Long-running requests under way, watches among them.", entry.Common());
  return *entry.long_running;
}

void RequestMetrics::Finished(const IncomingRequest& x, int code, std::chrono::nanoseconds took,
                              uint64_t response_bytes) {
  Entry& entry = EntryOf(x);
  auto it =
      std::find_if(entry.total.begin(), entry.total.end(), [&](const auto& t) { return t.first == code; });
  if (it == entry.total.end()) {
    base::Labels labels = entry.Common();
    labels.insert(labels.begin(), {"code", std::to_string(code)});
    labels.insert(labels.begin() + 2, {"dry_run", entry.dry_run});
    entry.total.emplace_back(code, &metrics_.GetCounter("apiserver_request_total",
                                                        "Requests answered, by code.", std::move(labels)));
    it = entry.total.end() - 1;
  }
  it->second->Add();

  ObserveDurations(entry, x, took);
  if (x.notes.deprecated) MarkDeprecated(entry, x.notes.removed_release);
  if (x.user && x.user->name == kServerName) {
    if (!entry.own)
      entry.own = &metrics_.GetCounter("apiserver_selfrequest_total", "Requests of this server to itself.",
                                       {{"group", entry.group},
                                        {"resource", entry.resource},
                                        {"subresource", entry.subresource},
                                        {"verb", entry.verb}});
    entry.own->Add();
  }

  if (entry.verb != "GET" && entry.verb != "LIST") return;
  if (!entry.response_size)
    entry.response_size = &metrics_.GetHistogram(
        "apiserver_response_sizes", "Bytes of the bodies of read responses.", kSizeBounds, entry.Common());
  entry.response_size->Observe(static_cast<double>(response_bytes));
}

void RequestMetrics::ObserveDurations(Entry& entry, const IncomingRequest& x, std::chrono::nanoseconds took) {
  if (!entry.duration) {
    base::Labels labels = entry.Common();
    labels.insert(labels.begin() + 1, {"dry_run", entry.dry_run});
    entry.duration = &metrics_.GetHistogram("apiserver_request_duration_seconds",
                                            "Time from a request's arrival to the end of its response.",
                                            kDurationBounds, std::move(labels));
  }
  entry.duration->Observe(std::chrono::duration<double>(took).count());
  if (!entry.dry_run.empty() || x.long_running) return;
  if (!entry.objective)
    entry.objective = &metrics_.GetHistogram(
        "apiserver_request_sli_duration_seconds",
        "Time from a request's arrival to the end of its response, without what webhooks took and what it "
        "waited for a seat.",
        kObjectiveBounds, entry.Common());
  const auto own = took - x.notes.mutating_webhooks - x.notes.validating_webhooks - x.notes.queued;
  entry.objective->Observe(std::chrono::duration<double>(own).count());
}

void RequestMetrics::MarkDeprecated(Entry& entry, std::string_view removed_release) {
  if (!entry.deprecated)
    entry.deprecated = &metrics_.GetGauge("apiserver_requested_deprecated_apis",
                                          "Deprecated APIs that have been asked for: 1 for each.",
                                          {{"group", entry.group},
                                           {"removed_release", std::string(removed_release)},
                                           {"resource", entry.resource},
                                           {"subresource", entry.subresource},
                                           {"version", entry.version}});
  entry.deprecated->Set(1);
}

void RequestMetrics::Terminated(const IncomingRequest& x, int code) {
  base::Labels labels = EntryOf(x).Common();
  labels.insert(labels.begin(), {"code", std::to_string(code)});
  metrics_
      .GetCounter("apiserver_request_terminations_total",
                  "Requests that the server ended in self-defence, by code.", std::move(labels))
      .Add();
}

}  // namespace keelson::server
