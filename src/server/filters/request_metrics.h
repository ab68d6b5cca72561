// Counts and times requests, under upstream's metric names.
//
// A request costs one lookup in a table of this thread; the shared registry is asked only
// when a combination of labels is new to the thread. Labels come from what is served, never
// from what a client makes up, so their number is bounded.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string_view>

#include "base/metrics.h"
#include "server/incoming_request.h"

namespace keelson::server {

// How metrics, spans and the log label a request: "resource", "namespace" or "cluster"; empty: it is for no
// resource.
std::string_view ScopeLabel(const endpoints::RequestInfo& info);
// By the method and the scope: a collection is deleted by DELETE. "LIST", "APPLY", "other".
std::string_view VerbLabel(const IncomingRequest& incoming, std::string_view scope);

class RequestMetrics {
 public:
  // Whether a resource (with its subresource) exists, or a path that is no resource.
  using IsServed = std::function<bool(const endpoints::RequestInfo&)>;

  RequestMetrics(base::Metrics& metrics, IsServed is_served);

  // One long-running request under way: Add(1), later Add(-1).
  base::Gauge& LongRunning(const IncomingRequest& incoming);
  void Finished(const IncomingRequest& incoming, int code, std::chrono::nanoseconds took,
                uint64_t response_bytes);
  // The server ended it in self-defence.
  void Terminated(const IncomingRequest& incoming, int code);

 private:
  struct Labels;
  struct Entry;
  struct Table;
  Labels LabelsOf(const IncomingRequest& incoming) const;
  Entry& EntryOf(const IncomingRequest& incoming);
  void ObserveDurations(Entry& entry, const IncomingRequest& incoming, std::chrono::nanoseconds took);
  void MarkDeprecated(Entry& entry, std::string_view removed_release);

  base::Metrics& metrics_;
  const IsServed is_served_;
  const uint64_t id_;  // tells the tables of different instances apart
};

}  // namespace keelson::server
