// DenyServiceExternalIPs: no service gets an external IP that it did not have; one can take the traffic
// for any address.
#pragma once

#include "admission/plugin.h"

namespace keelson::admission {

class DenyServiceExternalIps final : public Plugin {
 public:
  Concern ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const override;
  base::Task<Verdict> Validate(Attributes request) const override;
};

}  // namespace keelson::admission
