#include "endpoints/table/discovery/rows.h"

namespace keelson::endpoints::table::discovery {

std::span<const KindRow> Rows() { return {}; }

}  // namespace keelson::endpoints::table::discovery
