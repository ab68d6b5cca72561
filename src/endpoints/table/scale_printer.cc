#include "endpoints/table/scale_printer.h"

#include "api/generated/autoscaling_v1.h"
#include "endpoints/table/cells.h"

namespace keelson::endpoints::table {
namespace {

constexpr api::ColumnDesc kColumns[] = {{"Name", "string", "", 0},
                                        {"Desired", "integer", "", 0},
                                        {"Available", "integer", "", 0},
                                        {"Age", "string", "", 0}};
constexpr api::ColumnDesc kCustomColumns[] = {{"Name", "string", "name", 0},
                                              {"Desired", "integer", "", 0},
                                              {"Available", "integer", "", 0},
                                              {"Age", "date", "", 0}};

class ScaleColumns final : public Printer {
 public:
  explicit ScaleColumns(std::span<const api::ColumnDesc> columns) : columns_(columns) {}
  std::span<const api::ColumnDesc> columns() const override { return columns_; }
  void PrintRow(const api::StructNode& object, base::Clock::WallTime now, RowWriter& row) const override {
    const api::autoscaling_v1::ScaleView scale(&object);
    Cells cells(row, now);
    cells.Text(scale.metadata().name());
    cells.Number(scale.spec().replicas());
    cells.Number(scale.status().replicas());
    cells.Age(scale.metadata().creation_timestamp());
  }

 private:
  const std::span<const api::ColumnDesc> columns_;
};

}  // namespace

const Printer& ScalePrinter(bool custom) {
  static const ScaleColumns kBuiltIn(kColumns), kCustom(kCustomColumns);
  return custom ? kCustom : kBuiltIn;
}

}  // namespace keelson::endpoints::table
