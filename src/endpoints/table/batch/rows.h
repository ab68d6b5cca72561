// The rows of `kubectl get` for batch.
#pragma once

#include "endpoints/table/kind_row.h"

namespace keelson::endpoints::table::batch {

std::span<const KindRow> Rows();

}  // namespace keelson::endpoints::table::batch
