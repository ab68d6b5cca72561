// One line of a group's table of rows.
#pragma once

#include <span>
#include <string_view>

#include "api/types/doc.h"
#include "endpoints/table/cells.h"

namespace keelson::endpoints::table {

// Writes one cell for each of the resource's columns, in their order.
using RowFn = void (*)(const api::StructNode& object, Cells& cells);

struct KindRow {
  std::string_view kind;
  RowFn row;
  std::string_view version = "v1";
};

}  // namespace keelson::endpoints::table
