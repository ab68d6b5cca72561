#include "endpoints/table/batch/rows.h"

namespace keelson::endpoints::table::batch {

std::span<const KindRow> Rows() { return {}; }

}  // namespace keelson::endpoints::table::batch
