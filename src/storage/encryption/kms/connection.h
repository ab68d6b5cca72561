// Connection: calls to a key service over its socket. It connects when there is something to ask, waits while
// the service is not there, and connects again after a loss.
//
// Threads: the loop's own, but for Ask.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/slice.h"
#include "net/grpc/channel.h"

namespace keelson::storage::encryption::kms {

class Connection {
 public:
  // The error is ready to be shown.
  using Answer = base::Result<base::Slice, std::string>;
  using Done = std::move_only_function<void(Answer)>;

  // Destroyed on the loop's thread, or when the loop runs no more.
  Connection(net::EventLoop& loop, std::string socket, net::Duration timeout);
  ~Connection();

  // `method`: a constant. `done` is called on the loop, within the timeout.
  void Call(std::string_view method, std::string message, Done done);

  // Blocks until there is an answer. Any thread but the loop's.
  Answer Ask(std::string_view method, std::string message);

 private:
  struct PendingCall {
    std::string_view method;
    std::string message;
    Done done;
    net::TimePoint deadline;
  };

  void Connect();
  void Submit(PendingCall call);
  void OnUp();
  void OnDown(const std::string& why);
  void GiveUpWaiting();

  net::EventLoop& loop_;
  const net::grpc::Target target_;
  const net::Duration timeout_;
  std::string trouble_;
  std::unique_ptr<net::grpc::Channel> channel_;
  std::deque<PendingCall> waiting_;  // for a connection
  net::Timer connect_timer_, waiting_timer_;
};

}  // namespace keelson::storage::encryption::kms
