#include <array>
#include <unordered_map>

#include "auth/authn/authenticators.h"
#include "auth/authn/token_digest.h"
#include "base/mutex.h"

namespace keelson::auth {
namespace {

struct TokenCacheHash {
  size_t operator()(const base::SipDigest& d) const { return d[0]; }
};

class TokenCache final : public TokenAuthenticator {
 public:
  TokenCache(std::unique_ptr<TokenAuthenticator> tokens, TokenCacheOptions options)
      : tokens_(std::move(tokens)), options_(options) {}

  base::Task<Outcome> AuthenticateToken(std::string_view token,
                                        std::span<const std::string> audiences) override {
    const base::SipDigest key = Key(token, audiences);
    Shard& shard = shards_[key[1] % kShards];
    Place place = Look(shard, key);
    if (place.known) co_return *std::move(place.known);
    if (place.flight) co_return co_await *place.flight;
    Outcome outcome = co_await tokens_->AuthenticateToken(token, audiences);
    Land(shard, key, outcome);
    co_return outcome;
  }

 private:
  static constexpr size_t kShards = 32;

  struct Entry {
    base::Clock::SteadyTime until;
    Known known;
  };
  struct Shard {
    base::Mutex mu;
    std::unordered_map<base::SipDigest, Entry, TokenCacheHash> entries GUARDED_BY(mu);
    // Those who wait for an answer that is asked for already.
    std::unordered_map<base::SipDigest, std::vector<base::Completion<Outcome>>, TokenCacheHash> flights
        GUARDED_BY(mu);
    size_t sweep_at GUARDED_BY(mu) = 64;
  };
  // What is known, or whom to wait for; neither: the caller is to ask, and Land the answer.
  struct Place {
    std::optional<Known> known;
    std::optional<base::Completion<Outcome>> flight;
  };

  // Lengths go before the texts, so that no two questions are written alike.
  base::SipDigest Key(std::string_view token, std::span<const std::string> audiences) const {
    std::string text;
    const auto add = [&](std::string_view part) {
      const uint64_t size = part.size();
      text.append(reinterpret_cast<const char*>(&size), sizeof size).append(part);
    };
    add(token);
    for (const std::string& audience : audiences) add(audience);
    return digest_(text);
  }

  Place Look(Shard& shard, const base::SipDigest& key) {
    const base::MutexLock lock(shard.mu);
    if (const auto found = shard.entries.find(key); found != shard.entries.end()) {
      if (options_.clock->SteadyNow() < found->second.until) return {.known = found->second.known};
      shard.entries.erase(found);
    }
    const auto [flight, first] = shard.flights.try_emplace(key);
    if (first) return {};
    return {.flight = flight->second.emplace_back()};
  }

  // Errors are not kept: the next request may have better luck.
  void Land(Shard& shard, const base::SipDigest& key, const Outcome& outcome) {
    std::vector<base::Completion<Outcome>> waiting;
    {
      const base::MutexLock lock(shard.mu);
      const auto flight = shard.flights.find(key);
      waiting = std::move(flight->second);
      shard.flights.erase(flight);
      const auto ttl = !outcome        ? std::chrono::nanoseconds(0)
                       : outcome->user ? options_.known_ttl
                                       : options_.unknown_ttl;
      if (ttl.count() > 0) {
        const auto now = options_.clock->SteadyNow();
        if (shard.entries.size() >= shard.sweep_at) Sweep(shard, now);
        shard.entries.insert_or_assign(key, Entry{now + ttl, *outcome});
      }
    }
    for (const auto& waiter : waiting) waiter.Set(outcome);
  }

  // What is over goes, and what is too much. The next sweep comes when as many again have been added.
  void Sweep(Shard& shard, base::Clock::SteadyTime now) REQUIRES_LOCK(shard.mu) {
    std::erase_if(shard.entries, [now](const auto& entry) { return entry.second.until <= now; });
    const size_t most = options_.max_entries / kShards;
    while (shard.entries.size() > most / 2) shard.entries.erase(shard.entries.begin());
    shard.sweep_at = std::min(most, std::max<size_t>(64, 2 * shard.entries.size()));
  }

  const std::unique_ptr<TokenAuthenticator> tokens_;
  const TokenCacheOptions options_;
  const TokenDigester digest_;
  std::array<Shard, kShards> shards_;
};

}  // namespace

std::unique_ptr<TokenAuthenticator> CachedTokens(std::unique_ptr<TokenAuthenticator> tokens,
                                                 TokenCacheOptions options) {
  return std::make_unique<TokenCache>(std::move(tokens), options);
}

}  // namespace keelson::auth
