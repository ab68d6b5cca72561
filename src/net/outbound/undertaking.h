// Undertaking: one request under way, and what ends it before its time: the departure of the client that it
// is for, and its timeouts.
//
// Threads: the loop's own.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "net/http/client.h"
#include "net/http/endable.h"
#include "net/loop/event_loop.h"

namespace keelson::net::outbound {

class Undertaking {
 public:
  Undertaking(EventLoop& loop, const http::ClientRequest& request)
      : head_timeout_(request.head_timeout),
        head_timer_(loop.timers(), [this] { TimeOut("net/http: timeout awaiting response headers"); }),
        whole_timer_(loop.timers(), [this] { TimeOut("context deadline exceeded"); }) {
    const auto whole = request.whole_timeout;
    if (whole.count() > 0) whole_timer_.Start(whole);
    // One of them is enough where they would end together.
    if (head_timeout_.count() > 0 && head_timeout_ != whole) head_timer_.Start(head_timeout_);
  }

  // What is to end with it: the connection, or what else it waits for. It replaces what was given before.
  void Use(std::shared_ptr<http::Endable> used) { used_ = std::move(used); }
  // The request's head, which is to be sent before anything else; empty: it has been.
  void SetHead(std::string head) { head_ = std::move(head); }
  std::string TakeHead() { return std::exchange(head_, {}); }
  // It ends nothing from here on.
  void LetGo() {
    head_timer_.Cancel();
    whole_timer_.Cancel();
    used_.reset();
  }
  void HeadArrived() { head_timer_.Cancel(); }
  // The whole request went out.
  void BodySent() { body_sent_ = true; }
  bool body_sent() const { return body_sent_; }
  // Some of the request's body went out: nobody answers before the rest.
  void BodyProgressed() {
    if (head_timer_.armed()) head_timer_.Start(head_timeout_);
  }
  void GiveUp(std::string why) {
    if (why_.empty()) why_ = std::move(why);
    if (const auto used = used_) used->Fail(why_);
  }
  // Empty: go on.
  const std::string& why_given_up() const { return why_; }
  bool timed_out() const { return timed_out_; }

 private:
  void TimeOut(std::string why) {
    timed_out_ = timed_out_ || why_.empty();
    GiveUp(std::move(why));
  }

  const std::chrono::nanoseconds head_timeout_;
  Timer head_timer_, whole_timer_;
  std::shared_ptr<http::Endable> used_;
  std::string head_;
  std::string why_;
  bool timed_out_ = false, body_sent_ = false;
};

}  // namespace keelson::net::outbound
