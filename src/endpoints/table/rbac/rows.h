// The rows of `kubectl get` for rbac.authorization.k8s.io.
#pragma once

#include "endpoints/table/kind_row.h"

namespace keelson::endpoints::table::rbac {

std::span<const KindRow> Rows();

}  // namespace keelson::endpoints::table::rbac
