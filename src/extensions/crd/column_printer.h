// ColumnPrinter: the columns of a custom resource, as its definition lists them.
#pragma once

#include <string>
#include <vector>

#include "api/generated/apiextensions_v1.h"
#include "endpoints/table/custom_printer.h"
#include "extensions/crd/json_path.h"

namespace keelson::extensions {

// Threads: immutable, any.
class ColumnPrinter final : public endpoints::table::CustomPrinter {
 public:
  using Columns = api::ListView<api::apiextensions_v1::CustomResourceColumnDefinitionView>;
  // `columns` is borrowed for the call; with none there is the age.
  explicit ColumnPrinter(Columns columns);

  std::span<const api::ColumnDesc> columns() const override { return columns_; }
  std::string_view description(size_t i) const override;
  void PrintCells(const api::StructNode& object, base::Clock::WallTime now,
                  base::BufferBuilder& out) const override;

 private:
  struct Column {
    std::string name, type, format, description;
    int priority = 0;
    JsonPath path;
  };
  void Add(Column column, std::string_view path);

  std::vector<Column> own_;  // behind the name
  std::vector<api::ColumnDesc> columns_;
  bool reads_metadata_ = false;
};

}  // namespace keelson::extensions
