// Acceptor: the listening socket. Hands connections to the workers in turn, which spreads
// few long-lived ones evenly; the kernel's own spreading by hash would not. A worker whose loop
// is held up by a costly request is passed over, so that newcomers do not wait for it.
//
// Threads: Listen before the loops run; everything else on the acceptor's own loop.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "net/connection.h"

namespace keelson::net {

class Acceptor final : private FdHandler {
 public:
  // Requires: `loop` and `workers` outlive the acceptor; there is a worker.
  Acceptor(EventLoop& loop, const std::vector<std::unique_ptr<Worker>>& workers, ConnectionTotals& totals);
  ~Acceptor();

  base::Result<void, std::string> Listen(const std::string& address, uint16_t port, bool share_port);
  uint16_t port() const { return port_; }
  void Stop();

 private:
  void OnEvents(uint32_t events) override;
  // Leaves what is pending to the kernel for a while: it would wake the loop for ever.
  void Pause(std::chrono::milliseconds time);
  void OutOfDescriptors(int error);
  void Watch();
  void Hand(int fd, const void* address);
  Worker& NextWorker();

  EventLoop& loop_;
  const std::vector<std::unique_ptr<Worker>>& workers_;
  ConnectionTotals& totals_;
  Timer retry_;  // ends a pause
  int fd_ = -1;
  uint16_t port_ = 0;
  TimePoint said_{};  // when the log was last told of having no descriptors
  size_t next_ = 0;
};

}  // namespace keelson::net
