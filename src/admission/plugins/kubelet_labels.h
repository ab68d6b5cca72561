// Which labels of its own Node object a kubelet may set.
#pragma once

#include <string>

#include "api/types/view.h"

namespace keelson::admission {

// The keys, sorted and joined by ", ", whose values differ and which are not a kubelet's to change: those of
// Kubernetes that it does not report itself, and those that restrict nodes. Empty: it may make the change.
std::string ForbiddenLabelChanges(api::MapView now, api::MapView was);

}  // namespace keelson::admission
