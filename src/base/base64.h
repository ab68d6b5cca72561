// Standard base64 with padding.
#pragma once

#include <string>
#include <string_view>

namespace keelson::base {

std::string Base64(std::string_view bytes);

}  // namespace keelson::base
