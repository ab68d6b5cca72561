// BodyWithDeadline: a request's body that fails once its request is out of time.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "net/http/body.h"

namespace keelson::server {

class BodyWithDeadline final : public net::http::BodyReader {
 public:
  // Null: there is no body to read.
  explicit BodyWithDeadline(net::http::BodyReader* body) : body_(body) {}

  base::Task<base::Result<std::optional<base::Slice>, net::http::BodyError>> Read() override {
    using Piece = base::Result<std::optional<base::Slice>, net::http::BodyError>;
    const std::shared_ptr<State> state = state_;  // this may be gone when the read is over
    if (state->expired || !body_) co_return Piece(base::Err(net::http::BodyError::kTimeout));
    state->reading = true;
    Piece piece = co_await body_->Read();
    state->reading = false;
    if (piece && *piece) state->read_bytes += (*piece)->size();
    if (state->expired) co_return Piece(base::Err(net::http::BodyError::kTimeout));
    co_return piece;
  }
  std::optional<uint64_t> Size() const override { return body_ ? body_->Size() : std::nullopt; }
  void WhenGone(std::function<void()> gone) override {
    if (body_ && !state_->expired) body_->WhenGone(std::move(gone));
  }

  uint64_t read_bytes() const { return state_->read_bytes; }
  // A read is under way: the connection must stay until it returns.
  bool reading() const { return state_->reading; }
  // Reads fail from now on, one that is under way soon; the connection's reader is not touched again.
  void Expire() override {
    if (!std::exchange(state_->expired, true) && state_->reading) body_->Expire();
  }

 private:
  net::http::BodyReader* const body_;
  struct State {
    bool reading = false;
    bool expired = false;
    uint64_t read_bytes = 0;
  };
  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace keelson::server
