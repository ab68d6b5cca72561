// GrpcServer: answers calls on a unix socket, for tests: with one message each way, or as streams that the
// test pushes messages into.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/mutex.h"

namespace keelson::net::testing {

struct GrpcAnswer {
  int code = 0;         // grpc-status
  std::string message;  // the answer, or grpc-message when the code is not 0
};

// Threads: calls are answered one at a time, on the server's own thread.
class GrpcServer {
 public:
  using Handler = std::function<GrpcAnswer(std::string_view path, std::string_view message)>;

  // Serves from now on; aborts when it cannot. The socket is removed first and at the end. Calls of the
  // method `streamed` are streams.
  GrpcServer(std::string socket, Handler handler, std::string streamed = "");
  ~GrpcServer();
  GrpcServer(const GrpcServer&) = delete;
  GrpcServer& operator=(const GrpcServer&) = delete;

  // How many streams clients have opened and sent something on.
  size_t streams() const;
  // Sends `message` on the stream of that number, counted from 0. Any thread.
  void Push(size_t stream, std::string message);

 private:
  class Peer;
  struct Stream {
    std::weak_ptr<Peer> peer;
    int32_t id;
  };
  void Run();
  bool Wake();

  const std::string socket_;
  const Handler handler_;
  const std::string streamed_;
  int listener_ = -1;
  int wake_ = -1;  // an eventfd
  mutable base::Mutex mu_;
  bool stopping_ GUARDED_BY(mu_) = false;
  std::vector<Stream> streams_ GUARDED_BY(mu_);
  std::vector<std::pair<size_t, std::string>> pushed_ GUARDED_BY(mu_);
  std::thread thread_;
};

}  // namespace keelson::net::testing
