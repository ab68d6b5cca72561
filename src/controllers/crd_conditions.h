// The conditions of CustomResourceDefinitions.
#pragma once

#include <string_view>

#include "client/definitions.h"

namespace keelson::controllers {

using client::kDefinitions;

constexpr std::string_view kNamesAccepted = "NamesAccepted", kEstablished = "Established",
                           kTerminating = "Terminating",
                           kConformant = "KubernetesAPIApprovalPolicyConformant";

}  // namespace keelson::controllers
