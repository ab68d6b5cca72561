#include "endpoints/table/admissionregistration/rows.h"

namespace keelson::endpoints::table::admissionregistration {

std::span<const KindRow> Rows() { return {}; }

}  // namespace keelson::endpoints::table::admissionregistration
