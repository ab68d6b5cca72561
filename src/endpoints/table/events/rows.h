// The rows of `kubectl get` for events.k8s.io.
#pragma once

#include "endpoints/table/kind_row.h"

namespace keelson::endpoints::table::events {

std::span<const KindRow> Rows();

}  // namespace keelson::endpoints::table::events
