// BodyPump: pulls a response's body out of its source as the connection has room, and
// keeps what was given but not yet sent.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/slice.h"
#include "net/http/body.h"
#include "net/session/session.h"

namespace keelson::net {

class BodyPump {
 public:
  ~BodyPump() { Reset(); }

  // `on_wake` is called when a sleeping source has something again.
  void Start(std::unique_ptr<http::BodySource> source, std::function<void()> on_wake);
  bool started() const { return source_ != nullptr; }

  // Asks the source until `want` bytes are queued or it has no more for now. When nothing
  // is queued afterwards and the pump neither sleeps nor ended, ask again in a later turn.
  void Fill(size_t want);

  size_t queued() const { return queued_; }
  bool sleeping() const { return state_ == http::BodySource::State::kSleep; }
  bool source_ended() const { return state_ == http::BodySource::State::kEnd; }
  bool finished() const { return source_ended() && queued_ == 0; }
  // The source failed, and all that it gave before has been taken: the body ends here, and the client
  // must be able to tell.
  bool broken() const { return state_ == http::BodySource::State::kFailed && queued_ == 0; }

  // Moves the first `n` queued bytes on. Requires: n <= queued().
  void Take(size_t n, Sink& sink);

  // Of the source, which has ended.
  http::Headers Trailers() { return source_ ? source_->Trailers() : http::Headers(); }

  void Drain() {
    if (source_) source_->Drain();
  }
  // Drops the source and what is queued.
  void Reset();

 private:
  void OnWake();

  std::unique_ptr<http::BodySource> source_;
  std::function<void()> on_wake_;
  std::vector<base::Slice> slices_;
  uint32_t head_ = 0;  // first slice not fully taken
  http::BodySource::State state_ = http::BodySource::State::kEnd;
  bool asking_ = false;  // inside Next
  bool woken_ = false;   // woken while asking: the answer "asleep" is out of date
  size_t queued_ = 0;
};

}  // namespace keelson::net
