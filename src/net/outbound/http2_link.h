// Http2Link: a connection of ours on which HTTP/2 is spoken: a link, and a session of calls on it.
//
// Threads:   the loop's own.
// Lifetime:  shared; it closes itself when the connection ends, when it has had no call for a while,
//            and after Retire. Whoever is the last to know it retires it, unless it is closed.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "base/task.h"
#include "net/http/client.h"
#include "net/http2/client_session.h"
#include "net/outbound/link.h"

namespace keelson::net::outbound {

class Http2Link final : public std::enable_shared_from_this<Http2Link>, private http2::ClientSession::Host {
 public:
  // Requires: `link` is open, belongs to `loop`, and its peer has chosen HTTP/2.
  static std::shared_ptr<Http2Link> Start(EventLoop& loop, std::shared_ptr<Link> link,
                                          std::chrono::nanoseconds idle_timeout);
  Http2Link(const Http2Link&) = delete;
  Http2Link& operator=(const Http2Link&) = delete;

  bool CanBegin() const { return !closed_ && session_.CanBegin(); }
  bool closed() const { return closed_; }
  // See ClientSession.
  std::shared_ptr<http2::ClientCall> Begin(const http::ClientRequest& request,
                                           std::optional<uint64_t> body_size);
  // No more calls begin; it closes with the last one.
  void Retire();

 private:
  Http2Link(EventLoop& loop, std::shared_ptr<Link> link, std::chrono::nanoseconds idle_timeout);
  void WantSend() override;
  void Receive();
  void Flush();
  static base::Task<void> FlushWhenDrained(std::shared_ptr<Http2Link> self);
  // Closes the link where it or the session has ended; arms the idle timer after the last call.
  void Settle();
  void OnIdleTimer();
  void Close();

  EventLoop& loop_;
  const std::shared_ptr<Link> link_;
  const std::chrono::nanoseconds idle_timeout_;
  http2::ClientSession session_;
  std::string frames_;  // kept for its capacity
  Timer idle_timer_;    // armed lazily: looks at idle_since_ when it fires
  TimePoint idle_since_;
  bool busy_ = false;  // since idle_since_
  bool flush_posted_ = false, drain_awaited_ = false, closed_ = false;
};

}  // namespace keelson::net::outbound
