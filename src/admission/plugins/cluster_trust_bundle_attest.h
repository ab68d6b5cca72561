// ClusterTrustBundleAttest: who says which certificates a signer is trusted by needs the permission to attest
// for that signer.
#pragma once

#include "admission/plugin.h"
#include "auth/authorizer.h"

namespace keelson::admission {

class ClusterTrustBundleAttest final : public Plugin {
 public:
  // `authorizer` outlives this; null: nobody may attest.
  explicit ClusterTrustBundleAttest(auth::Authorizer* authorizer) : authorizer_(authorizer) {}

  Concern ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const override;
  base::Task<Verdict> Validate(Attributes request) const override;

 private:
  auth::Authorizer* const authorizer_;
};

}  // namespace keelson::admission
