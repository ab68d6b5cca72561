// The rows of `kubectl get` for coordination.k8s.io.
#pragma once

#include "endpoints/table/kind_row.h"

namespace keelson::endpoints::table::coordination {

std::span<const KindRow> Rows();

}  // namespace keelson::endpoints::table::coordination
