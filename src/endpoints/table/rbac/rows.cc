#include "endpoints/table/rbac/rows.h"

namespace keelson::endpoints::table::rbac {

std::span<const KindRow> Rows() { return {}; }

}  // namespace keelson::endpoints::table::rbac
