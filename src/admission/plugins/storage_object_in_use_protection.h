// StorageObjectInUseProtection: volumes, claims and attribute classes are born with the
// finalizer that keeps them while something uses them.
#pragma once

#include "admission/plugin.h"

namespace keelson::admission {

class StorageObjectInUseProtection final : public Plugin {
 public:
  Concern ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const override;
  base::Task<Verdict> Mutate(Attributes request) const override;
};

}  // namespace keelson::admission
