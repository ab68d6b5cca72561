// AlwaysDeny: refuses every write and every connection; deprecated upstream, for tests only.
#pragma once

#include "admission/plugin.h"

namespace keelson::admission {

class AlwaysDeny final : public Plugin {
 public:
  AlwaysDeny();  // logs that it is deprecated, as upstream does
  Concern ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const override;
  base::Task<Verdict> Mutate(Attributes request) const override;
  base::Task<Verdict> Validate(Attributes request) const override;
};

}  // namespace keelson::admission
