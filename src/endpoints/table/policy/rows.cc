#include "endpoints/table/policy/rows.h"

namespace keelson::endpoints::table::policy {

std::span<const KindRow> Rows() { return {}; }

}  // namespace keelson::endpoints::table::policy
