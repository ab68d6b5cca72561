// The rows of `kubectl get` for authorization.k8s.io.
#pragma once

#include "endpoints/table/kind_row.h"

namespace keelson::endpoints::table::authorization {

std::span<const KindRow> Rows();

}  // namespace keelson::endpoints::table::authorization
