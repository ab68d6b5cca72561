#include "registry/scheduling/priority_class_store.h"

#include <algorithm>

#include "api/validation/scheduling/priority_class.h"

namespace keelson::registry::scheduling {

base::Task<rest::Result<rest::Deleted>> PriorityClassStore::Delete(rest::WriteRequest request,
                                                                   std::string name, DeleteOptions options) {
  const auto& system = api::scheduling::kSystemPriorityClasses;
  if (std::ranges::find(system, name, &api::scheduling::SystemPriorityClass::name) != system.end()) {
    co_return base::Err(
        api::Forbidden(group_resource(), name, "this is a system priority class and cannot be deleted"));
  }
  co_return co_await Store::Delete(std::move(request), std::move(name), std::move(options));
}

}  // namespace keelson::registry::scheduling
