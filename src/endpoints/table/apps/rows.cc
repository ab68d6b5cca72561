#include "endpoints/table/apps/rows.h"

namespace keelson::endpoints::table::apps {

std::span<const KindRow> Rows() { return {}; }

}  // namespace keelson::endpoints::table::apps
