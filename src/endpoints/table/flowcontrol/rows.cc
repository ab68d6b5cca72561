#include "endpoints/table/flowcontrol/rows.h"

namespace keelson::endpoints::table::flowcontrol {

std::span<const KindRow> Rows() { return {}; }

}  // namespace keelson::endpoints::table::flowcontrol
