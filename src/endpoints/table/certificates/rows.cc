#include "endpoints/table/certificates/rows.h"

namespace keelson::endpoints::table::certificates {

std::span<const KindRow> Rows() { return {}; }

}  // namespace keelson::endpoints::table::certificates
