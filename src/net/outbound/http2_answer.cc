#include "net/outbound/http2_answer.h"

#include <utility>
#include <vector>

namespace keelson::net::outbound {
namespace {

using http2::ClientCall;

// Sends a request's body until it ends, or nobody wants it any more. It is asked for a piece only when the
// one before is sent.
base::Task<void> SendHttp2Body(std::shared_ptr<Undertaking> undertaking, std::shared_ptr<ClientCall> call,
                               http::BodyReader& body) {
  while (!call->over()) {
    auto piece = co_await body.Read();
    if (!piece) co_return call->Fail("EOF");  // the server must not take it for the whole
    if (!*piece) break;
    if ((*piece)->empty()) continue;
    call->Send(*std::move(*piece));
    co_await call->Sent();
    undertaking->BodyProgressed();
  }
  call->EndBody();
  undertaking->BodySent();
}

// The body of an answer as it arrives. Its end is the end of the call.
class Http2AnswerBody final : public http::BodySource {
 public:
  Http2AnswerBody(std::shared_ptr<Undertaking> undertaking, std::shared_ptr<ClientCall> call)
      : undertaking_(std::move(undertaking)), call_(std::move(call)), size_(call_->content_length()) {
    call_->set_on_input([this] { Wake(); });
  }
  ~Http2AnswerBody() override {
    call_->set_on_input(nullptr);
    undertaking_->LetGo();
    call_->Fail("context canceled");
  }

  State Next(size_t limit, std::vector<base::Slice>& out) override {
    if (draining_) return State::kFailed;
    const std::string_view bytes = call_->input().substr(0, limit);
    const bool any = !bytes.empty();
    if (any) {
      out.push_back(base::Slice::Copy(bytes));
      call_->Consume(bytes.size());
    }
    if (!call_->input().empty()) return State::kMore;
    if (call_->ended()) return State::kEnd;
    if (call_->over()) return State::kFailed;
    return any ? State::kMore : State::kSleep;
  }
  std::optional<uint64_t> Size() const override { return size_; }
  void Drain() override {
    if (size_) return;
    draining_ = true;
    Wake();
  }

 private:
  const std::shared_ptr<Undertaking> undertaking_;
  const std::shared_ptr<ClientCall> call_;
  const std::optional<uint64_t> size_;
  bool draining_ = false;
};

}  // namespace

base::Task<base::Result<http::Response, http::ClientError>> SendByHttp2(
    std::shared_ptr<Http2Link> link, const http::ClientRequest& request,
    std::shared_ptr<Undertaking> undertaking) {
  using Answer = base::Result<http::Response, http::ClientError>;
  const auto size = request.body ? request.body->Size() : std::optional<uint64_t>(0);
  const auto call = link->Begin(request, size);
  link.reset();
  undertaking->Use(call);
  if (request.body && size != 0) {
    base::Spawn(SendHttp2Body(undertaking, call, *request.body));
  } else {
    undertaking->BodySent();
  }
  if (!co_await call->Answered()) {
    const ClientCall::Failure& failure = call->failure();
    co_return Answer(base::Err(http::ClientError{.kind = http::ClientError::Kind::kBroken,
                                                 .message = failure.why,
                                                 .timed_out = undertaking->timed_out(),
                                                 .reused = failure.unheard,
                                                 .unprocessed = failure.unprocessed}));
  }
  undertaking->HeadArrived();
  http::Response response;
  response.status = call->status();
  response.headers = call->TakeHeaders();
  if (call->ended() && call->input().empty()) {
    undertaking->LetGo();
    call->Fail("context canceled");  // what is left of the request's body
  } else {
    response.body = std::make_unique<Http2AnswerBody>(std::move(undertaking), call);
  }
  co_return Answer(std::move(response));
}

}  // namespace keelson::net::outbound
