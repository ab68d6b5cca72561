// Drives a Session with bytes from memory: no socket, no thread, time by hand.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "net/session/session.h"

namespace keelson::net::testing {

// Runs posted work when told to.
class ManualExecutor final : public base::Executor {
 public:
  void Post(Work work) override { queue_.push_back(std::move(work)); }
  void PostAfter(Duration, Work work) override { queue_.push_back(std::move(work)); }
  // Runs `work` as if posted, then everything queued, and what that posts.
  void Run(const std::function<void()>& work);
  bool idle() const { return queue_.empty(); }

 private:
  std::deque<Work> queue_;
};

class MemoryTransport final : private Session::Host, private Sink {
 public:
  using MakeSession = std::unique_ptr<Session> (*)(SessionContext&, Session::Host&,
                                                   std::shared_ptr<const http::ConnectionInfo>);

  MemoryTransport(const ServerConfig& config, http::Handler& handler, MakeSession make);
  ~MemoryTransport();

  // Gives `bytes` to the session and takes what it sends, until nothing moves.
  void Feed(std::string_view bytes);
  void Advance(Duration by);
  void Drain();
  // The connection is lost.
  void Disconnect();

  bool finished() const { return !session_ || session_->finished(); }
  const std::string& sent() const { return sent_; }
  int handlers_running() const { return context_.handlers_running; }

 private:
  void WantSend() override {}
  void WantReceive() override {}
  void Append(std::string_view bytes) override;
  void Settle();

  ManualExecutor executor_;
  Timers timers_;
  SessionContext context_;
  std::unique_ptr<Session> session_;
  std::string held_back_;  // fed while the session could not take it
  std::string sent_;       // the first kKeptBytes of it
};

}  // namespace keelson::net::testing
