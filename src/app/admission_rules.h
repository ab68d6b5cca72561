// AdmissionRules: the chain of admission plugins, joined to the stores.
#pragma once

#include <string_view>

#include "admission/chain.h"
#include "admission/hooks.h"
#include "admission/plugins/stored_namespaces.h"
#include "app/config.h"
#include "auth/authorizer.h"
#include "client/client.h"

namespace keelson::app {

// Threads: any loop. Nothing is read before the stores are complete.
class AdmissionRules {
 public:
  // `client` outlives this, and so does `authorizer`, which expressions may ask.
  AdmissionRules(const client::Client& client, const AdmissionConfig& config, auth::Authorizer* authorizer);

  // What whoever serves a resource or subresource is to ask; borrows from this.
  admission::Hooks For(const api::ResourceDesc& resource, std::string_view subresource) const;

 private:
  const admission::StoredNamespaces namespaces_;
  const admission::Chain chain_;
};

}  // namespace keelson::app
