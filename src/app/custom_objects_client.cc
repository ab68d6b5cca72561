#include "app/custom_objects_client.h"

#include "app/server_user.h"

namespace keelson::app {

base::Task<base::Result<int64_t, api::Status>> CustomObjectsClient::DeleteAll(std::string definition) {
  const auto storage = resources_.Find(definition);
  if (!storage)
    co_return base::Err(api::InternalError("unable to find a custom resource client for " + definition));
  registry::rest::WriteRequest request{.user = &ServerUser()};
  CO_TRY(co_await storage->store().DeleteCollection(std::move(request), {}, {}));
  const auto left = CO_TRY(co_await storage->store().List({}));
  co_return static_cast<int64_t>(left.items.size());
}

}  // namespace keelson::app
