// The rows of `kubectl get` for storage.k8s.io.
#pragma once

#include "endpoints/table/kind_row.h"

namespace keelson::endpoints::table::storage_api {

std::span<const KindRow> Rows();

}  // namespace keelson::endpoints::table::storage_api
