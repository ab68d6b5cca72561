#include "endpoints/table/apiextensions/rows.h"

namespace keelson::endpoints::table::apiextensions {

std::span<const KindRow> Rows() { return {}; }

}  // namespace keelson::endpoints::table::apiextensions
