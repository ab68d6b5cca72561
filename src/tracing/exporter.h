// Exporter: sends ended spans to a collector (OTLP over gRPC, without TLS), in batches.
//
// A request adds its spans to a queue and waits for nobody. The queue is
// bounded by their number and their bytes; what does not fit, and what the collector does not take, is
// dropped, counted and told.
#pragma once

#include <chrono>
#include <deque>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/metrics.h"
#include "base/mutex.h"
#include "base/trace.h"
#include "net/grpc/channel.h"
#include "net/loop/event_loop.h"
#include "tracing/otlp.h"

namespace keelson::tracing {

struct ExporterOptions {
  net::grpc::Target target;
  Resource resource;
  size_t most_queued = 2048;
  size_t most_queued_bytes = size_t{16} << 20;
  size_t batch = 512;                             // sent at once, as soon as there are as many
  net::Duration delay = std::chrono::seconds(5);  // after which fewer are sent, too
  net::Duration timeout = std::chrono::seconds(10);
  // A batch that the collector cannot take at the moment is sent again after `retry_pause`, for so long.
  net::Duration retry_pause = std::chrono::seconds(5);
  net::Duration give_up = std::chrono::minutes(1);
};

// Threads: Take on any; it has a thread of its own.
class Exporter final : public base::SpanSink {
 public:
  // Connects when there is something to send.
  Exporter(ExporterOptions options, base::Metrics& metrics);
  // Drops what is still queued.
  ~Exporter();
  Exporter(const Exporter&) = delete;
  Exporter& operator=(const Exporter&) = delete;

  void Take(std::vector<base::SpanPtr> spans) override;

  // Sends what is queued and waits for it, for `limit` at most; not for a collector that is not there. For
  // the end of the process.
  void Flush(net::Duration limit);

 private:
  // A batch on its way.
  struct Batch {
    std::string message;
    size_t spans = 0;
    net::TimePoint first_try;
  };

  // These are the loop's.
  void SendNext();
  void LookAgain();
  void Send();
  void Connect();
  void OnDown(const std::string& why);
  void OnEnd(const base::Slice& answer, const net::grpc::Status& status);
  void Delivered(std::string_view answer);
  void TryLater(const std::string& why);
  void Drop(const std::string& why);
  void FinishFlush();

  // Says that spans were dropped, from time to time.
  void TellDropped(size_t spans, std::string_view why);

  const ExporterOptions options_;
  base::Counter& exported_;
  base::Counter& dropped_full_;
  base::Counter& dropped_failed_;

  base::Mutex mu_;
  std::deque<base::SpanPtr> queue_ GUARDED_BY(mu_);
  size_t queued_bytes_ GUARDED_BY(mu_) = 0;
  bool scheduled_ GUARDED_BY(mu_) = false;  // somebody will look at the queue after the delay
  bool called_ GUARDED_BY(mu_) = false;     // somebody will look at once
  std::chrono::steady_clock::time_point told_ GUARDED_BY(mu_);
  size_t untold_ GUARDED_BY(mu_) = 0;

  net::EventLoop loop_;
  std::unique_ptr<net::grpc::Channel> channel_;
  std::unique_ptr<Batch> batch_;  // null: nothing is on its way
  bool sending_ = false;          // the batch is with the collector
  net::Timer delay_timer_, retry_timer_;
  std::shared_ptr<std::promise<void>> flushed_;  // not null: somebody waits
  std::thread thread_;                           // last: it uses all of the above
};

}  // namespace keelson::tracing
