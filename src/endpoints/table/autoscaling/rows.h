// The rows of `kubectl get` for autoscaling.
#pragma once

#include "endpoints/table/kind_row.h"

namespace keelson::endpoints::table::autoscaling {

std::span<const KindRow> Rows();

}  // namespace keelson::endpoints::table::autoscaling
