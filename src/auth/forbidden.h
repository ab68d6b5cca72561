// What a client is told that may not do something.
#pragma once

#include <string>
#include <string_view>

#include "auth/attributes.h"

namespace keelson::auth {

// The part after "... is forbidden: ", in upstream's words.
std::string ForbiddenMessage(const Attributes& attributes, std::string_view reason);

// `text` with nothing in it that a browser could take for HTML.
std::string WithoutMarkup(std::string_view text);

}  // namespace keelson::auth
