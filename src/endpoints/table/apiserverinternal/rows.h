// The rows of `kubectl get` for internal.apiserver.k8s.io.
#pragma once

#include "endpoints/table/kind_row.h"

namespace keelson::endpoints::table::apiserverinternal {

std::span<const KindRow> Rows();

}  // namespace keelson::endpoints::table::apiserverinternal
