// Resolver: the addresses of names, looked up by a few threads, so that loops go on.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/task.h"
#include "net/outbound/address.h"

namespace keelson::net::outbound {

struct Resolved {
  std::vector<Address> addresses;
  std::string error;  // when there are none, in the words of Go's dialer
};

// The system's library answers, for as long as it takes, and cannot be told to stop. So threads are
// limited: further names wait for one, and beyond a limit of those are refused. A thread ends when
// no name waits.
//
// Threads: any event loop. The resolver may go while names are being looked up.
class Resolver {
 public:
  using Lookup = std::function<Resolved(const std::string& host, uint16_t port)>;
  // Runs work in a thread of its own; false: there can be none now.
  using StartThread = std::function<bool(std::function<void()> work)>;

  struct Options {
    size_t threads = 8;
    size_t waiting = 256;
    Lookup lookup;       // null: the system's
    StartThread thread;  // null: the system's
  };

  explicit Resolver(Options options);
  ~Resolver();

  // An address is its own, at once. Requires: called on an event loop.
  base::Task<Resolved> Resolve(std::string host, uint16_t port);

 private:
  struct State;
  const std::shared_ptr<State> state_;
};

}  // namespace keelson::net::outbound
