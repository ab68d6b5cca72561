#include "net/http2/client_call.h"

#include <utility>

#include "net/http2/client_session.h"

namespace keelson::net::http2 {

base::Task<bool> ClientCall::Answered() {
  while (!answered_ && !over()) {
    head_wait_.emplace();
    base::Completion<bool> told = *head_wait_;
    co_await told;
  }
  co_return answered_;
}

base::Task<void> ClientCall::Sent() {
  while (!piece_.empty() && !over()) {
    sent_wait_.emplace();
    base::Completion<bool> told = *sent_wait_;
    co_await told;
  }
}

void ClientCall::Consume(size_t n) {
  consumed_ += n;
  if (consumed_ == input_.size()) {
    input_.clear();
    consumed_ = 0;
  }
  if (!over()) session_->Consumed(*this, n);
}

void ClientCall::Send(base::Slice piece) {
  if (over()) return;
  if (body_left_ && piece.size() > *body_left_)
    return Fail("http: the body is longer than its Content-Length");
  if (body_left_) *body_left_ -= piece.size();
  body_ended_ = body_left_ == 0;
  piece_ = std::move(piece);
  session_->Resume(*this);
}

void ClientCall::EndBody() {
  if (over() || body_ended_) return;
  if (body_left_.value_or(0) > 0) return Fail("http: the body is shorter than its Content-Length");
  body_ended_ = true;
  session_->Resume(*this);
}

void ClientCall::Fail(std::string why) {
  if (over()) return;
  const auto connection = connection_;  // as the session lets go of it
  session_->Cancel(*this, std::move(why));
}

void ClientCall::Notify(Wait& wait) {
  if (wait) std::exchange(wait, std::nullopt)->Set(true);
}

void ClientCall::TellNews() {
  has_news_ = false;
  if (answered_ || over()) Notify(head_wait_);
  if (piece_.empty() || over()) Notify(sent_wait_);
  if (on_input_) on_input_();
}

}  // namespace keelson::net::http2
