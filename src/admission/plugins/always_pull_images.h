// AlwaysPullImages: every image of a pod is pulled anew, so that a pod cannot run an image that another one
// has pulled with credentials of its own.
#pragma once

#include "admission/plugin.h"

namespace keelson::admission {

class AlwaysPullImages final : public Plugin {
 public:
  Concern ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const override;
  base::Task<Verdict> Mutate(Attributes request) const override;
  base::Task<Verdict> Validate(Attributes request) const override;
};

}  // namespace keelson::admission
