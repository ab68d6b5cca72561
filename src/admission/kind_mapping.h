// ResourcesOfKind: which resources serve a kind, built-in or custom; upstream's RESTMapper.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/meta/status.h"
#include "base/result.h"
#include "base/task.h"
#include "client/client.h"

namespace keelson::admission {

struct KindResource {
  std::string group, version, plural;
  bool namespaced = false;
};

// Several where a kind is served by several resources. The error says that there is none, in upstream's
// words, or why it could not be found out. `objects` outlives the task.
base::Task<base::Result<std::vector<KindResource>, std::string>> ResourcesOfKind(
    std::string api_version, std::string kind, const client::Client& objects);

}  // namespace keelson::admission
