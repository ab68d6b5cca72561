#include "endpoints/table/node/rows.h"

#include "api/generated/node_v1.h"

namespace keelson::endpoints::table::node {
namespace {

void RuntimeClassRow(const api::StructNode& object, Cells& cells) {
  const api::node_v1::RuntimeClassView c(&object);
  cells.Text(c.metadata().name());
  cells.Text(c.handler());
  cells.Age(c.metadata().creation_timestamp());
}

constexpr KindRow kRows[] = {{"RuntimeClass", RuntimeClassRow}};

}  // namespace

std::span<const KindRow> Rows() { return kRows; }

}  // namespace keelson::endpoints::table::node
