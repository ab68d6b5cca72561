// The rows of `kubectl get` for flowcontrol.apiserver.k8s.io.
#pragma once

#include "endpoints/table/kind_row.h"

namespace keelson::endpoints::table::flowcontrol {

std::span<const KindRow> Rows();

}  // namespace keelson::endpoints::table::flowcontrol
