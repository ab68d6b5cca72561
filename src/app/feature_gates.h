// FeatureGates: what --feature-gates switches.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace keelson::app {

struct FeatureGates {
  bool cbor = false;  // CBORServingAndStorage: CBOR is offered to clients
};

// From pairs `[kube:]Name=bool`. Gates of kube-apiserver that Keelson does not have may be
// given with the value that they have by default; errors are upstream's.
base::Result<FeatureGates, std::string> ParseFeatureGates(const std::vector<std::string>& pairs);

}  // namespace keelson::app
