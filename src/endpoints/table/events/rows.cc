#include "endpoints/table/events/rows.h"

namespace keelson::endpoints::table::events {

std::span<const KindRow> Rows() { return {}; }

}  // namespace keelson::endpoints::table::events
