// TaintNodesByCondition: a new node takes no pods until it has been seen ready.
#pragma once

#include "admission/plugin.h"

namespace keelson::admission {

class TaintNodesByCondition final : public Plugin {
 public:
  Concern ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const override;
  base::Task<Verdict> Mutate(Attributes request) const override;
};

}  // namespace keelson::admission
