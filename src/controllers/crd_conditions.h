// CustomResourceDefinitions: their resource and their conditions.
#pragma once

#include <string_view>

#include "client/client.h"

namespace keelson::controllers {

inline constexpr client::Resource kDefinitions{"apiextensions.k8s.io", "customresourcedefinitions"};

constexpr std::string_view kNamesAccepted = "NamesAccepted", kEstablished = "Established",
                           kTerminating = "Terminating";

}  // namespace keelson::controllers
