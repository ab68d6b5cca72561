// The rows of `kubectl get` for admissionregistration.k8s.io.
#pragma once

#include "endpoints/table/kind_row.h"

namespace keelson::endpoints::table::admissionregistration {

std::span<const KindRow> Rows();

}  // namespace keelson::endpoints::table::admissionregistration
