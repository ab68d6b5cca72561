// How objects that every cluster has are made: each server makes what is absent, and another on the same
// store may do so at the same time.
#pragma once

#include <functional>
#include <string>

#include "api/types/doc.h"
#include "base/result.h"
#include "base/task.h"
#include "client/client.h"

namespace keelson::bootstrap {

// An error is ready to be shown.
using Done = base::Result<void, std::string>;

// Creates `doc`, in its own namespace, unless there is an object of its name. `resource` has a static name.
base::Task<Done> CreateIfAbsent(const client::Client& client, client::Resource resource, api::Doc doc);

}  // namespace keelson::bootstrap
