#include "endpoints/table/authentication/rows.h"

namespace keelson::endpoints::table::authentication {

std::span<const KindRow> Rows() { return {}; }

}  // namespace keelson::endpoints::table::authentication
