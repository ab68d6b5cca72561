#include "api/meta/version_order.h"

#include <charconv>
#include <system_error>
#include <tuple>

namespace keelson::api {
namespace {

// The parts of a name like v1beta2: how mature, how new. Others are the least.
std::tuple<int, int, int> Maturity(std::string_view version) {
  const auto number = [&](int& out) {
    const auto [end, error] = std::from_chars(version.data(), version.data() + version.size(), out);
    if (error != std::errc()) return false;
    version.remove_prefix(static_cast<size_t>(end - version.data()));
    return true;
  };
  int major = 0, minor = 0;
  if (!version.starts_with('v')) return {0, 0, 0};
  version.remove_prefix(1);
  if (version.starts_with('0') || version.starts_with('-') || !number(major)) return {0, 0, 0};
  if (version.empty()) return {3, major, 0};
  const int level = version.starts_with("beta") ? 2 : version.starts_with("alpha") ? 1 : 0;
  if (level == 0) return {0, 0, 0};
  version.remove_prefix(level == 2 ? 4 : 5);
  if (!number(minor) || !version.empty()) return {0, 0, 0};
  return {level, major, minor};
}

}  // namespace

bool BetterVersion(std::string_view a, std::string_view b) {
  const auto x = Maturity(a), y = Maturity(b);
  return x != y ? x > y : a < b;
}

}  // namespace keelson::api
