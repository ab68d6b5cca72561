// Why a watch ended, in the client's words.
#pragma once

#include "api/meta/status.h"
#include "registry/rest/types.h"

namespace keelson::registry::rest {

api::Status WatchEndStatus(const WatchEvent& event);  // Requires: an error event.

}  // namespace keelson::registry::rest
