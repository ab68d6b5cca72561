// DefaultTolerationSeconds: pods stay for a while on a node that is not ready or cannot be
// reached, unless they say themselves for how long.
#pragma once

#include <cstdint>

#include "admission/plugin.h"

namespace keelson::admission {

class DefaultTolerationSeconds final : public Plugin {
 public:
  DefaultTolerationSeconds(int64_t not_ready_seconds, int64_t unreachable_seconds)
      : not_ready_seconds_(not_ready_seconds), unreachable_seconds_(unreachable_seconds) {}

  Concern ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const override;
  base::Task<Verdict> Mutate(Attributes request) const override;

 private:
  const int64_t not_ready_seconds_, unreachable_seconds_;
};

}  // namespace keelson::admission
