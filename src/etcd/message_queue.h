// MessageQueue: the answer to a gRPC call as it grows. Messages go in at one end, and the connection takes
// them at the other.
//
// Threads: the connection's loop.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/slice.h"
#include "net/grpc/status.h"
#include "net/http/message.h"

namespace keelson::etcd {

class MessageQueue : public std::enable_shared_from_this<MessageQueue> {
 public:
  // The client does not wait for more, or was too slow: nobody takes messages any longer.
  bool closed() const { return closed_; }
  // Nothing once it is closed or has ended.
  void Push(std::string_view message);
  void End(net::grpc::Status status);
  // Called once, when it is closed.
  void set_on_closed(std::function<void()> on_closed) { on_closed_ = std::move(on_closed); }

  // The whole HTTP response. Called once.
  net::http::Response MakeResponse();

 private:
  class Body;
  void Close();

  std::deque<base::Slice> pieces_;
  size_t queued_bytes_ = 0;
  net::grpc::Status status_;
  bool ended_ = false, closed_ = false;
  std::function<void()> wake_, on_closed_;
};

// The response to a call that ends with `status` and no message.
net::http::Response StatusResponse(const net::grpc::Status& status);

}  // namespace keelson::etcd
