// The rows of `kubectl get` for certificates.k8s.io.
#pragma once

#include "endpoints/table/kind_row.h"

namespace keelson::endpoints::table::certificates {

std::span<const KindRow> Rows();

}  // namespace keelson::endpoints::table::certificates
