#include "storage/embedded/lease_table.h"

#include <limits>

namespace keelson::storage {

LeaseTable::LeaseTable() : random_(std::random_device{}()) {}

// Random, not counted: an id still named by a slow writer after its lease ended must not
// come to mean another lease.
LeaseId LeaseTable::NewId() {
  std::uniform_int_distribution<LeaseId> any(1, std::numeric_limits<LeaseId>::max());
  LeaseId id = any(random_);
  while (expiry_.contains(id)) id = any(random_);
  return id;
}

void LeaseTable::Add(const Lease& lease) {
  expiry_.emplace(lease.id, lease.expiry);
  by_expiry_.emplace(lease.expiry, lease.id);
}

void LeaseTable::Remove(LeaseId id) {
  auto it = expiry_.find(id);
  if (it == expiry_.end()) return;
  by_expiry_.erase({it->second, id});
  expiry_.erase(it);
}

bool LeaseTable::Alive(LeaseId id, Time now) const {
  auto it = expiry_.find(id);
  return it != expiry_.end() && it->second > now;
}

std::optional<LeaseId> LeaseTable::FirstOver(Time now) const {
  if (by_expiry_.empty() || by_expiry_.begin()->first > now) return std::nullopt;
  return by_expiry_.begin()->second;
}

std::optional<LeaseTable::Time> LeaseTable::NextExpiry() const {
  if (by_expiry_.empty()) return std::nullopt;
  return by_expiry_.begin()->first;
}

std::vector<Lease> LeaseTable::All() const {
  std::vector<Lease> leases;
  leases.reserve(by_expiry_.size());
  for (const auto& [expiry, id] : by_expiry_) leases.push_back({id, expiry});
  return leases;
}

}  // namespace keelson::storage
