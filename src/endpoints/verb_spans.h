// The spans of a verb, where the request is recorded: of its handling, and of the answer.
#pragma once

#include <string_view>

#include "endpoints/request_scope.h"

namespace keelson::endpoints {

inline constexpr std::string_view kObjectAnswer = "SerializeObject", kWatchAnswer = "WatchServer.HandleHTTP";

// Begins a span with what is known of the request, which lasts until it is answered.
void EnterVerb(RequestScope& scope, std::string_view name);
// The same of the answer, which begins to be written. `name`: one of the two above.
void EnterAnswer(RequestScope& scope, std::string_view name);

}  // namespace keelson::endpoints
