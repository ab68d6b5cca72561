// CustomPrinter: a printer whose columns are known only at run time.
#pragma once

#include <string_view>

#include "base/slice.h"
#include "endpoints/table/printer.h"

namespace keelson::endpoints::table {

// Threads: immutable, any.
class CustomPrinter : public Printer {
 public:
  // What clients are told of the i-th column.
  virtual std::string_view description(size_t i) const = 0;
  // Appends the JSON of the cells, separated by commas, one for each column.
  virtual void PrintCells(const api::StructNode& object, base::Clock::WallTime now,
                          base::BufferBuilder& out) const = 0;

  // Cells are of any type, so they are not written one by one.
  void PrintRow(const api::StructNode&, base::Clock::WallTime, RowWriter&) const final {}
};

}  // namespace keelson::endpoints::table
