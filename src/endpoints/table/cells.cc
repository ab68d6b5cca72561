#include "endpoints/table/cells.h"

namespace keelson::endpoints::table {
namespace {

constexpr int64_t kMinute = 60, kHour = 60 * kMinute, kDay = 24 * kHour, kYear = 365 * kDay;

// "3h" or "3h20m": a second unit only where it says something.
std::string TwoUnits(int64_t seconds, int64_t unit, char name, int64_t sub_unit, char sub_name) {
  std::string text = std::to_string(seconds / unit) + name;
  if (const int64_t rest = seconds % unit / sub_unit; rest != 0) text += std::to_string(rest) + sub_name;
  return text;
}

}  // namespace

std::string HumanDuration(int64_t seconds) {
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 2 * kMinute) return std::to_string(seconds) + "s";
  if (seconds < 10 * kMinute) return TwoUnits(seconds, kMinute, 'm', 1, 's');
  if (seconds < 3 * kHour) return std::to_string(seconds / kMinute) + "m";
  if (seconds < 8 * kHour) return TwoUnits(seconds, kHour, 'h', kMinute, 'm');
  if (seconds < 2 * kDay) return std::to_string(seconds / kHour) + "h";
  if (seconds < 8 * kDay) return TwoUnits(seconds, kDay, 'd', kHour, 'h');
  if (seconds < 2 * kYear) return std::to_string(seconds / kDay) + "d";
  if (seconds < 8 * kYear) return TwoUnits(seconds, kYear, 'y', kDay, 'd');
  return std::to_string(seconds / kYear) + "y";
}

Cells::Cells(RowWriter& row, base::Clock::WallTime now)
    : row_(row), now_(std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count()) {}

std::string Cells::AgeText(int64_t when) const {
  return when == 0 ? "<unknown>" : HumanDuration(now_ - when);
}

void Cells::Labels(api::MapView labels) {
  std::string text;
  for (const auto& [key, value] : labels) {
    if (!text.empty()) text += ',';
    text.append(key).append("=").append(value.string());
  }
  TextOr(text, kNone);
}

std::string Join(const std::vector<std::string_view>& parts, std::string_view separator) {
  std::string text;
  for (std::string_view part : parts) {
    if (!text.empty()) text += separator;
    text += part;
  }
  return text;
}

}  // namespace keelson::endpoints::table
