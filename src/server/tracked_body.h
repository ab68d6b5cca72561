// TrackedBody: a response's body that says when it has nothing to give for the first time, and when it is
// through, sent or given up.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "net/http/body.h"

namespace keelson::server {

// Bodies known to be shorter are as good as sent once they are made.
inline constexpr uint64_t kSmallBody = 64 * 1024;

class TrackedBody final : public net::http::BodySource {
 public:
  // `done` is called once, with the bytes given out, when the body is destroyed.
  using Done = std::move_only_function<void(uint64_t)>;

  // `idle`, where there is one, is called once before that: when the body sleeps for the first time.
  using Idle = std::move_only_function<void()>;

  TrackedBody(std::unique_ptr<net::http::BodySource> body, Done done, Idle idle = {})
      : body_(std::move(body)), done_(std::move(done)), idle_(std::move(idle)) {
    body_->set_waker([this] { Wake(); });
  }
  ~TrackedBody() override {
    body_.reset();
    done_(sent_bytes_);
  }

  State Next(size_t limit, std::vector<base::Slice>& out) override {
    const size_t before = out.size();
    const State state = body_->Next(limit, out);
    for (size_t i = before; i < out.size(); ++i) sent_bytes_ += out[i].size();
    if (state == State::kSleep && idle_) std::exchange(idle_, {})();
    return state;
  }
  std::optional<uint64_t> Size() const override { return body_->Size(); }
  void Drain() override { body_->Drain(); }

 private:
  std::unique_ptr<net::http::BodySource> body_;
  Done done_;
  Idle idle_;
  uint64_t sent_bytes_ = 0;
};

}  // namespace keelson::server
