// The body of a watch: events as they happen, bookmarks in between, an orderly end.
#pragma once

#include <chrono>
#include <memory>

#include "base/clock.h"
#include "base/executor.h"
#include "endpoints/object_format.h"
#include "endpoints/watch_metrics.h"
#include "net/http/body.h"
#include "registry/rest/types.h"

namespace keelson::endpoints {

struct WatchTiming {
  std::chrono::nanoseconds timeout{};  // the watch ends after this
  bool bookmarks = false;              // the client understands them
  std::chrono::nanoseconds bookmark_interval = std::chrono::seconds(60);
};

// What the watch is counted for; null: it is not.
struct CountedWatch {
  WatchMetrics* metrics = nullptr;
  WatchMetrics::Series* series = nullptr;
  WatchMetrics::Scope scope = WatchMetrics::Scope::kCluster;
};

// How one event is told from the next.
enum class WatchFraming : uint8_t {
  kStream,     // as the medium has it: lines of JSON, lengths before protobuf
  kWebSocket,  // each is a message: text for JSON, else binary; whole in each Next
};

// `executor` runs the timers: the loop the source will be asked on.
// Requires: the format's media is not YAML, which has no streams.
std::unique_ptr<net::http::BodySource> WatchBody(std::unique_ptr<ObjectFormat> format,
                                                 std::unique_ptr<registry::rest::WatchStream> stream,
                                                 WatchTiming timing, WatchFraming framing,
                                                 const base::Clock& clock, base::Executor& executor,
                                                 CountedWatch counted = {});

// One ERROR event and the end: how a watch that cannot begin is answered.
base::Slice ErrorFrame(const api::Status& status, Media media, WatchFraming framing);

}  // namespace keelson::endpoints
