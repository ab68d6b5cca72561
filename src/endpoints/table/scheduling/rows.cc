#include "endpoints/table/scheduling/rows.h"

namespace keelson::endpoints::table::scheduling {

std::span<const KindRow> Rows() { return {}; }

}  // namespace keelson::endpoints::table::scheduling
