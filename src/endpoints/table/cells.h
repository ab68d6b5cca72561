// Cells: what the rows of built-in kinds are written with: text, ages, labels.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/types/view.h"
#include "base/clock.h"
#include "endpoints/table/printer.h"

namespace keelson::endpoints::table {

inline constexpr std::string_view kNone = "<none>";

// How long ago, as people read it: "90s", "5m30s", "3h", "2d4h".
std::string HumanDuration(int64_t seconds);

class Cells {
 public:
  Cells(RowWriter& row, base::Clock::WallTime now);

  void Text(std::string_view text) { row_.String(text); }
  void TextOr(std::string_view text, std::string_view otherwise) { Text(text.empty() ? otherwise : text); }
  void Number(int64_t number) { row_.Int(number); }
  // A time in Unix seconds; 0 is no time.
  void Age(int64_t when) { Text(AgeText(when)); }
  // "k=v,k=v", or <none>.
  void Labels(api::MapView labels);

  std::string AgeText(int64_t when) const;
  RowWriter& row() { return row_; }

 private:
  RowWriter& row_;
  int64_t now_;
};

// Strings joined by ",".
std::string Join(const std::vector<std::string_view>& parts, std::string_view separator = ",");

}  // namespace keelson::endpoints::table
