// ExtendedResourceToleration: a pod that asks for an extended resource tolerates the taint of that name, by
// which nodes with such devices keep other pods away.
#pragma once

#include "admission/plugin.h"

namespace keelson::admission {

class ExtendedResourceToleration final : public Plugin {
 public:
  Concern ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const override;
  base::Task<Verdict> Mutate(Attributes request) const override;
};

}  // namespace keelson::admission
