// The rows of `kubectl get` for discovery.k8s.io.
#pragma once

#include "endpoints/table/kind_row.h"

namespace keelson::endpoints::table::discovery {

std::span<const KindRow> Rows();

}  // namespace keelson::endpoints::table::discovery
