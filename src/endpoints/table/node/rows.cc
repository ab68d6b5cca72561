#include "endpoints/table/node/rows.h"

namespace keelson::endpoints::table::node {

std::span<const KindRow> Rows() { return {}; }

}  // namespace keelson::endpoints::table::node
