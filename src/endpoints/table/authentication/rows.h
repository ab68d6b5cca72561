// The rows of `kubectl get` for authentication.k8s.io.
#pragma once

#include "endpoints/table/kind_row.h"

namespace keelson::endpoints::table::authentication {

std::span<const KindRow> Rows();

}  // namespace keelson::endpoints::table::authentication
