// The rows of `kubectl get` for policy.
#pragma once

#include "endpoints/table/kind_row.h"

namespace keelson::endpoints::table::policy {

std::span<const KindRow> Rows();

}  // namespace keelson::endpoints::table::policy
