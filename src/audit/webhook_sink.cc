#include "audit/webhook_sink.h"

#include "audit/buffered.h"
#include "base/mutex.h"

namespace keelson::audit {
namespace {

constexpr std::string_view kListHead =
    R"({"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[)";
constexpr std::chrono::seconds kLastWords{10};

std::string ListOf(const Batch& batch) {
  size_t bytes = kListHead.size() + 2;
  for (const Waiting& event : batch) bytes += event.text.bytes + 2;
  std::string body;
  body.reserve(bytes);
  body += kListHead;
  for (const Waiting& event : batch) {
    body += body.size() > kListHead.size() ? ",{" : "{";
    const size_t begun = body.size();
    event.text.ForEach([&](std::string_view piece) {
      body += body.size() == begun ? piece.substr(kEventHead.size()) : piece;
    });
    body.pop_back();  // the line break
  }
  return body += "]}";
}

// What is under way, and outlives the sink where it takes too long.
class Sending {
 public:
  Sending(PostEvents post, base::Metrics& metrics) : post_(std::move(post)), lost_(metrics, "webhook") {}

  void Begin(size_t events) {
    base::MutexLock lock(mu_);
    events_ += events;
  }
  base::Task<void> Send(Batch batch) {
    const auto sent = co_await post_(ListOf(batch));
    if (!sent) lost_.Lost(batch.size(), sent.error());
    for (const Waiting& event : batch)
      if (event.done) event.done->Set(sent.has_value());
    base::MutexLock lock(mu_);
    events_ -= batch.size();
    changed_.NotifyAll();
  }
  // Waits for all, a while.
  void Finish() {
    const auto until = std::chrono::steady_clock::now() + kLastWords;
    base::MutexLock lock(mu_);
    while (events_ > 0)
      if (!changed_.WaitUntil(mu_, until)) break;
    if (events_ > 0) lost_.Lost(events_, "the server ends before the webhook has taken them");
  }

 private:
  const PostEvents post_;
  Errors lost_;
  base::Mutex mu_;
  base::CondVar changed_;
  size_t events_ GUARDED_BY(mu_) = 0;
};

class WebhookSink final : public Sink {
 public:
  WebhookSink(const WebhookConfig& config, base::Executor& loop, PostEvents post, base::Metrics& metrics)
      : loop_(loop), sending_(std::make_shared<Sending>(std::move(post), metrics)) {
    const Mode mode = ModeOf(config.batch.mode);
    BatchConfig batches = BatchConfigOf(mode, config.batch);
    if (config.truncate.enabled) batches.bytes = static_cast<size_t>(config.truncate.max_batch_size);
    buffered_ = std::make_shared<Buffered>(mode, batches, config.truncate, metrics,
                                           [this](Batch batch) { Deliver(std::move(batch)); });
  }
  ~WebhookSink() override { buffered_->End(); }
  WebhookSink(const WebhookSink&) = delete;
  WebhookSink& operator=(const WebhookSink&) = delete;

  Mode mode() const override { return buffered_->mode(); }
  void End() override {
    buffered_->End();
    sending_->Finish();
  }
  std::optional<base::Completion<bool>> Take(Telling& telling) override {
    auto json = buffered_->Fit(telling);
    if (!json) return std::nullopt;
    return buffered_->Take(*std::move(json), telling.stage());
  }

 private:
  static base::Task<void> Send(std::shared_ptr<Sending> sending, std::shared_ptr<Buffered> buffered,
                               Batch batch) {
    size_t bytes = 0;
    for (const Waiting& event : batch) bytes += event.text.bytes;
    co_await sending->Send(std::move(batch));
    buffered->Delivered(bytes);
  }

  void Deliver(Batch batch) {
    sending_->Begin(batch.size());
    loop_.Post([sending = sending_, buffered = buffered_, batch = std::move(batch)]() mutable {
      base::Spawn(Send(std::move(sending), std::move(buffered), std::move(batch)));
    });
  }

  base::Executor& loop_;
  const std::shared_ptr<Sending> sending_;
  std::shared_ptr<Buffered> buffered_;
};

}  // namespace

std::unique_ptr<Sink> MakeWebhookSink(const WebhookConfig& config, base::Executor& loop, PostEvents post,
                                      base::Metrics& metrics) {
  return std::make_unique<WebhookSink>(config, loop, std::move(post), metrics);
}

}  // namespace keelson::audit
