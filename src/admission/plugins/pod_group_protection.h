// PodGroupProtection: pod groups are born with the finalizer that keeps them while pods are in them.
#pragma once

#include "admission/plugin.h"

namespace keelson::admission {

class PodGroupProtection final : public Plugin {
 public:
  Concern ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const override;
  base::Task<Verdict> Mutate(Attributes request) const override;
};

}  // namespace keelson::admission
