// CertificateSubjectRestriction: nobody asks the signer for API clients to be made a member of
// system:masters.
#pragma once

#include "admission/plugin.h"

namespace keelson::admission {

class CertificateSubjectRestriction final : public Plugin {
 public:
  Concern ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const override;
  base::Task<Verdict> Validate(Attributes request) const override;
};

}  // namespace keelson::admission
