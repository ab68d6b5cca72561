// The namespace that a request is in, for plugins that follow its annotations.
#pragma once

#include <string>

#include "admission/plugin.h"
#include "client/client.h"

namespace keelson::admission {

// An error where there is none.
inline base::Task<base::Result<api::Doc, api::Status>> NamespaceOf(const client::Client& objects,
                                                                   std::string ns) {
  auto found = CO_TRY(co_await objects.Get({"", "namespaces"}, "", ns, client::Fresh::kAbsenceIsSure));
  if (!found) co_return base::Err(api::NotFound({"", "namespaces"}, ns));
  co_return *std::move(found);
}

}  // namespace keelson::admission
