// ConnectionTable: the connections of one loop, and which of them goes when there are too many.
//
// A stranger is a connection on which nobody has authenticated yet. Anybody who reaches the port can open
// any number of them, so strangers make room for one another: at the limit of one network, of handshakes, or
// of all, an idle one goes, the oldest first. Connections of authenticated clients have no limit but that of
// the process's descriptors, so that many clients behind one address do not push one another out; at that
// limit strangers go first, then what is idle, and nothing with a request under way.
//
// Threads: everything on the loop, but for ConnectionTotals.
#pragma once

#include <atomic>
#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace keelson::net {

class Connection;

// Shared by the acceptor and all loops.
struct ConnectionTotals {
  std::atomic<size_t> descriptors{0};    // sockets accepted and not closed
  std::atomic<size_t> handed{0};         // of these, on their way from the acceptor to a loop
  std::atomic<size_t> acquaintances{0};  // connections of authenticated clients
};

// Above the limit of connections, so many are let in all the same: a newcomer, say a health check, gets its
// chance while connections of authenticated clients hold everything else.
inline constexpr size_t kSpareConnections = 64;

// Whom an address belongs to, as far as that can be seen from outside: an IPv4 address, or the first 64 bits
// of an IPv6 one, in which a client may choose the rest.
std::string NetworkOf(std::string_view address);

class ConnectionTable {
 public:
  // Limits are this loop's; 0: none.
  ConnectionTable(size_t max_strangers, size_t max_strangers_per_network, size_t max_handshakes)
      : max_strangers_(max_strangers),
        max_per_network_(max_strangers_per_network),
        max_handshakes_(max_handshakes) {}

  // Adds a stranger. When it is one too many, another one is closed.
  void Add(std::shared_ptr<Connection> connection, std::string network);
  // The handshake of `connection` has begun; when it is one too many, an old one of the network with the most
  // is given up. It ends once, unless the connection does before.
  void BeginHandshake(Connection& connection);
  void EndHandshake(Connection& connection);
  // The client of `connection` has authenticated.
  void Acquaint(Connection& connection);
  std::shared_ptr<Connection> Remove(Connection& connection);

  // Closes the connection that is missed least; false when each has a request of an authenticated client.
  bool CloseOne();

  std::vector<std::shared_ptr<Connection>> All() const;

 private:
  using List = std::list<Connection*>;
  struct Entry {
    std::shared_ptr<Connection> connection;
    std::string network;
    bool stranger = true;
    bool in_handshake = false;
    List::iterator place;             // in strangers_ or acquaintances_
    List::iterator place_in_network;  // while it is a stranger
    List::iterator place_in_handshakes;
  };
  void LeaveNetwork(Entry& entry);
  void LeaveHandshakes(Entry& entry);
  void GiveUpHandshake();

  const size_t max_strangers_;
  const size_t max_per_network_;
  const size_t max_handshakes_;
  std::unordered_map<Connection*, Entry> entries_;
  List strangers_;   // oldest first
  List handshakes_;  // oldest first; strangers, too
  std::unordered_map<std::string, size_t> handshakes_by_network_;
  List acquaintances_;  // oldest first, but for those that were found busy
  std::unordered_map<std::string, List> by_network_;
};

}  // namespace keelson::net
