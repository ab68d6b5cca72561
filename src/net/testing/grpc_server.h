// GrpcServer: answers calls with one message each way on a unix socket, for tests.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

namespace keelson::net::testing {

struct GrpcAnswer {
  int code = 0;         // grpc-status
  std::string message;  // the answer, or grpc-message when the code is not 0
};

// Threads: calls are answered one at a time, on the server's own thread.
class GrpcServer {
 public:
  using Handler = std::function<GrpcAnswer(std::string_view path, std::string_view message)>;

  // Serves from now on; aborts when it cannot. The socket is removed first and at the end.
  GrpcServer(std::string socket, Handler handler);
  ~GrpcServer();
  GrpcServer(const GrpcServer&) = delete;
  GrpcServer& operator=(const GrpcServer&) = delete;

 private:
  class Peer;
  void Run();

  const std::string socket_;
  const Handler handler_;
  int listener_ = -1;
  int stop_ = -1;  // an eventfd
  std::thread thread_;
};

}  // namespace keelson::net::testing
