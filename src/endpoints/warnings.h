// Warnings for the client, as header fields of the answer.
#pragma once

#include <string>
#include <vector>

#include "net/http/headers.h"

namespace keelson::endpoints {

// Adds a Warning field for each of `warnings` that differs from those before it. As upstream: once they have
// more than 4096 characters together, each is cut to 256, and no more are added beyond 4096; a text with
// control characters, or that is not UTF-8, is left out.
void AddWarnings(const std::vector<std::string>& warnings, net::http::Headers& headers);

}  // namespace keelson::endpoints
