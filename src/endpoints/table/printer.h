// Printer: the columns of one kind as `kubectl get` shows them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "api/types/doc.h"
#include "api/types/resource_desc.h"
#include "base/clock.h"
#include "base/slice.h"

namespace keelson::endpoints::table {

// Takes the cells of one row, left to right, one per column.
class RowWriter {
 public:
  // Appends the JSON of the cells to `out`.
  explicit RowWriter(base::BufferBuilder& out) : out_(out) {}

  void String(std::string_view cell);
  void Int(int64_t cell);
  void Bool(bool cell);
  void Null();

  // A condition of the row, e.g. Completed for a pod that has ended.
  void Condition(std::string_view type, std::string_view status, std::string_view reason,
                 std::string_view message);
  // The JSON of the conditions so far, without brackets; empty when there are none.
  std::string_view conditions() const { return conditions_.view(); }

 private:
  void Separate();

  base::BufferBuilder& out_;
  base::BufferBuilder conditions_;
  bool first_ = true;
};

// Threads: immutable, any.
class Printer {
 public:
  virtual ~Printer() = default;
  virtual std::span<const api::ColumnDesc> columns() const = 0;
  // Writes as many cells as there are columns. `object` is of the printer's kind.
  virtual void PrintRow(const api::StructNode& object, base::Clock::WallTime now, RowWriter& row) const = 0;
};

// Name and Created At: for kinds without columns of their own.
const Printer& DefaultPrinter();

}  // namespace keelson::endpoints::table
