#include "endpoints/table/apiregistration/rows.h"

namespace keelson::endpoints::table::apiregistration {

std::span<const KindRow> Rows() { return {}; }

}  // namespace keelson::endpoints::table::apiregistration
