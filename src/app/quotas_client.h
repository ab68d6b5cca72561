// QuotasClient: client::Quotas over the stores.
#pragma once

#include <string>
#include <vector>

#include "client/quotas.h"
#include "registry/group.h"

namespace keelson::app {

// Threads: any loop. `stores` outlive this; nothing is read before they are complete.
class QuotasClient final : public client::Quotas {
 public:
  explicit QuotasClient(const registry::Stores& stores) : stores_(stores) {}

  base::Task<Result<bool>> Any(std::string ns) const override;
  base::Task<Result<std::vector<api::Doc>>> List(std::string ns, std::string not_older_than) const override;
  base::Task<Result<std::string>> UpdateStatus(api::Doc quota) const override;

 private:
  const registry::Stores& stores_;
};

}  // namespace keelson::app
