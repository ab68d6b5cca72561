// The rows of `kubectl get` for scheduling.k8s.io.
#pragma once

#include "endpoints/table/kind_row.h"

namespace keelson::endpoints::table::scheduling {

std::span<const KindRow> Rows();

}  // namespace keelson::endpoints::table::scheduling
