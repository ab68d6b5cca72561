#include "auth/authn/answer_cache.h"
#include "auth/authn/authenticators.h"
#include "auth/authn/token_digest.h"

namespace keelson::auth {
namespace {

class TokenCache final : public TokenAuthenticator {
 public:
  TokenCache(std::unique_ptr<TokenAuthenticator> tokens, TokenCacheOptions options)
      : tokens_(std::move(tokens)), options_(options), answers_(options.max_entries, *options.clock) {}

  base::Task<Outcome> AuthenticateToken(std::string_view token, std::span<const std::string> audiences,
                                        Remarks& remarks) override {
    const base::SipDigest key = Key(token, audiences);
    const TokenCacheMetrics* const metrics = options_.metrics;
    const auto start = metrics ? options_.clock->SteadyNow() : base::Clock::SteadyTime();
    if (auto known = answers_.Find(key)) {
      if (metrics) Count(metrics->hits, metrics->hit_time, start);
      co_return *std::move(known);
    }
    const Present blocked(metrics ? &metrics->blocked : nullptr);
    Outcome outcome = co_await answers_.Get(
        key, [&] { return Fetch(token, audiences, remarks); },
        [&](const Outcome& answer) { return TtlOf(answer); });
    if (metrics) Count(metrics->misses, metrics->miss_time, start);
    co_return outcome;
  }

 private:
  // Counts in a gauge for as long as it lives.
  class Present {
   public:
    explicit Present(base::Gauge* gauge) : gauge_(gauge) {
      if (gauge_) gauge_->Add(1);
    }
    ~Present() {
      if (gauge_) gauge_->Add(-1);
    }
    Present(const Present&) = delete;
    Present& operator=(const Present&) = delete;

   private:
    base::Gauge* const gauge_;
  };

  base::Task<Outcome> Fetch(std::string_view token, std::span<const std::string> audiences,
                            Remarks& remarks) {
    const TokenCacheMetrics* const metrics = options_.metrics;
    const Present in_flight(metrics ? &metrics->in_flight : nullptr);
    Outcome outcome = co_await tokens_->AuthenticateToken(token, audiences, remarks);
    if (metrics) (outcome ? metrics->answered : metrics->failed).Add();
    co_return outcome;
  }

  void Count(base::Counter& requests, base::Histogram& durations, base::Clock::SteadyTime start) const {
    requests.Add();
    durations.Observe(std::chrono::duration<double>(options_.clock->SteadyNow() - start).count());
  }

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

  // Errors are not kept: the next request may have better luck.
  std::chrono::nanoseconds TtlOf(const Outcome& outcome) const {
    if (!outcome) return {};
    return outcome->user ? options_.known_ttl : options_.unknown_ttl;
  }

  const std::unique_ptr<TokenAuthenticator> tokens_;
  const TokenCacheOptions options_;
  const TokenDigester digest_;
  AnswerCache<Outcome> answers_;
};

}  // namespace

std::unique_ptr<TokenAuthenticator> CachedTokens(std::unique_ptr<TokenAuthenticator> tokens,
                                                 TokenCacheOptions options) {
  return std::make_unique<TokenCache>(std::move(tokens), options);
}

}  // namespace keelson::auth
