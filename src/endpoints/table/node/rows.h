// The rows of `kubectl get` for node.k8s.io.
#pragma once

#include "endpoints/table/kind_row.h"

namespace keelson::endpoints::table::node {

std::span<const KindRow> Rows();

}  // namespace keelson::endpoints::table::node
