// LimitPodHardAntiAffinityTopology: a pod may keep others off its node, not off a whole zone.
#pragma once

#include "admission/plugin.h"

namespace keelson::admission {

class LimitPodHardAntiAffinityTopology final : public Plugin {
 public:
  Concern ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const override;
  base::Task<Verdict> Validate(Attributes request) const override;
};

}  // namespace keelson::admission
