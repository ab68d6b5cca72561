#include "endpoints/table/networking/rows.h"

namespace keelson::endpoints::table::networking {

std::span<const KindRow> Rows() { return {}; }

}  // namespace keelson::endpoints::table::networking
