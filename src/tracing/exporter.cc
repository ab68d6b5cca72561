#include "tracing/exporter.h"

#include <pthread.h>

#include <algorithm>
#include <utility>

#include "base/log.h"

namespace keelson::tracing {
namespace {

using net::grpc::Channel;
using net::grpc::Code;
using net::grpc::Status;
using std::chrono::steady_clock;

constexpr std::chrono::minutes kTellAgain{1};

// Whether the collector may take the same later.
bool Passes(const Status& status) {
  switch (status.code) {
    case Code::kCancelled:
    case Code::kDeadlineExceeded:
    case Code::kResourceExhausted:
    case Code::kOutOfRange:
    case Code::kUnavailable: return true;
    default: return status.unprocessed;
  }
}

base::Counter& Dropped(base::Metrics& metrics, std::string why) {
  return metrics.GetCounter("keelson_tracing_spans_dropped_total",
                            "Spans that no collector got: the queue was full, or it did not take them.",
                            {{"reason", std::move(why)}});
}

}  // namespace

Exporter::Exporter(ExporterOptions options, base::Metrics& metrics)
    : options_(std::move(options)),
      exported_(metrics.GetCounter("keelson_tracing_spans_exported_total", "Spans that the collector took.")),
      dropped_full_(Dropped(metrics, "queue_full")),
      dropped_failed_(Dropped(metrics, "export_failed")),
      delay_timer_(loop_.timers(), [this] { SendNext(); }),
      retry_timer_(loop_.timers(), [this] { Send(); }),
      thread_([this] { loop_.Run(); }) {
  pthread_setname_np(thread_.native_handle(), "tracing");
}

Exporter::~Exporter() {
  loop_.Stop();
  thread_.join();
}

void Exporter::Take(std::vector<base::SpanPtr> spans) {
  size_t dropped = 0;
  bool call = false, schedule = false;
  {
    const base::MutexLock lock(mu_);
    for (base::SpanPtr& span : spans) {
      const size_t bytes = span->Bytes();
      if (queue_.size() >= options_.most_queued || queued_bytes_ + bytes > options_.most_queued_bytes) {
        ++dropped;
        continue;
      }
      queued_bytes_ += bytes;
      queue_.push_back(std::move(span));
    }
    if (queue_.size() >= options_.batch)
      call = !std::exchange(called_, true);
    else if (!queue_.empty())
      schedule = !std::exchange(scheduled_, true);
  }
  if (dropped > 0) {
    dropped_full_.Add(dropped);
    TellDropped(dropped, "the queue is full");
  }
  if (call)
    loop_.Post([this] { SendNext(); });
  else if (schedule)
    loop_.Post([this] { delay_timer_.Start(options_.delay); });
}

void Exporter::Flush(net::Duration limit) {
  auto flushed = std::make_shared<std::promise<void>>();
  auto done = flushed->get_future();
  loop_.Post([this, flushed = std::move(flushed)] {
    flushed_ = flushed;
    retry_timer_.Cancel();
    if (batch_)
      Send();
    else
      SendNext();
  });
  done.wait_for(limit);
}

void Exporter::FinishFlush() {
  if (flushed_) std::exchange(flushed_, nullptr)->set_value();
}

// Takes the next batch, unless one is on its way.
void Exporter::SendNext() {
  std::vector<base::SpanPtr> spans;
  {
    if (batch_) return;  // who ends it looks again
    const base::MutexLock lock(mu_);
    scheduled_ = called_ = false;
    while (!queue_.empty() && spans.size() < options_.batch) {
      queued_bytes_ -= queue_.front()->Bytes();
      spans.push_back(std::move(queue_.front()));
      queue_.pop_front();
    }
  }
  delay_timer_.Cancel();
  if (spans.empty()) return FinishFlush();
  batch_ = std::make_unique<Batch>(Batch{.message = EncodeExport(options_.resource, spans),
                                         .spans = spans.size(),
                                         .first_try = steady_clock::now()});
  Send();
}

void Exporter::Send() {
  if (!batch_ || sending_) return;
  if (!channel_) return Connect();
  if (!channel_->up()) return;  // it says when it is, or that it is not
  sending_ = true;
  auto answer = std::make_shared<base::Slice>();
  channel_->Call(kExportMethod, batch_->message, options_.timeout,
                 {.on_message = [answer](base::Slice message) { *answer = std::move(message); },
                  .on_end = [this, answer](Status status) { OnEnd(*answer, status); }});
}

void Exporter::Connect() {
  channel_ = std::make_unique<Channel>(
      loop_, options_.target, net::grpc::ChannelOptions{.connect_timeout = options_.timeout},
      Channel::Events{.on_up = [this] { Send(); },
                      .on_down = [this](const std::string& why) { OnDown(why); }});
}

void Exporter::OnDown(const std::string& why) {
  // The channel is up the stack.
  loop_.Post([gone = std::move(channel_)] {});
  if (batch_ && !retry_timer_.armed()) TryLater(options_.target.Show() + ": " + why);
}

void Exporter::OnEnd(const base::Slice& answer, const Status& status) {
  sending_ = false;
  if (status.ok()) return Delivered(answer.view());
  if (Passes(status)) return TryLater(status.message);
  Drop(status.message);
}

void Exporter::Delivered(std::string_view answer) {
  const auto partial = DecodeExported(answer);
  const size_t rejected =
      partial ? std::min<size_t>(static_cast<size_t>(std::max<int64_t>(partial->rejected, 0)), batch_->spans)
              : 0;
  exported_.Add(batch_->spans - rejected);
  if (rejected > 0) {
    dropped_failed_.Add(rejected);
    TellDropped(rejected, partial->why);
  }
  batch_.reset();
  LookAgain();
}

// After a batch: goes on at once if there is another, else after the delay.
void Exporter::LookAgain() {
  bool at_once = false;
  {
    const base::MutexLock lock(mu_);
    at_once = queue_.size() >= options_.batch || flushed_;
    if (!at_once && queue_.empty()) return;
    scheduled_ = true;
  }
  if (at_once) return SendNext();
  delay_timer_.Start(options_.delay);
}

void Exporter::TryLater(const std::string& why) {
  const bool too_late = steady_clock::now() + options_.retry_pause > batch_->first_try + options_.give_up;
  if (flushed_ || too_late) return Drop(why);
  retry_timer_.Start(options_.retry_pause);
}

void Exporter::Drop(const std::string& why) {
  const size_t spans = batch_->spans;
  batch_.reset();
  dropped_failed_.Add(spans);
  TellDropped(spans, why);
  if (flushed_) return FinishFlush();
  LookAgain();
}

void Exporter::TellDropped(size_t spans, std::string_view why) {
  {
    const base::MutexLock lock(mu_);
    untold_ += spans;
    const auto now = steady_clock::now();
    if (told_ != steady_clock::time_point() && now - told_ < kTellAgain) return;
    told_ = now;
    spans = std::exchange(untold_, 0);
  }
  base::Log(base::LogLevel::kWarning, "spans were dropped: the collector did not get them",
            {{"spans", static_cast<int64_t>(spans)}, {"collector", options_.target.Show()}, {"why", why}});
}

}  // namespace keelson::tracing
