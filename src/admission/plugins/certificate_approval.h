// CertificateApproval: who approves or denies a request for a certificate needs the permission to approve for
// its signer.
#pragma once

#include "admission/plugin.h"
#include "auth/authorizer.h"

namespace keelson::admission {

class CertificateApproval final : public Plugin {
 public:
  // `authorizer` outlives this; null: nobody may approve.
  explicit CertificateApproval(auth::Authorizer* authorizer) : authorizer_(authorizer) {}

  Concern ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const override;
  base::Task<Verdict> Validate(Attributes request) const override;

 private:
  auth::Authorizer* const authorizer_;
};

}  // namespace keelson::admission
