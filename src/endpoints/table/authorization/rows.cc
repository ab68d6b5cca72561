#include "endpoints/table/authorization/rows.h"

namespace keelson::endpoints::table::authorization {

std::span<const KindRow> Rows() { return {}; }

}  // namespace keelson::endpoints::table::authorization
