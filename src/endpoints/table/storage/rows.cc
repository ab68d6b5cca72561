#include "endpoints/table/storage/rows.h"

namespace keelson::endpoints::table::storage_api {

std::span<const KindRow> Rows() { return {}; }

}  // namespace keelson::endpoints::table::storage_api
