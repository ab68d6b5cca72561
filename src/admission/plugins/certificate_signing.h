// CertificateSigning: who puts a certificate or a condition into the status of a request needs the permission
// to sign for its signer.
#pragma once

#include "admission/plugin.h"
#include "auth/authorizer.h"

namespace keelson::admission {

class CertificateSigning final : public Plugin {
 public:
  // `authorizer` outlives this; null: nobody may sign.
  explicit CertificateSigning(auth::Authorizer* authorizer) : authorizer_(authorizer) {}

  Concern ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const override;
  base::Task<Verdict> Validate(Attributes request) const override;

 private:
  auth::Authorizer* const authorizer_;
};

}  // namespace keelson::admission
