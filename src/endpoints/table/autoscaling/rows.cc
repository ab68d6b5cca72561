#include "endpoints/table/autoscaling/rows.h"

namespace keelson::endpoints::table::autoscaling {

std::span<const KindRow> Rows() { return {}; }

}  // namespace keelson::endpoints::table::autoscaling
