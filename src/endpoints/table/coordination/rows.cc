#include "endpoints/table/coordination/rows.h"

namespace keelson::endpoints::table::coordination {

std::span<const KindRow> Rows() { return {}; }

}  // namespace keelson::endpoints::table::coordination
