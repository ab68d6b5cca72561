// The rows of `kubectl get` for apiregistration.k8s.io.
#pragma once

#include "endpoints/table/kind_row.h"

namespace keelson::endpoints::table::apiregistration {

std::span<const KindRow> Rows();

}  // namespace keelson::endpoints::table::apiregistration
