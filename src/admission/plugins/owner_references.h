// OwnerReferencesPermissionEnforcement: whoever changes the owners of an object could have it deleted, and
// whoever blocks the deletion of an owner holds it like a finalizer; both need the permission to do so.
#pragma once

#include "admission/plugin.h"
#include "auth/authorizer.h"
#include "client/client.h"

namespace keelson::admission {

class OwnerReferencesPermissionEnforcement final : public Plugin {
 public:
  // Both outlive the plugin; `objects` tells which kinds there are.
  OwnerReferencesPermissionEnforcement(const client::Client& objects, auth::Authorizer& authorizer)
      : objects_(objects), authorizer_(authorizer) {}

  Concern ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const override;
  base::Task<Verdict> Validate(Attributes request) const override;

 private:
  base::Task<auth::Verdict> Ask(auth::Attributes question) const;
  base::Task<Verdict> CheckDeletable(const Attributes& request) const;
  base::Task<Verdict> CheckBlocking(const Attributes& request) const;

  const client::Client& objects_;
  auth::Authorizer& authorizer_;
};

}  // namespace keelson::admission
