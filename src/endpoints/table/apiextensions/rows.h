// The rows of `kubectl get` for apiextensions.k8s.io.
#pragma once

#include "endpoints/table/kind_row.h"

namespace keelson::endpoints::table::apiextensions {

std::span<const KindRow> Rows();

}  // namespace keelson::endpoints::table::apiextensions
