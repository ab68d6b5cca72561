// The rows of `kubectl get` for apps.
#pragma once

#include "endpoints/table/kind_row.h"

namespace keelson::endpoints::table::apps {

std::span<const KindRow> Rows();

}  // namespace keelson::endpoints::table::apps
