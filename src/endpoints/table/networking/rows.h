// The rows of `kubectl get` for networking.k8s.io.
#pragma once

#include "endpoints/table/kind_row.h"

namespace keelson::endpoints::table::networking {

std::span<const KindRow> Rows();

}  // namespace keelson::endpoints::table::networking
