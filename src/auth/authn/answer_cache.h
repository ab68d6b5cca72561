// AnswerCache: answers that somebody else had to be asked for, kept for a while.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/siphash.h"
#include "base/task.h"

namespace keelson::auth {

// Questions are known by digests under a key of this process, so that nobody can choose two that collide.
//
// Threads: any.
template <class T>
class AnswerCache {
 public:
  // Borrows `clock`.
  AnswerCache(size_t max_entries, const base::Clock& clock) : max_entries_(max_entries), clock_(clock) {}

  std::optional<T> Find(const base::SipDigest& key) {
    Shard& shard = ShardOf(key);
    const base::MutexLock lock(shard.mu);
    return FindIn(shard, key);
  }

  // Gives what is known, or waits for an answer that another caller has asked for; else asks by `ask()`, a
  // task, and keeps its answer for as long as `ttl(answer)` says. An answer of no duration is not kept.
  template <class Ask, class Ttl>
  base::Task<T> Get(base::SipDigest key, Ask ask, Ttl ttl) {
    Shard& shard = ShardOf(key);
    Place place = Look(shard, key);
    if (place.known) co_return *std::move(place.known);
    if (place.flight) co_return co_await *place.flight;
    T answer = co_await ask();
    Land(shard, key, answer, ttl(answer));
    co_return answer;
  }

 private:
  static constexpr size_t kShards = 32;

  struct Hash {
    size_t operator()(const base::SipDigest& d) const { return d[0]; }
  };
  struct Entry {
    base::Clock::SteadyTime until;
    T answer;
  };
  struct Shard {
    base::Mutex mu;
    std::unordered_map<base::SipDigest, Entry, Hash> entries GUARDED_BY(mu);
    // Those who wait for an answer that is asked for already.
    std::unordered_map<base::SipDigest, std::vector<base::Completion<T>>, Hash> flights GUARDED_BY(mu);
    size_t sweep_at GUARDED_BY(mu) = 64;
  };
  // Neither: the caller is to ask, and Land the answer.
  struct Place {
    std::optional<T> known;
    std::optional<base::Completion<T>> flight;
  };

  Shard& ShardOf(const base::SipDigest& key) { return shards_[key[1] % kShards]; }

  std::optional<T> FindIn(Shard& shard, const base::SipDigest& key) REQUIRES_LOCK(shard.mu) {
    const auto found = shard.entries.find(key);
    if (found == shard.entries.end()) return std::nullopt;
    if (clock_.SteadyNow() < found->second.until) return found->second.answer;
    shard.entries.erase(found);
    return std::nullopt;
  }

  Place Look(Shard& shard, const base::SipDigest& key) {
    const base::MutexLock lock(shard.mu);
    if (auto known = FindIn(shard, key)) return {.known = std::move(known)};
    const auto [flight, first] = shard.flights.try_emplace(key);
    if (first) return {};
    return {.flight = flight->second.emplace_back()};
  }

  void Land(Shard& shard, const base::SipDigest& key, const T& answer, std::chrono::nanoseconds ttl) {
    std::vector<base::Completion<T>> waiting;
    {
      const base::MutexLock lock(shard.mu);
      const auto flight = shard.flights.find(key);
      waiting = std::move(flight->second);
      shard.flights.erase(flight);
      if (ttl.count() > 0) {
        const auto now = clock_.SteadyNow();
        if (shard.entries.size() >= shard.sweep_at) Sweep(shard, now);
        shard.entries.insert_or_assign(key, Entry{now + ttl, answer});
      }
    }
    for (const auto& waiter : waiting) waiter.Set(answer);
  }

  // Removes what is over, and what is too much. The next sweep comes when as many again have been added.
  void Sweep(Shard& shard, base::Clock::SteadyTime now) REQUIRES_LOCK(shard.mu) {
    std::erase_if(shard.entries, [now](const auto& entry) { return entry.second.until <= now; });
    const size_t most = max_entries_ / kShards;
    while (shard.entries.size() > most / 2) shard.entries.erase(shard.entries.begin());
    shard.sweep_at = std::min(most, std::max<size_t>(64, 2 * shard.entries.size()));
  }

  const size_t max_entries_;
  const base::Clock& clock_;
  std::array<Shard, kShards> shards_;
};

}  // namespace keelson::auth
