#include "etcd/message_queue.h"

#include <utility>
#include <vector>

#include "net/grpc/message_reader.h"

namespace keelson::etcd {
namespace {

using net::grpc::Status;
using net::http::BodySource;

// What a client may be behind with before it has to start over.
constexpr size_t kMostQueued = size_t{256} << 20;

net::http::Headers StatusFields(const Status& status) {
  net::http::Headers fields;
  fields.Add("grpc-status", std::to_string(static_cast<int>(status.code)));
  if (!status.message.empty()) fields.Add("grpc-message", net::grpc::EncodeMessage(status.message));
  return fields;
}

}  // namespace

class MessageQueue::Body final : public BodySource {
 public:
  explicit Body(std::shared_ptr<MessageQueue> queue) : queue_(std::move(queue)) {
    queue_->wake_ = [this] { Wake(); };
  }
  ~Body() override { queue_->Close(); }

  State Next(size_t limit, std::vector<base::Slice>& out) override {
    for (size_t given = 0; given < limit && !queue_->pieces_.empty();) {
      given += queue_->pieces_.front().size();
      queue_->queued_bytes_ -= queue_->pieces_.front().size();
      out.push_back(std::move(queue_->pieces_.front()));
      queue_->pieces_.pop_front();
    }
    if (!queue_->pieces_.empty()) return State::kMore;
    return queue_->ended_ ? State::kEnd : State::kSleep;
  }
  net::http::Headers Trailers() override { return StatusFields(queue_->status_); }
  void Drain() override {
    queue_->End({.code = net::grpc::Code::kUnavailable, .message = "etcdserver: server stopped"});
  }

 private:
  const std::shared_ptr<MessageQueue> queue_;
};

void MessageQueue::Close() {
  closed_ = true;
  wake_ = nullptr;
  pieces_.clear();
  if (on_closed_) std::exchange(on_closed_, nullptr)();
}

void MessageQueue::Push(std::string_view message) {
  if (closed_ || ended_) return;
  const net::grpc::MessageHead head(message.size());
  base::BufferBuilder framed(head.view().size() + message.size());
  framed.Append(head.view());
  framed.Append(message);
  queued_bytes_ += framed.size();
  pieces_.push_back(framed.Take());
  if (queued_bytes_ > kMostQueued)
    return End(
        {.code = net::grpc::Code::kResourceExhausted, .message = "etcdserver: the client is too slow"});
  if (wake_) wake_();
}

void MessageQueue::End(Status status) {
  if (closed_ || std::exchange(ended_, true)) return;
  status_ = std::move(status);
  if (wake_) wake_();
}

net::http::Response MessageQueue::MakeResponse() {
  net::http::Response response;
  response.headers.Add("content-type", "application/grpc");
  response.body = std::make_unique<Body>(shared_from_this());
  return response;
}

net::http::Response StatusResponse(const Status& status) {
  net::http::Response response;
  response.headers = StatusFields(status);
  response.headers.Add("content-type", "application/grpc");
  return response;
}

}  // namespace keelson::etcd
