#include "endpoints/table/coordination/rows.h"

#include "api/generated/coordination_v1.h"

namespace keelson::endpoints::table::coordination {
namespace {

void LeaseRow(const api::StructNode& object, Cells& cells) {
  const api::coordination_v1::LeaseView lease(&object);
  cells.Text(lease.metadata().name());
  cells.Text(lease.spec().holder_identity());
  cells.Age(lease.metadata().creation_timestamp());
}

constexpr KindRow kRows[] = {{"Lease", LeaseRow}};

}  // namespace

std::span<const KindRow> Rows() { return kRows; }

}  // namespace keelson::endpoints::table::coordination
