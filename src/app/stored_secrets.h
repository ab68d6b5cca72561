// StoredSecrets: auth::TokenSecrets over the stores.
#pragma once

#include <atomic>

#include "app/resources.h"
#include "auth/authn/token_secrets.h"

namespace keelson::app {

class StoredSecrets final : public auth::TokenSecrets {
 public:
  // Until then nothing can be told. `resources` outlives every later call.
  void Use(const Resources& resources) { resources_.store(&resources, std::memory_order_release); }

  base::Task<base::Result<std::optional<auth::TokenSecret>, std::string>> Find(std::string ns,
                                                                               std::string name) override;
  base::Task<bool> IsListed(std::string ns, std::string account, std::string secret) override;
  base::Task<void> SetLabel(std::string ns, std::string name, std::string uid, std::string_view key,
                            std::string value) override;

 private:
  // Null while the store is being loaded.
  registry::Store* Store(std::string_view resource) const;

  std::atomic<const Resources*> resources_{nullptr};
};

}  // namespace keelson::app
