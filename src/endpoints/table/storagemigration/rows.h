// The rows of `kubectl get` for storagemigration.k8s.io.
#pragma once

#include "endpoints/table/kind_row.h"

namespace keelson::endpoints::table::storagemigration {

std::span<const KindRow> Rows();

}  // namespace keelson::endpoints::table::storagemigration
