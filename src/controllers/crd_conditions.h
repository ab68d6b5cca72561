// The conditions of CustomResourceDefinitions.
#pragma once

#include <string_view>

namespace keelson::controllers {

constexpr std::string_view kNamesAccepted = "NamesAccepted", kEstablished = "Established",
                           kTerminating = "Terminating";

}  // namespace keelson::controllers
