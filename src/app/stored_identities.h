// StoredIdentities: client::Identities over the stores.
#pragma once

#include <atomic>

#include "app/resources.h"
#include "client/identities.h"

namespace keelson::app {

class StoredIdentities final : public client::Identities {
 public:
  // Until then nothing can be told. `resources` outlives every later call of Find.
  void Use(const Resources& resources) { resources_.store(&resources, std::memory_order_release); }

  base::Task<base::Result<std::optional<client::Identity>, std::string>> Find(std::string_view resource,
                                                                              std::string ns,
                                                                              std::string name) override;

 private:
  std::atomic<const Resources*> resources_{nullptr};
};

}  // namespace keelson::app
