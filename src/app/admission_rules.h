// AdmissionRules: the chain of admission plugins, fed from the stores and joined to them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "admission/chain.h"
#include "admission/hooks.h"
#include "app/config.h"
#include "app/quotas_client.h"
#include "auth/authorizer.h"
#include "base/mutex.h"
#include "client/reader.h"
#include "registry/group.h"

namespace keelson::app {

// Threads: any loop. Nothing is read before the stores are complete.
class AdmissionRules final : public client::Reader, public admission::NamespaceStates {
 public:
  // `stores` outlive this, and so does `authorizer`, which expressions may ask. `namespace_phase`:
  // where a stored namespace has status.phase.
  AdmissionRules(const registry::Stores& stores, size_t namespace_phase, const AdmissionConfig& config,
                 auth::Authorizer* authorizer);

  // What whoever serves a resource or subresource is to ask; borrows from this.
  admission::Hooks For(const api::ResourceDesc& resource, std::string_view subresource) const;

  base::Task<Result<std::optional<api::Doc>>> Get(api::GroupResource resource, std::string ns,
                                                  std::string name) const override;
  base::Task<Result<Docs>> List(api::GroupResource resource) const override;
  base::Task<Result<std::vector<api::Doc>>> ListIn(api::GroupResource resource,
                                                   std::string ns) const override;
  base::Task<base::Result<admission::NamespaceState, api::Status>> Find(std::string_view ns) const override;

 private:
  base::Task<Result<registry::rest::ObjectPtr>> Lookup(api::GroupResource resource, std::string ns,
                                                       std::string name) const;

  // A list as it was last decoded. How many there are and the newest revision tell whether
  // it is still the same: whatever replaces one has a newer revision.
  struct Decoded {
    size_t count = 0;
    storage::Revision newest = 0;
    Docs docs;
  };

  const registry::Stores& stores_;
  const size_t namespace_phase_;
  const QuotasClient quotas_;
  const admission::Chain chain_;
  mutable base::Mutex mu_;
  mutable std::map<const registry::Store*, Decoded> decoded_ GUARDED_BY(mu_);
};

}  // namespace keelson::app
