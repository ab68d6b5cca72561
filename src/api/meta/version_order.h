// Which version of an API clients are offered first.
#pragma once

#include <string_view>

namespace keelson::api {

// Whether `a` comes before `b`: v2, v1, v1beta2, v1beta1, v1alpha1, then other names by the alphabet.
bool BetterVersion(std::string_view a, std::string_view b);

}  // namespace keelson::api
