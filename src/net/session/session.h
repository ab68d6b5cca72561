// Session: one protocol spoken over one byte stream, without knowing of sockets, so that
// tests and fuzzers can drive it with bytes from memory.
//
// Threads: everything on one loop.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string_view>

#include "base/executor.h"
#include "net/http/message.h"
#include "net/loop/timers.h"
#include "net/server.h"
#include "net/session/head_budget.h"

namespace keelson::net {

// What the sessions of one loop share. Outlives every handler started by them.
struct SessionContext {
  SessionContext(base::Executor& loop, Timers& loop_timers, const ServerConfig& server_config,
                 http::Handler& request_handler, size_t loops = 1)
      : executor(loop),
        timers(loop_timers),
        config(server_config),
        handler(request_handler),
        heads(server_config.max_held_head_bytes / loops) {}

  base::Executor& executor;
  Timers& timers;
  const ServerConfig& config;
  http::Handler& handler;
  HeadBudget heads;                      // of the loop
  std::atomic<int> handlers_running{0};  // written on the loop, read at shutdown
};

// Bytes that the client takes within a write_timeout, or is given up.
inline size_t LeastProgress(const ServerConfig& config) {
  const auto bytes = static_cast<size_t>(config.write_timeout.count()) * config.min_bytes_per_second / 1000;
  return bytes > 0 ? bytes : 1;
}

// How long Produce goes on asking bodies for more than kProduceLeast bytes. Bytes say little of the work:
// those of a table or of a compressed list cost ten times those of a plain one.
constexpr std::chrono::microseconds kProduceTime{300};
constexpr size_t kProduceLeast = 16 * 1024;

// Takes bytes for the peer.
class Sink {
 public:
  virtual void Append(std::string_view bytes) = 0;

 protected:
  ~Sink() = default;
};

class Session {
 public:
  // The transport below a session.
  class Host {
   public:
    // The session has something to send or is finished: call Produce soon, not from here.
    virtual void WantSend() = 0;
    // CanReceive has become true again.
    virtual void WantReceive() = 0;

   protected:
    ~Host() = default;
  };

  // Destroying a session gives up every exchange under way; handlers still running
  // finish and their responses are dropped.
  virtual ~Session() = default;

  // Takes all of `bytes`. May run handlers, never destroys the session.
  virtual void Receive(std::string_view bytes) = 0;
  // False: bytes already taken wait for a handler, do not read more for now.
  virtual bool CanReceive() const = 0;

  // Appends what is ready, about `limit` bytes at most, and less of what takes long to make: see
  // kProduceTime. True: there is more right now.
  virtual bool Produce(Sink& sink, size_t limit) = 0;

  // No request is under way.
  virtual bool idle() const = 0;

  // Nothing more will be sent once Produce has been called: close the transport.
  virtual bool finished() const = 0;

  // The server stops: ends long bodies, takes no new requests, finishes when idle.
  virtual void Drain() = 0;
};

}  // namespace keelson::net
