#include "endpoints/table/coordination/rows.h"

#include "api/generated/coordination_v1.h"
#include "api/generated/coordination_v1beta1.h"

namespace keelson::endpoints::table::coordination {
namespace {

void LeaseRow(const api::StructNode& object, Cells& cells) {
  const api::coordination_v1::LeaseView lease(&object);
  cells.Text(lease.metadata().name());
  cells.Text(lease.spec().holder_identity());
  cells.Age(lease.metadata().creation_timestamp());
}

void LeaseCandidateRow(const api::StructNode& object, Cells& cells) {
  const api::coordination_v1beta1::LeaseCandidateView candidate(&object);
  cells.Text(candidate.metadata().name());
  cells.Text(candidate.spec().lease_name());
  cells.Text(candidate.spec().binary_version());
  cells.Text(candidate.spec().emulation_version());
  cells.Age(candidate.metadata().creation_timestamp());
}

constexpr KindRow kRows[] = {{"Lease", LeaseRow}, {"LeaseCandidate", LeaseCandidateRow, "v1beta1"}};

}  // namespace

std::span<const KindRow> Rows() { return kRows; }

}  // namespace keelson::endpoints::table::coordination
