// Draining: a server that stops turns requests away and waits for those that it has taken.
#pragma once

#include <atomic>
#include <cstdint>

#include "net/http/message.h"
#include "server/incoming_request.h"

namespace keelson::server {

// Threads: any.
class Draining {
 public:
  // `counts`: somebody will ask how many requests are under way. Else none is counted, which costs less.
  explicit Draining(bool counts) : counts_(counts) {}

  // Requests from now on are turned away, but those that are exempt.
  void Begin() { begun_.store(true, std::memory_order_seq_cst); }

  // Takes a request that was not turned away; it is under way for as long as the slot exists. Nothing: turn
  // it away.
  std::optional<CountedSlot> Take(const IncomingRequest& incoming);

  // Requests that were taken and have no answer yet. Those that are exempt and those that go on for long do
  // not count. Requires: it counts.
  int64_t under_way() const { return under_way_.load(std::memory_order_seq_cst); }

  // 429: the client is to come back in a few seconds, on another connection.
  static net::http::Response TurnedAway();

 private:
  const bool counts_;
  std::atomic<bool> begun_{false};
  std::atomic<int64_t> under_way_{0};
};

}  // namespace keelson::server
