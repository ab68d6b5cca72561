// The rows of `kubectl get` for resource.k8s.io.
#pragma once

#include "endpoints/table/kind_row.h"

namespace keelson::endpoints::table::resource {

std::span<const KindRow> Rows();

}  // namespace keelson::endpoints::table::resource
