#include "controllers/active_namespace.h"

#include <algorithm>

#include "api/generated/core_v1.h"

namespace keelson::controllers {

base::Task<client::Result<bool>> IsActive(const client::Client& client, std::string name) {
  const auto read =
      CO_TRY(co_await client.Get({"", "namespaces"}, "", std::move(name), client::Fresh::kNewest));
  co_return read.has_value() && api::core_v1::NamespaceView(*read).status().phase() == "Active";
}

bool IsBenign(const api::Status& status) {
  if (status.reason == "AlreadyExists" || status.code == 404) return true;
  return status.details && std::ranges::any_of(status.details->causes, [](const api::StatusCause& cause) {
           return cause.reason == "NamespaceTerminating";
         });
}

}  // namespace keelson::controllers
