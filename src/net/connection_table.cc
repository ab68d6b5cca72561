#include "net/connection_table.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <utility>

#include "net/connection.h"

namespace keelson::net {
namespace {

constexpr int kLookedAt = 16;  // for one that is idle; so closing one takes constant time

Connection* FirstIdle(const std::list<Connection*>& list) {
  int looked = 0;
  for (Connection* connection : list) {
    if (connection->idle()) return connection;
    if (++looked == kLookedAt) break;
  }
  return list.empty() ? nullptr : list.front();
}

}  // namespace

std::string NetworkOf(std::string_view address) {
  std::string text(address);
  in6_addr parsed{};
  if (inet_pton(AF_INET6, text.c_str(), &parsed) != 1) return text;
  return std::string(reinterpret_cast<const char*>(parsed.s6_addr), 8);
}

void ConnectionTable::Add(std::shared_ptr<Connection> connection, std::string network) {
  List& neighbours = by_network_[network];
  if (max_per_network_ > 0 && neighbours.size() >= max_per_network_) {
    FirstIdle(neighbours)->Close();
  } else if (max_strangers_ > 0 && strangers_.size() >= max_strangers_) {
    FirstIdle(strangers_)->Close();
  }
  Connection* const raw = connection.get();
  Entry entry{.connection = std::move(connection), .network = network};
  // Closing another may have removed the network's list.
  List& now = by_network_[network];
  entry.place = strangers_.insert(strangers_.end(), raw);
  entry.place_in_network = now.insert(now.end(), raw);
  entries_.emplace(raw, std::move(entry));
}

void ConnectionTable::LeaveNetwork(Entry& entry) {
  const auto found = by_network_.find(entry.network);
  found->second.erase(entry.place_in_network);
  if (found->second.empty()) by_network_.erase(found);
}

void ConnectionTable::BeginHandshake(Connection& connection) {
  const auto found = entries_.find(&connection);
  if (found == entries_.end() || found->second.in_handshake) return;
  if (max_handshakes_ > 0 && handshakes_.size() >= max_handshakes_) GiveUpHandshake();
  found->second.in_handshake = true;
  ++handshakes_by_network_[found->second.network];
  found->second.place_in_handshakes = handshakes_.insert(handshakes_.end(), &connection);
}

void ConnectionTable::EndHandshake(Connection& connection) {
  const auto found = entries_.find(&connection);
  if (found != entries_.end()) LeaveHandshakes(found->second);
}

void ConnectionTable::LeaveHandshakes(Entry& entry) {
  if (!std::exchange(entry.in_handshake, false)) return;
  handshakes_.erase(entry.place_in_handshakes);
  const auto counted = handshakes_by_network_.find(entry.network);
  if (--counted->second == 0) handshakes_by_network_.erase(counted);
}

void ConnectionTable::GiveUpHandshake() {
  Connection* victim = nullptr;
  size_t most = 0;
  int looked = 0;
  for (Connection* connection : handshakes_) {
    const size_t count = handshakes_by_network_[entries_.find(connection)->second.network];
    if (count > most) {
      victim = connection;
      most = count;
    }
    if (++looked == kLookedAt) break;
  }
  victim->GiveUpHandshake();
}

void ConnectionTable::Acquaint(Connection& connection) {
  const auto found = entries_.find(&connection);
  if (found == entries_.end() || !found->second.stranger) return;
  Entry& entry = found->second;
  entry.stranger = false;
  LeaveNetwork(entry);
  acquaintances_.splice(acquaintances_.end(), strangers_, entry.place);
}

std::shared_ptr<Connection> ConnectionTable::Remove(Connection& connection) {
  auto node = entries_.extract(&connection);
  if (node.empty()) return nullptr;
  Entry& entry = node.mapped();
  if (entry.stranger) LeaveNetwork(entry);
  LeaveHandshakes(entry);
  (entry.stranger ? strangers_ : acquaintances_).erase(entry.place);
  return std::move(entry.connection);
}

bool ConnectionTable::CloseOne() {
  if (Connection* stranger = FirstIdle(strangers_)) {
    stranger->Close();
    return true;
  }
  for (int i = 0; i < kLookedAt && !acquaintances_.empty(); ++i) {
    Connection* const oldest = acquaintances_.front();
    acquaintances_.splice(acquaintances_.end(), acquaintances_, acquaintances_.begin());
    if (!oldest->idle()) continue;
    oldest->Drain();
    return true;
  }
  return false;
}

std::vector<std::shared_ptr<Connection>> ConnectionTable::All() const {
  std::vector<std::shared_ptr<Connection>> all;
  all.reserve(entries_.size());
  for (const auto& [_, entry] : entries_) all.push_back(entry.connection);
  return all;
}

}  // namespace keelson::net
