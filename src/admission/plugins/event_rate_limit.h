// EventRateLimit: nobody fills the store with events faster than the configuration allows.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "admission/plugin.h"
#include "base/clock.h"
#include "base/result.h"

namespace keelson::admission {

// One bucket of tokens for the whole server, or one for each namespace, user, or source and object.
struct EventLimit {
  enum class Type : uint8_t { kServer, kNamespace, kUser, kSourceAndObject };
  Type type = Type::kServer;
  int32_t qps = 1, burst = 1;
  size_t cache_size = 4096;  // the buckets that are kept; one that is dropped starts full again
};
// nullopt: there is no configuration, which is an error, for there must be limits. Errors are in upstream's
// words.
base::Result<std::vector<EventLimit>, std::string> ParseEventLimits(const std::optional<std::string>& text);

class EventRateLimit final : public Plugin {
 public:
  explicit EventRateLimit(const std::vector<EventLimit>& limits,
                          const base::Clock& clock = base::Clock::Real());
  ~EventRateLimit() override;

  Concern ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const override;
  base::Task<Verdict> Validate(Attributes request) const override;

 private:
  class Enforcer;
  std::vector<std::unique_ptr<Enforcer>> enforcers_;
  const base::Clock& clock_;
};

}  // namespace keelson::admission
