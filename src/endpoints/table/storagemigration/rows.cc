#include "endpoints/table/storagemigration/rows.h"

#include <string>

#include "api/generated/storagemigration_v1beta1.h"

namespace keelson::endpoints::table::storagemigration {
namespace {

void MigrationRow(const api::StructNode& object, Cells& cells) {
  const api::storagemigration_v1beta1::StorageVersionMigrationView migration(&object);
  const auto what = migration.spec().resource();
  std::string name(what.resource());
  if (!what.group().empty()) name.append(".").append(what.group());
  std::string_view state = "Unknown";
  for (const auto condition : migration.status().conditions())
    if (condition.status() == "True" &&
        (condition.type() == "Running" || condition.type() == "Failed" || condition.type() == "Succeeded"))
      state = condition.type();
  cells.Text(migration.metadata().name());
  cells.Text(name);
  cells.Text(state);
}

constexpr KindRow kRows[] = {{"StorageVersionMigration", MigrationRow, "v1beta1"}};

}  // namespace

std::span<const KindRow> Rows() { return kRows; }

}  // namespace keelson::endpoints::table::storagemigration
