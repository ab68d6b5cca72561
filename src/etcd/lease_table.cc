#include "etcd/lease_table.h"

#include <algorithm>
#include <random>

namespace keelson::etcd {
namespace {

constexpr int64_t kMaxTtl = 9'000'000'000;  // etcd's

LeaseId RandomId() {
  static std::random_device random;
  return static_cast<LeaseId>((uint64_t{random()} << 32 | random()) >> 1 | 1);
}

}  // namespace

Result<LeaseAnswer> LeaseTable::Grant(LeaseId id, int64_t ttl) {
  if (ttl > kMaxTtl) return base::Err(LeaseTtlTooLarge());
  if (id != 0 && Has(id)) return base::Err(LeaseExists());
  while (id == 0 || Has(id)) id = RandomId();
  ttl = std::max<int64_t>(ttl, 1);
  leases_[id] = {.ttl = ttl, .end = EndOf(ttl), .keys = {}};
  soonest_ = std::min(soonest_, leases_[id].end);
  return LeaseAnswer{.id = id, .ttl = ttl};
}

void LeaseTable::Restore(LeaseId id, int64_t ttl, const std::string& key) {
  const auto [lease, made] = leases_.try_emplace(id);
  if (made) lease->second = {.ttl = ttl, .end = EndOf(ttl), .keys = {}};
  lease->second.keys.insert(key);
  soonest_ = std::min(soonest_, lease->second.end);
}

LeaseAnswer LeaseTable::KeepAlive(LeaseId id) {
  const auto lease = leases_.find(id);
  if (lease == leases_.end()) return {.id = id, .ttl = 0};
  lease->second.end = EndOf(lease->second.ttl);
  return {.id = id, .ttl = lease->second.ttl};
}

int64_t LeaseTable::Ttl(LeaseId id) const {
  const auto lease = leases_.find(id);
  return lease == leases_.end() ? 0 : lease->second.ttl;
}

LeaseState LeaseTable::StateOf(LeaseId id) const {
  const auto lease = leases_.find(id);
  if (lease == leases_.end()) return {.id = id, .ttl = -1, .granted_ttl = 0, .keys = {}};
  const auto left = std::chrono::ceil<std::chrono::seconds>(lease->second.end - clock_.SteadyNow()).count();
  return {.id = id,
          .ttl = std::max<int64_t>(left, 0),
          .granted_ttl = lease->second.ttl,
          .keys = {lease->second.keys.begin(), lease->second.keys.end()}};
}

std::vector<LeaseId> LeaseTable::All() const {
  std::vector<LeaseId> all;
  for (const auto& [id, lease] : leases_) all.push_back(id);
  return all;
}

void LeaseTable::Attach(LeaseId id, const std::string& key) {
  if (const auto lease = leases_.find(id); lease != leases_.end()) lease->second.keys.insert(key);
}

void LeaseTable::Detach(LeaseId id, const std::string& key) {
  if (const auto lease = leases_.find(id); lease != leases_.end()) lease->second.keys.erase(key);
}

std::optional<LeaseId> LeaseTable::Ended() {
  const auto now = clock_.SteadyNow();
  if (now < soonest_) return std::nullopt;
  soonest_ = base::Clock::SteadyTime::max();
  for (const auto& [id, lease] : leases_) {
    soonest_ = std::min(soonest_, lease.end);
    if (lease.end <= now) return id;
  }
  return std::nullopt;
}

std::vector<std::string> LeaseTable::KeysOf(LeaseId id) const {
  const auto lease = leases_.find(id);
  if (lease == leases_.end()) return {};
  return {lease->second.keys.begin(), lease->second.keys.end()};
}

}  // namespace keelson::etcd
