#include "endpoints/table/resource/rows.h"

namespace keelson::endpoints::table::resource {

std::span<const KindRow> Rows() { return {}; }

}  // namespace keelson::endpoints::table::resource
